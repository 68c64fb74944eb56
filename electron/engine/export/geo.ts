import { type ExportedFile, exportFolders } from './name-files.ts'
import type { AddedText } from './export-target.ts'

/**
 * Escapes a text for elements and attributes of XML 1.0, and removes the characters that it cannot have (section 2.2).
 */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
    .replaceAll('\r', '&#13;')
}

/** A photo with a position. */
interface Point {
  readonly latitude: number
  readonly longitude: number
  readonly title: string
  readonly takenAt: string | null
  /** Names of fields and their values. */
  readonly fields: Readonly<Record<string, string | null>>
}

/** Returns the positions of the photos in an export, as GeoJSON, KML, and GPX. */
export function geoFiles(exported: readonly ExportedFile[]): AddedText[] {
  const points = () => pointsOf(exported)
  const path = (name: string) => `${exportFolders.geo}/${name}`
  return [
    { path: path('photos.geojson'), text: () => geoJson(points()) },
    { path: path('photos.kml'), text: () => kml(points()) },
    { path: path('photos.gpx'), text: () => gpx(points()) },
  ]
}

function* pointsOf(exported: readonly ExportedFile[]): Generator<Point> {
  for (const { path, file, project, checklist, question, isWritten, facts } of exported) {
    if (!isWritten || file.kind !== 'photo' || question === null || facts.position === null) continue
    const { takenAt } = facts
    yield {
      ...facts.position,
      takenAt,
      title: `${question.question} - ${file.fileName}`,
      fields: {
        project: project.name,
        checklist: checklist.title,
        section: question.section,
        question: question.question,
        file: path,
        sha256: file.sha256,
        taken_at: takenAt,
      },
    }
  }
}

/** RFC 7946. */
function* geoJson(points: Iterable<Point>): Generator<string> {
  yield '{"type":"FeatureCollection","features":['
  let separator = '\n'
  for (const { latitude, longitude, fields } of points) {
    const geometry = { type: 'Point', coordinates: [longitude, latitude] }
    yield separator + JSON.stringify({ type: 'Feature', geometry, properties: fields })
    separator = ',\n'
  }
  yield '\n]}\n'
}

/** OGC KML 2.2. */
function* kml(points: Iterable<Point>): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n'
  yield '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Photos</name>\n'
  for (const { latitude, longitude, title, takenAt, fields } of points) {
    const data = Object.entries(fields)
      .map(([name, value]) => `<Data name="${name}"><value>${escapeXml(value ?? '')}</value></Data>`)
      .join('')
    const time = utcTime(takenAt)
    yield (
      `<Placemark><name>${escapeXml(title)}</name>` +
        (time === null ? '' : `<TimeStamp><when>${time}</when></TimeStamp>`) +
        `<ExtendedData>${data}</ExtendedData>` +
        `<Point><coordinates>${longitude},${latitude}</coordinates></Point></Placemark>\n`
    )
  }
  yield '</Document></kml>\n'
}

/** GPX 1.1. */
function* gpx(points: Iterable<Point>): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n'
  yield '<gpx xmlns="http://www.topografix.com/GPX/1/1" version="1.1" creator="Solarchive">\n'
  for (const { latitude, longitude, title, takenAt, fields } of points) {
    const time = utcTime(takenAt)
    const description = [fields['project'], fields['checklist'], fields['section']].join(' - ')
    yield (
      `<wpt lat="${latitude}" lon="${longitude}">${time === null ? '' : `<time>${time}</time>`}` +
        `<name>${escapeXml(title)}</name><desc>${escapeXml(description)}</desc></wpt>\n`
    )
  }
  yield '</gpx>\n'
}

/** Returns a time in UTC; null for a local one, whose moment is unknown. */
function utcTime(time: string | null): string | null {
  if (time === null || !/(?:Z|[+-]\d\d:\d\d)$/.test(time)) return null
  const at = new Date(time)
  return Number.isNaN(at.getTime()) ? null : at.toISOString()
}
