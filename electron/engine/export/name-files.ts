import { type DocumentPart, documentParts, type ExportFormat, type ExportPart } from '../../../shared/export-parts.ts'
import type { PacketSlot } from '../../../shared/packets.ts'
import { caseKey, firstFreeNumber, numberedName, safeName, splitExtension, uniqueName } from '../archive/safe-name.ts'
import type { CaptureFacts } from './capture-facts.ts'
import { applyTemplate, type FileFields, type NamingTemplate, usesTime } from './naming-template.ts'
import type { PacketPhoto } from './fill-packet.ts'
import type { ExportPlan, PlannedChecklist, PlannedFile, PlannedProject, PlannedQuestion } from './plan-export.ts'

/** A file of the archive with its path in the export. */
export interface NamedFile {
  /** Relative to the export, with `/`. */
  readonly path: string
  readonly file: PlannedFile
  readonly project: PlannedProject
  readonly checklist: PlannedChecklist
  /** Null for a report. */
  readonly question: PlannedQuestion | null
}

/** A file after it was copied. */
export interface ExportedFile extends NamedFile {
  /** False if it is missing or changed in the archive folder. */
  readonly isWritten: boolean
  readonly facts: CaptureFacts
}

/** Folders of an export beside those of the template. */
export const exportFolders = { thumbnails: 'thumbnails', tables: 'tables', geo: 'geo' } as const

/** Names that no file of the archive gets: they belong to what the export adds. */
const reservedNames = [
  'SHA256SUMS',
  exportFolders.tables,
  exportFolders.geo,
  ...documentParts.map((part) => documentName(part)),
]

/** Returns the name that a document has in exports and packets. */
export function documentName(part: DocumentPart): string {
  return `${part}.pdf`
}

export interface NamingOptions {
  readonly template: NamingTemplate
  readonly include: readonly ExportPart[]
  /** Names in a bag have no `%`: manifests must encode it, and `sha256sum` does not decode it. */
  readonly format: ExportFormat
  /** Needed for a template with `date` or `time`. */
  readonly facts: (file: PlannedFile) => CaptureFacts | undefined
}

/**
 * Returns the chosen files of a plan with their paths. No two of them are one file on a disk that ignores case, and no
 * file is in the place of a folder. Projects of one name are distinguished by their IDs, and so are the checklists of a
 * project. Photos come before their thumbnails, which have their paths. Thumbnails without a photo come last, so that no
 * photo has another name for them.
 */
export function* nameFiles(plan: ExportPlan, options: NamingOptions): Generator<NamedFile> {
  const { include } = options
  const paths = createPathAllocator({ withSidecars: include.includes('xmp') })
  const [withPhotos, withThumbnails] = [include.includes('photos'), include.includes('thumbnails')]
  for (const name of reservedNames) paths.add([name])
  paths.add([exportFolders.thumbnails])
  const namesOf = distinctNames(plan)
  const pathOf = (
    of: ChecklistContext,
    file: PlannedFile,
    question: PlannedQuestion | null,
    sequence: number | null,
  ) => {
    const context = { project: of.project, question, sequence, names: namesOf(of), slot: null }
    const path = applyTemplate(options.template, fieldsOf(file, context, options))
    return options.format === 'bagit' ? path.map(withoutPercent) : path
  }
  const reports = include.includes('reports')
    ? reportPaths(plan, {
        pathOf: (of, report) => pathOf(of, report, null, null),
        titleOf: (of) => (options.format === 'bagit' ? withoutPercent(namesOf(of).checklist) : namesOf(of).checklist),
      })
    : new Map<PlannedFile, string[]>()
  const lone: (ChecklistContext & { readonly file: PlannedFile; readonly question: PlannedQuestion })[] = []
  for (const project of plan.projects) {
    for (const checklist of project.checklists) {
      const of = { project, checklist }
      const { report } = checklist
      const wantedReport = report === null ? undefined : reports.get(report)
      if (report !== null && wantedReport !== undefined) {
        yield { ...of, path: paths.add(wantedReport), file: report, question: null }
      }
      let sequence = 0
      for (const question of checklist.questions) {
        if (!withPhotos && !withThumbnails) continue
        for (const photo of question.photos) {
          sequence += 1
          const path = paths.add(pathOf(of, photo, question, sequence))
          if (withPhotos) yield { ...of, path, file: photo, question }
          if (photo.thumbnail === null || !withThumbnails) continue
          yield { ...of, path: `${exportFolders.thumbnails}/${path}`, file: photo.thumbnail, question }
        }
        if (!withThumbnails) continue
        for (const file of question.loneThumbnails) lone.push({ ...of, file, question })
      }
    }
  }
  for (const thumbnail of lone) {
    const path = paths.add(pathOf(thumbnail, thumbnail.file, thumbnail.question, null))
    yield { ...thumbnail, path: `${exportFolders.thumbnails}/${path}` }
  }
}

type ChecklistContext = Pick<NamedFile, 'project' | 'checklist'>

const withoutPercent = (name: string) => name.replaceAll('%', '_')

interface ReportNaming {
  readonly pathOf: (of: ChecklistContext, report: PlannedFile) => string[]
  /** Title of the checklist that distinguishes it from others of its project. */
  readonly titleOf: (of: ChecklistContext) => string
}

/** Returns the paths of the reports. Those that would have one path have the title of their checklist in the name. */
function reportPaths(plan: ExportPlan, { pathOf, titleOf }: ReportNaming): Map<PlannedFile, string[]> {
  const reports = plan.projects.flatMap((project) =>
    project.checklists.flatMap((checklist) => {
      const of = { project, checklist }
      const { report } = checklist
      return report === null ? [] : [{ of, report, path: pathOf(of, report) }]
    }),
  )
  const groups = Map.groupBy(reports, ({ path }) => caseKey(path.join('/')))
  return new Map(
    reports.map(({ of, report, path }) => {
      const title = safeName(titleOf(of), { fallback: '' })
      if (title === '' || groups.get(caseKey(path.join('/')))?.length === 1) return [report, path]
      const [stem, extension] = splitExtension(path.at(-1) ?? '')
      const name = safeName(`${stem} - ${title}${extension}`, { fallback: 'report', keepExtension: true })
      return [report, [...path.slice(0, -1), name]]
    }),
  )
}

/** A photo in a slot of a packet. */
export interface SlotPhoto {
  readonly photo: PacketPhoto
  readonly slot: Pick<PacketSlot, 'id' | 'title'>
  /** Place of the slot in the template, from 1. */
  readonly slotNumber: number
  /** Number of the photo in its slot, from 1. */
  readonly sequence: number
  /** Needed for a template with `date` or `time`. */
  readonly facts: CaptureFacts | undefined
}

/**
 * Returns a function that assigns a path of its own to each photo of a packet, relative to the packet, as `nameFiles`
 * does for exports.
 */
export function createPacketNames(plan: ExportPlan, template: NamingTemplate): (photo: SlotPhoto) => string {
  const paths = createPathAllocator({ withSidecars: false })
  const namesOf = distinctNames(plan)
  return ({ photo, slot: { id, title }, slotNumber, sequence, facts }) => {
    const { project, question, file } = photo
    const slot = { slot: title, slotid: id, slotnumber: slotNumber }
    const context = { project, question, sequence, names: namesOf(photo), slot }
    const fields = fieldsOf(file, context, { template, facts: () => facts })
    return `${packetPhotosFolder}/${paths.add(applyTemplate(template, fields))}`
  }
}

/** Folder of a packet that has nothing but its photos. */
export const packetPhotosFolder = 'photos'

interface Context {
  readonly project: PlannedProject
  readonly question: PlannedQuestion | null
  readonly sequence: number | null
  readonly names: { readonly project: string; readonly checklist: string }
  /** Null in an export. */
  readonly slot: Pick<FileFields, 'slot' | 'slotid' | 'slotnumber'> | null
}

const noSlot = { slot: '', slotid: '', slotnumber: null }

function fieldsOf(
  file: PlannedFile,
  { project, question, sequence, names, slot }: Context,
  { facts, template }: Pick<NamingOptions, 'facts' | 'template'>,
): FileFields {
  const [name, extension] = splitExtension(file.fileName)
  const takenAt = usesTime(template) ? (facts(file)?.cameraTime ?? file.takenAt) : null
  return {
    ...names,
    ...(slot ?? noSlot),
    section: question?.section ?? '',
    question: question?.question ?? '',
    sequence,
    name,
    extension,
    date: takenAt?.slice(0, 10) ?? '',
    time: takenAt?.slice(11, 19).replaceAll(':', '-') ?? '',
    id: project.id,
  }
}

/** Returns a function for the names of a checklist and its project that distinguish them in a plan. */
function distinctNames(plan: ExportPlan) {
  const projectNames = withIds(plan.projects, ({ name }) => name)
  const titles = new Map(
    plan.projects.map((project) => [project, withIds(project.checklists, ({ title }) => title)] as const),
  )
  return ({ project, checklist }: ChecklistContext) => ({
    project: projectNames.get(project) ?? '',
    checklist: titles.get(project)?.get(checklist) ?? '',
  })
}

/** Returns the names, those that several have with the last characters of their IDs. */
function withIds<Item extends { readonly id: string }>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
): ReadonlyMap<Item, string> {
  const keyOf = (item: Item) => caseKey(safeName(nameOf(item), { fallback: '' }))
  const groups = Map.groupBy(items, keyOf)
  return new Map(
    items.map((item) => {
      const isShared = (groups.get(keyOf(item))?.length ?? 0) > 1
      const suffix = ` [${safeName(item.id.slice(-6), { fallback: 'id' })}]`
      return [item, isShared ? safeName(nameOf(item), { fallback: '', suffix }) : nameOf(item)]
    }),
  )
}

/** Extension of a sidecar, after the one of its photo: two photos may differ in theirs alone. */
export const sidecarExtension = '.xmp'

/** Assigns a path of its own to every file, and another one beside it to its sidecar. */
function createPathAllocator({ withSidecars }: { readonly withSidecars: boolean }) {
  /** Folders by the key of their path, with the name that they have. */
  const folders = new Map<string, string>()
  const files = new Set<string>()
  /** First number that may be free, by the key of a wanted name: thousands of photos may want one name. */
  const freeFrom = new Map<string, number>()
  const keysOf = (parent: string, name: string) =>
    ['', ...(withSidecars ? [sidecarExtension] : [])].map((end) => `${parent}/${caseKey(name + end)}`)

  function folder(parent: string, wanted: string): string {
    const key = `${parent}/${caseKey(wanted)}`
    const known = folders.get(key)
    if (known !== undefined) return known
    const name = uniqueName(wanted, (candidate) => files.has(`${parent}/${caseKey(candidate)}`))
    folders.set(key, name)
    // The name itself leads here as well.
    folders.set(`${parent}/${caseKey(name)}`, name)
    return name
  }

  return {
    /** Returns the path of a new file in these folders. */
    add(components: readonly string[]): string {
      let [parent, path] = ['', '']
      for (const wanted of components.slice(0, -1)) {
        const name = folder(parent, wanted)
        parent = `${parent}/${caseKey(name)}`
        path += `${name}/`
      }
      const isTaken = (candidate: string) => {
        return keysOf(parent, candidate).some((key) => files.has(key) || folders.has(key))
      }
      const wanted = components.at(-1) ?? 'file'
      const key = `${parent}/${caseKey(wanted)}`
      const number = firstFreeNumber(wanted, isTaken, freeFrom.get(key))
      if (number > 1) freeFrom.set(key, number)
      const name = numberedName(wanted, number)
      for (const key of keysOf(parent, name)) files.add(key)
      return path + name
    },
  }
}
