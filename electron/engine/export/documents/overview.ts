import type { PlannedProject } from '../plan-export.ts'
import { area, areaWidth, ink, type PdfWriter, type TextBox } from './pdf-document.ts'

/** State of a document or of one of its projects, in a line. */
export interface StateLine {
  readonly text: string
  readonly color: string
}

export interface OverviewFacts {
  /** Kind of the document, in capitals. */
  readonly kind: string
  /** "3 projects". */
  readonly title: string
  /** Facts below the title. */
  readonly details: string
}

/** An overview whose states are printed once they are known. */
export interface Overview {
  /** Notes that a project begins on the next page. */
  add(project: PlannedProject): void
  /** Prints the state of the whole, and of each project. */
  finish(verdict: StateLine, stateOf: (project: PlannedProject) => StateLine): void
}

/** Columns from the right. */
const columns = { state: 250, page: 40 }
const nameWidth = areaWidth - columns.state - columns.page
const head = { size: 7.5, isBold: true, color: ink.muted, maxLines: 1 } satisfies TextBox
const [nameSize, addressSize, stateSize] = [9.5, 8, 8.5]

/** Prints the first pages of a document of several projects: one line for each, with its state and its page. */
export function printOverview(
  writer: PdfWriter,
  { kind, title, details }: OverviewFacts,
  projects: readonly PlannedProject[],
): Overview {
  writer.subject = title
  writer.addPage()
  writer.bookmark('Overview', 0)
  writer.text(kind, { size: 8, isBold: true, color: ink.muted }, 6)
  writer.text(title, { size: 20, isBold: true, maxLines: 1 }, 2)
  writer.text(details, { size: 9, color: ink.muted, maxLines: 2 }, 14)
  const printVerdict = writer.later()
  writer.y += writer.heightOf(1, 13) + 16
  printHead(writer)
  const rows = new Map(projects.map((project) => [project, printRow(writer, project)]))
  const pages = new Map<PlannedProject, number>()
  return {
    add: (project) => void pages.set(project, writer.page + 1),
    finish(verdict, stateOf) {
      printVerdict(verdict.text, { size: 13, isBold: true, color: verdict.color, maxLines: 1 })
      for (const [project, print] of rows) {
        const { text, color } = stateOf(project)
        const state = { x: area.left + nameWidth, width: columns.state - 10, maxLines: 1 }
        print(text, { ...state, size: stateSize, color })
        const page = { size: stateSize, isTabular: true, align: 'right', maxLines: 1 } as const
        print(String(pages.get(project) ?? ''), page)
      }
    },
  }
}

function printHead(writer: PdfWriter): void {
  writer.textAt('Project', writer.y, head)
  writer.textAt('State', writer.y, { ...head, x: area.left + nameWidth })
  writer.text('Page', { ...head, align: 'right' }, 3)
  writer.rule(writer.y)
  writer.y += 4
}

/** Returns a function that prints beside the name. */
function printRow(writer: PdfWriter, { name, address }: PlannedProject): (text: string, box: TextBox) => void {
  if (writer.makeRoom(writer.heightOf(1, nameSize) + writer.heightOf(1, addressSize) + 10)) printHead(writer)
  const box = { width: nameWidth - 12, maxLines: 1 }
  const print = writer.later(1)
  writer.text(name, { ...box, size: nameSize, isBold: true })
  if (address !== null) writer.text(address, { ...box, size: addressSize, color: ink.muted })
  writer.y += 3
  writer.rule(writer.y, { color: ink.faintLine })
  writer.y += 4
  return print
}
