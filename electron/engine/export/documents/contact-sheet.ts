import { pMapIterable } from 'p-map'
import { capitalized, countOf, formatCount } from '../../../../shared/format.ts'
import { gapText } from '../../../../shared/status-text.ts'
import { checklistWithout, questionWithout, withoutLost } from '../lost-files.ts'
import type { ExportPlan, PlannedChecklist, PlannedFile, PlannedProject, PlannedQuestion } from '../plan-export.ts'
import { maxDocumentBytes } from '../../../../shared/export-parts.ts'
import type { ExportDeps } from '../exports.ts'
import { checklistCaption, positionCaption, shownDigits, timeCaption, zonedCaption } from './captions.ts'
import { type PrintedPhoto, readPhoto, SizeBudget } from './document-photos.ts'
import { printOverview, type StateLine } from './overview.ts'
import { area, areaWidth, ink, PdfWriter } from './pdf-document.ts'
import type { PictureMaker } from './picture-maker.ts'

/** Photos of a row, and the space between them. */
const [columns, gutter] = [3, 13]
const cell = { width: (areaWidth - (columns - 1) * gutter) / columns, height: 122 }
const caption = { size: 6.8, isTabular: true, width: cell.width, maxLines: 1 }
const captionLine = caption.size * 1.36
const nameStyle = { ...caption, isBold: true, maxLines: 2 }

export interface ContactSheetRequest {
  readonly plan: ExportPlan
  /** Ids of assets that are known to be missing or changed in the archive folder; those found here are added. */
  readonly lost: Set<number>
  /** Absolute path of the file to create. */
  readonly path: string
  readonly signal: AbortSignal
  readonly pictures: PictureMaker
  /** Names of the copies that are handed over with the sheet, by asset. The other photos have those of the archive. */
  readonly copies?: ReadonlyMap<number, string>
  /** Default: 10 MB. */
  readonly maxBytes?: number
  /** Called after each photo. */
  readonly onPhoto?: () => void
}

/** Returns the number of photos that a contact sheet of a plan has. */
export function countPhotos(plan: Pick<ExportPlan, 'projects'>): number {
  return plannedPhotos(plan).length
}

function plannedPhotos({ projects }: Pick<ExportPlan, 'projects'>): PlannedFile[] {
  const questions = projects.flatMap(({ checklists }) => checklists.flatMap((checklist) => checklist.questions))
  return questions.flatMap(({ photos }) => photos)
}

/** Photos that are read ahead of the one that is printed. */
const readAhead = 2

/**
 * Writes a contact sheet: the photos of each question, each with its name, time, position, and the start of its
 * SHA-256. A photo that cannot be shown has a box that says why; one that is lost is missing in all counts. Rejects
 * with the reason of the signal, and with errors of the disk; the file is not a valid document then.
 */
export async function writeContactSheet(deps: ExportDeps, request: ContactSheetRequest): Promise<void> {
  const { plan, lost, path, signal, pictures, copies, maxBytes = maxDocumentBytes, onPhoto } = request
  const [only, ...others] = plan.projects
  const subject = others.length === 0 && only !== undefined ? only.name : countOf(plan.projects.length, 'project')
  const writer = new PdfWriter(path, { title: `Contact sheet - ${subject}`, createdAt: plan.at })
  const budget = new SizeBudget(maxBytes, countPhotos(plan))
  const nameOf = ({ assetId, fileName }: PlannedFile) => copies?.get(assetId) ?? fileName
  const nameLines = plannedPhotos(plan).some((file) => writer.lines(nameOf(file), nameStyle).length > 1) ? 2 : 1
  const rowHeight = cell.height + 4 + (nameLines + 2) * captionLine + 12
  const source = { ...deps, pictures, budget, lost, box: { ...cell, dpi: 150, thumbnailDpi: 96 } }
  const head = { kind: 'CONTACT SHEET', title: subject, details: zonedCaption(plan.at) }
  try {
    const overview = others.length === 0 ? null : printOverview(writer, head, plan.projects)
    for (const project of plan.projects) {
      overview?.add(project)
      printProject(writer, project, plan)
      for (const checklist of project.checklists) {
        const printState = printChecklist(writer, checklist, rowHeight)
        let section: string | undefined
        for (const question of checklist.questions) {
          if (question.photos.length === 0 && question.expectedPhotos === 0) continue
          const printCount = printQuestion(writer, question, {
            isSameSection: question.section === section,
            rowHeight,
          })
          section = question.section
          const photos = pMapIterable(question.photos, (file) => readPhoto(source, file), {
            concurrency: readAhead,
            backpressure: readAhead,
          })
          let column = 0
          for await (const photo of photos) {
            signal.throwIfAborted()
            if (column === 0) writer.makeRoomIn(question.question || 'Question', rowHeight)
            if (!photo.isThere) lost.add(photo.file.assetId)
            printPhoto(writer, photo, nameOf(photo.file), area.left + column * (cell.width + gutter))
            column = (column + 1) % columns
            if (column === 0) writer.y += rowHeight
            onPhoto?.()
          }
          if (column > 0) writer.y += rowHeight
          printCount(questionWithout(question, lost))
        }
        printState(checklistWithout(checklist, lost))
      }
    }
    if (plan.projects.length === 0) writer.addPage()
    overview?.finish(countLine(plan.projects, lost), (project) => countLine([project], lost))
    await writer.finish()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** Returns how many photos projects have, and how many are missing. */
function countLine(projects: readonly PlannedProject[], lost: ReadonlySet<number>): StateLine {
  const questions = projects
    .flatMap((project) => withoutLost(project, lost).checklists)
    .flatMap((checklist) => checklist.questions)
  const there = questions.reduce((sum, { photos }) => sum + photos.length, 0)
  const missing = questions
    .flatMap(({ gaps }) => gaps.filter(({ kind }) => kind === 'photos'))
    .reduce((sum, { expected, archived }) => sum + expected - archived, 0)
  const photos = countOf(there, 'photo')
  if (missing === 0) return { text: photos, color: ink.text }
  return { text: `${photos}, ${formatCount(missing)} missing`, color: ink.bad }
}

function printProject(writer: PdfWriter, project: PlannedProject, { at }: ExportPlan): void {
  writer.subject = project.name
  writer.addPage()
  writer.bookmark(project.name, 0)
  writer.text('CONTACT SHEET', { size: 8, isBold: true, color: ink.muted }, 6)
  writer.text(project.name, { size: 20, isBold: true, maxLines: 3 }, 2)
  if (project.address !== null) writer.text(project.address, { size: 10.5, color: ink.muted, maxLines: 2 }, 2)
  const photos = countPhotos({ projects: [project] })
  const counts = `${countOf(photos, 'photo')} in ${countOf(project.checklists.length, 'checklist')}`
  writer.text(`${counts} · ${zonedCaption(at)}`, { size: 9, color: ink.muted }, 3)
  const legend =
    `Below each photo: its file name, when and where it was taken, and the first ${shownDigits} digits ` +
    'of its SHA-256.'
  writer.text(legend, { size: 8, color: ink.muted }, 8)
  writer.rule(writer.y)
  writer.y += 14
}

/** Returns a function that prints the checklist's state, which is known once its photos were read. */
function printChecklist(writer: PdfWriter, { title, questions }: PlannedChecklist, rowHeight: number) {
  const hasPhotos = questions.some(({ photos, expectedPhotos }) => photos.length + expectedPhotos > 0)
  writer.makeRoom(hasPhotos ? 76 + rowHeight : 60)
  writer.bookmark(title, 1)
  writer.text(title, { size: 14, isBold: true, maxLines: 2 }, 1)
  const print = writer.later()
  const size = 8.5
  writer.y += writer.heightOf(1, size) + 10
  return (checklist: PlannedChecklist) => {
    const { text, color } = checklistCaption(checklist)
    const isBare = !hasPhotos && checklist.expectedFiles > 0
    print(isBare ? `${text} · no photos` : text, { size, color, maxLines: 1 })
  }
}

/** Returns a function that prints the question's count of photos, which is known once they were read. */
function printQuestion(
  writer: PdfWriter,
  { section, question, photos }: PlannedQuestion,
  { isSameSection, rowHeight }: { readonly isSameSection: boolean; readonly rowHeight: number },
) {
  writer.makeRoom((isSameSection ? 30 : 46) + (photos.length > 0 ? rowHeight : 8))
  if (!isSameSection) writer.text(section || 'Section', { size: 8, isBold: true, color: ink.muted, maxLines: 1 }, 3)
  writer.bookmark(question || 'Question', 2)
  const print = writer.later(1)
  writer.text(question || 'Question', { size: 10.5, isBold: true, maxLines: 3, width: areaWidth - 200 }, 5)
  if (photos.length === 0) writer.y += 8
  return ({ gaps, photos: there }: PlannedQuestion) => {
    const gap = gaps.find(({ kind }) => kind === 'photos')
    const count = gap === undefined ? countOf(there.length, 'photo') : capitalized(gapText(gap, 'photo'))
    print(count, { size: 8.5, color: gap === undefined ? ink.muted : ink.bad, align: 'right', maxLines: 1 })
  }
}

function printPhoto(writer: PdfWriter, { file, facts, picture, problem }: PrintedPhoto, name: string, x: number): void {
  const { y } = writer
  writer.panel(x, y, cell)
  if (picture === null) {
    const lines = writer.lines(problem ?? '', { size: 8, width: cell.width - 24, maxLines: 5 })
    const top = y + (cell.height - writer.heightOf(lines.length, 8)) / 2
    writer.textAt(lines, top, { size: 8, x: x + 12, width: cell.width - 24, color: ink.bad })
  } else writer.picture(picture, x, y, cell)
  let below = y + cell.height + 4
  below += writer.textAt(name, below, { ...nameStyle, x })
  below += writer.textAt(timeCaption(facts), below, { ...caption, x, color: ink.muted })
  const proof = `${positionCaption(facts)} · ${file.sha256.slice(0, shownDigits)}`
  writer.textAt(proof, below, { ...caption, x, color: ink.muted })
}
