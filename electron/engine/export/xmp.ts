import type { Place } from '../../../shared/domain.ts'
import type { CaptureFacts } from './capture-facts.ts'
import { escapeXml } from './geo.ts'
import type { NamedFile } from './name-files.ts'

/** Namespace of what no standard one has a property for. */
const ownNamespace = 'urn:solarchive:xmp:1.0:'

/**
 * Returns a sidecar for a photo (XMP, ISO 16684-1): what it shows, when and where it was taken, and the hash of the
 * file that it belongs to, which is not changed.
 */
export function xmpSidecar({ file, project, checklist, question }: NamedFile, facts: CaptureFacts): string {
  const { position, cameraTime, utcOffset } = facts
  // As in the photo's EXIF: another time beside it, if only in another time zone, looks like a contradiction.
  const takenAt = cameraTime === null ? facts.takenAt : `${cameraTime}${utcOffset ?? ''}`
  const own = {
    Project: project.name,
    ProjectId: project.id,
    Checklist: checklist.title,
    ChecklistId: checklist.id,
    Section: question?.section ?? '',
    Question: question?.question ?? '',
    Answer: question?.answer ?? '',
    FileName: file.fileName,
    SHA256: file.sha256,
  }
  const properties = [
    alternative('dc:title', project.name),
    alternative('dc:description', [question?.section, question?.question].filter(Boolean).join(' - ')),
    ...(takenAt === null
      ? []
      : [property('exif:DateTimeOriginal', takenAt), property('photoshop:DateCreated', takenAt)]),
    ...(position === null ? [] : positionProperties(position)),
    ...Object.entries(own).flatMap(([name, value]) => (value === '' ? [] : [property(`solarchive:${name}`, value)])),
  ]
  return (
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>\n' +
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">\n' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n' +
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"' +
    ' xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"' +
    ` xmlns:solarchive="${ownNamespace}">\n` +
    `${properties.join('\n')}\n` +
    '</rdf:Description>\n</rdf:RDF>\n</x:xmpmeta>\n<?xpacket end="w"?>\n'
  )
}

function property(name: string, value: string): string {
  return `<${name}>${escapeXml(value)}</${name}>`
}

/** Text in the default language. */
function alternative(name: string, value: string): string {
  return `<${name}><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(value)}</rdf:li></rdf:Alt></${name}>`
}

/** Degrees and decimal minutes: `37,46.4932N` (XMP specification, part 2, section 1.2.7.4). */
function positionProperties({ latitude, longitude }: Place): string[] {
  const coordinate = (degrees: number, [positive, negative]: readonly [string, string]) => {
    const millionths = Math.round(Math.abs(degrees) * 60_000_000)
    const whole = Math.floor(millionths / 60_000_000)
    const minutes = ((millionths - whole * 60_000_000) / 1_000_000).toFixed(6)
    return `${whole},${minutes}${degrees < 0 ? negative : positive}`
  }
  return [
    property('exif:GPSVersionID', '2.3.0.0'),
    property('exif:GPSLatitude', coordinate(latitude, ['N', 'S'])),
    property('exif:GPSLongitude', coordinate(longitude, ['E', 'W'])),
  ]
}
