import type { Gap } from '../../../../shared/domain.ts'
import { capitalized, countOf, countOfTotal, formatBytes, formatCount } from '../../../../shared/format.ts'
import { checklistStatus, gapNouns, gapShort, gapText } from '../../../../shared/status-text.ts'
import { inFolder } from '../../archive/inside-archive.ts'
import { checksumsFileName } from '../../archive/layout.ts'
import { hashChecksums } from '../../checklists/archive-records.ts'
import { errnoCode, notFoundCodes } from '../../lib/fs/disk-error.ts'
import { hashFile } from '../../lib/fs/hash-file.ts'
import { join } from 'node:path'
import { withoutLost } from '../lost-files.ts'
import { cannotRead } from '../open-planned.ts'
import {
  type ExportPlan,
  filesOf,
  type PlannedChecklist,
  type PlannedFile,
  type PlannedProject,
} from '../plan-export.ts'
import type { ExportDeps } from '../exports.ts'
import { checklistCaption, isWaiting, zonedCaption } from './captions.ts'
import { printOverview, type StateLine } from './overview.ts'
import { area, areaWidth, ink, PdfWriter, type TextBox } from './pdf-document.ts'

/** Projects of which the plan has everything, and the file to create. */
export interface CertificateRequest {
  readonly at: string
  readonly projects: readonly PlannedProject[]
  readonly lastVerify: ExportPlan['lastVerify']
  /** Ids of assets that are known to be missing or changed in the archive folder. */
  readonly lost: ReadonlySet<number>
  /** Name of the list of checksums that is handed over with the certificate, as a recipient finds it. */
  readonly listBeside: string
  readonly path: string
  readonly signal: AbortSignal
}

/**
 * Writes a certificate of each project: what is expected and what is archived, question by question, every gap with its
 * reason, and how to check it without Solarchive. Rejects with the reason of the signal, and with errors of the disk;
 * the file is not a valid document then.
 */
export async function writeCertificate(deps: ExportDeps, request: CertificateRequest): Promise<void> {
  const { at, projects, lastVerify, lost, listBeside, path, signal } = request
  const [only, ...others] = projects
  const subject = others.length === 0 && only !== undefined ? only.name : countOf(projects.length, 'project')
  const writer = new PdfWriter(path, { title: `Certificate of completeness - ${subject}`, createdAt: at })
  const facts = { kind: 'CERTIFICATE OF COMPLETENESS', title: subject, details: `Issued ${zonedCaption(at)} (${at})` }
  const found = projects.map((project) => withoutLost(project, lost))
  try {
    const overview = others.length === 0 ? null : printOverview(writer, facts, found)
    for (const [index, project] of projects.entries()) {
      signal.throwIfAborted()
      const lostFiles = project.checklists
        .flatMap((checklist) => [...filesOf(checklist)])
        .filter(({ assetId }) => lost.has(assetId)).length
      const left = found[index] ?? project
      overview?.add(left)
      const checksums = await findChecksums(deps, project)
      printCertificate(writer, left, { at, lastVerify, lostFiles, listBeside, checksums })
    }
    overview?.finish(wholeVerdict(found), (project) => {
      const { title, color } = verdictOf(project)
      return { text: title, color }
    })
    await writer.finish()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

interface IssuedFacts extends Pick<CertificateRequest, 'at' | 'lastVerify' | 'listBeside'> {
  /** SHA-256 of the project's list of checksums, and whether it lists what is archived; null if there is none. */
  readonly checksums: { readonly sha256: string; readonly isCurrent: boolean } | null
  /** Number of the project's files that turned out to be missing or changed. */
  readonly lostFiles: number
}

/** Returns the SHA-256 of a project's list of checksums as it is now. */
async function findChecksums(
  { store, root }: ExportDeps,
  { id, folder }: PlannedProject,
): Promise<IssuedFacts['checksums']> {
  if (folder === null) return null
  const list = await inFolder(root, folder, (inside) => hashFile(join(inside, checksumsFileName))).catch(nullIfMissing)
  if (list === null) return null
  return { sha256: list.sha256, isCurrent: hashChecksums(store, id, folder).sha256 === list.sha256 }
}

function nullIfMissing(error: unknown): null {
  if (notFoundCodes.has(errnoCode(error) ?? '')) return null
  throw cannotRead(error, checksumsFileName)
}

/** Returns whether everything that the service has of a project is archived. */
function isComplete({ isSynced, checklists }: PlannedProject): boolean {
  return isSynced && checklists.length > 0 && checklists.every(({ complete }) => complete)
}

function wholeVerdict(projects: readonly PlannedProject[]): StateLine {
  const complete = projects.filter(isComplete).length
  if (complete === projects.length) return { text: `Complete: all ${countOf(complete, 'project')}`, color: ink.good }
  const isOnlyWaiting = projects.every((project) => isComplete(project) || verdictOf(project).color === ink.muted)
  const color = isOnlyWaiting ? ink.muted : ink.bad
  return { text: `Not complete: ${countOfTotal(complete, projects.length, 'project')} complete`, color }
}

function printCertificate(writer: PdfWriter, project: PlannedProject, facts: IssuedFacts): void {
  const { checklists } = project
  writer.subject = project.name
  writer.addPage()
  writer.bookmark(project.name, 0)
  writer.text('CERTIFICATE OF COMPLETENESS', { size: 8, isBold: true, color: ink.muted }, 6)
  writer.text(project.name, { size: 20, isBold: true }, 2)
  if (project.address !== null) writer.text(project.address, { size: 10.5, color: ink.muted, maxLines: 2 }, 2)
  writer.y += 10
  printVerdict(writer, project)
  printFacts(writer, factRows(project, facts))
  printProof(writer, facts)
  const withGaps = checklists.filter(({ gaps }) => gaps.length > 0)
  if (withGaps.length > 0) printGaps(writer, withGaps)
  if (checklists.length > 0) {
    printHeading(writer, 'Every question: expected and archived')
    for (const checklist of checklists) printLedger(writer, checklist)
  }
}

function printVerdict(writer: PdfWriter, project: PlannedProject): void {
  const { title, detail, color, panel } = verdictOf(project)
  const lines = writer.lines(detail, { size: 9.5, width: areaWidth - 32, maxLines: 5 })
  const height = 24 + writer.heightOf(1, 13) + 3 + writer.heightOf(lines.length, 9.5)
  writer.panel(area.left, writer.y, { width: areaWidth, height }, panel)
  writer.panel(area.left, writer.y, { width: 4, height }, color)
  const inside = { x: area.left + 18, width: areaWidth - 32 }
  writer.y += 12
  writer.text(title, { ...inside, size: 13, isBold: true, color, maxLines: 1 }, 3)
  writer.text(lines, { ...inside, size: 9.5 })
  writer.y += 12 + 16
}

function verdictOf(project: PlannedProject) {
  const { checklists, isSynced } = project
  const expected = sum(checklists, ({ expectedFiles }) => expectedFiles)
  const missing = expected - sum(checklists, ({ archivedFiles }) => archivedFiles)
  if (isComplete(project)) {
    const all = expected === 1 ? 'the one expected file is' : `all ${countOf(expected, 'expected file')} are`
    const detail =
      'Every report, photo, and thumbnail that the service listed for this project is in the archive, with a SHA-256.'
    return { title: `Complete: ${all} in the archive`, detail, color: ink.good, panel: ink.goodPanel }
  }
  const isOnlyWaiting =
    isSynced &&
    missing === 0 &&
    checklists.length > 0 &&
    checklists.every((checklist) => checklist.complete || isWaiting(checklist))
  const reasons = [
    ...(checklists.length === 0 ? ['The service has listed no checklist of this project so far.'] : []),
    ...(isSynced
      ? []
      : ['Solarchive could not read the whole project from the service: it may have more than is listed here.']),
    ...unfinishedReason(checklists),
    ...(isOnlyWaiting ? ['Everything that the service has so far is in the archive.'] : []),
    ...(checklists.some(({ gaps }) => gaps.length > 0) ? ['Every gap is listed below, with the reason.'] : []),
  ]
  const are = missing === 1 ? 'is' : 'are'
  const files = `${formatCount(missing)} of ${countOf(expected, 'expected file')} ${are} missing`
  const reason = missing > 0 ? `: ${files}` : isOnlyWaiting ? ': in progress at the service' : ''
  const colors = isOnlyWaiting ? { color: ink.muted, panel: ink.panel } : { color: ink.bad, panel: ink.badPanel }
  return { title: `Not complete${reason}`, detail: reasons.join(' '), ...colors }
}

/** Checklists that a verdict names. */
const namedChecklists = 6

/** Returns which checklists the service has not completed. */
function unfinishedReason(checklists: readonly PlannedChecklist[]): string[] {
  const unfinished = checklists.filter(({ status }) => status !== 'completed')
  if (unfinished.length === 0) return []
  const names = unfinished.slice(0, namedChecklists).map(({ title, status }) => `${title} (${checklistStatus(status)})`)
  const are = unfinished.length === 1 ? 'is' : 'are'
  const more = unfinished.length > names.length ? ', and others' : ''
  const all = countOfTotal(unfinished.length, checklists.length, 'checklist')
  return [`${all} ${are} not finished at the service: ${names.join(', ')}${more}.`]
}

function factRows(project: PlannedProject, { at, lostFiles, lastVerify }: IssuedFacts): [string, string][] {
  const { checklists, comparedAt } = project
  const files = checklists.flatMap((checklist) => [...filesOf(checklist)])
  const questions = checklists.flatMap((checklist) => checklist.questions)
  const photos = countOfTotal(
    sum(questions, (question) => question.photos.length),
    sum(questions, ({ expectedPhotos }) => expectedPhotos),
    'photo',
  )
  const reports = checklists.filter(({ report }) => report !== null).length
  const complete = checklists.filter((checklist) => checklist.complete).length
  const all = countOfTotal(
    sum(checklists, ({ archivedFiles }) => archivedFiles),
    sum(checklists, ({ expectedFiles }) => expectedFiles),
    'file',
  )
  const found = `${countOf(lostFiles, 'file')} missing or changed on the disk`
  const lost: [string, string][] = lostFiles === 0 ? [] : [['Found when issued', found]]
  return [
    ['Checklists', `${countOfTotal(complete, checklists.length, 'checklist')} complete`],
    [
      'Files',
      `${all} archived (photos, thumbnails, reports), ${formatBytes(sum(files, ({ sizeBytes }) => sizeBytes))}`,
    ],
    ['Photos', `${photos} archived`],
    ['Reports', `${countOf(reports, 'report')} archived`],
    ['Compared with the service', comparedAt === null ? 'Never' : zonedCaption(comparedAt)],
    ['Archive last verified', verifyCaption(lastVerify, files, at)],
    ...lost,
    ['Issued', `${zonedCaption(at)} (${at})`],
    ['Project ID', project.id],
  ]
}

/**
 * Returns when the archive was last verified, what that found, and how many of a project's files it may not have read.
 * If it ended after `at`, the time of the certificate, the clock was set back since, and times say nothing about that.
 */
function verifyCaption(lastVerify: IssuedFacts['lastVerify'], files: readonly PlannedFile[], at: string): string {
  if (lastVerify === null) return 'Never'
  const caption = `${zonedCaption(lastVerify.endedAt)}: ${verifyResult(lastVerify)}`
  if (Date.parse(lastVerify.endedAt) > Date.parse(at))
    return `${caption}; the clock was set back since, so this project's files may have been archived later`
  // A file that was archived during it may be of a project that it had already read.
  const sinceMs = Date.parse(lastVerify.startedAt ?? lastVerify.endedAt)
  const later = files.filter(({ archivedAt }) => archivedAt !== null && Date.parse(archivedAt) > sinceMs).length
  if (later > 0 && later === files.length) return 'Not since these files were archived'
  const were = later === 1 ? 'was' : 'were'
  const since = later === 0 ? '' : `; ${formatCount(later)} of this project's files ${were} archived since it began`
  return `${caption}${since}`
}

/** Returns what a verify found, which covers the whole archive: what is missing or changed was not repaired. */
function verifyResult({ checked, missing, changed, repaired }: NonNullable<IssuedFacts['lastVerify']>): string {
  const again = repaired === 0 ? [] : [`${formatCount(repaired)} found missing or changed and downloaded again`]
  const now = repaired === 0 ? '' : ' now'
  const left =
    missing + changed === 0
      ? 'none missing or changed'
      : `${formatCount(missing)} missing, ${formatCount(changed)} changed`
  return [`${countOf(checked, 'file')} read`, ...again, left + now].join(', ')
}

function printFacts(writer: PdfWriter, rows: readonly [string, string][]): void {
  const label = { size: 9, color: ink.muted, width: 150, maxLines: 1 }
  const value = { size: 9, x: area.left + 160, width: areaWidth - 160, maxLines: 3 }
  for (const [name, text] of rows) {
    writer.makeRoom(18)
    writer.textAt(name, writer.y, label)
    writer.text(text, value, 4)
    writer.rule(writer.y, { color: ink.faintLine })
    writer.y += 4
  }
  writer.y += 12
}

const notProven = [
  'Who took a photo, and that it shows what its question asks for.',
  'That the time and location in a photo are right: they come from the camera or the service.',
  'That the service listed everything that was ever taken, or that nothing was changed before it was archived.',
  'When the files were archived: only a time stamp of an independent authority over the archive proves that.',
]

function printProof(writer: PdfWriter, { checksums, listBeside }: IssuedFacts): void {
  writer.makeRoom(170)
  printHeading(writer, 'How to check it')
  const text = { size: 9, maxLines: 6 }
  const beside =
    `What was handed over with this certificate is listed in ${listBeside}: "sha256sum -c" with that list reads all ` +
    'of it and compares it.'
  writer.text(beside, text, 5)
  if (checksums === null) {
    writer.text(`The archive has no ${checksumsFileName} of this project yet: the next sync writes it.`, text, 10)
  } else if (!checksums.isCurrent) {
    const other =
      `The archive's ${checksumsFileName} of this project does not list what is archived: it is not up to date, or ` +
      'somebody changed it. Have the archive synced and verified, and issue the certificate again.'
    writer.text(other, text, 10)
  } else {
    const about =
      "This certificate is about the archive, in which the project's folder has a list of its own with the SHA-256 " +
      `of every file: the archive's ${checksumsFileName}, not a file handed over with this certificate. When it was ` +
      'written, that list had the SHA-256:'
    writer.text(about, text, 5)
    writer.panel(area.left, writer.y, { width: areaWidth, height: 22 })
    writer.textAt(checksums.sha256, writer.y + 5, { size: 9, x: area.left + 10, isBold: true, maxLines: 1 })
    writer.y += 28
    const owner =
      `The owner of the archive proves it in that folder: "sha256sum ${checksumsFileName}" prints these digits, and ` +
      `"sha256sum -c ${checksumsFileName}" compares every file with the list. A sync that archives more changes the ` +
      'list; the archive keeps the copy that each time stamp was made of, in its folder .evidence.'
    writer.text(owner, text, 10)
  }
  printHeading(writer, 'What this certificate does not prove')
  for (const line of notProven) {
    const lines = writer.lines(line, { ...text, width: areaWidth - 12 })
    writer.makeRoom(writer.heightOf(lines.length, text.size))
    writer.textAt('•', writer.y, text)
    writer.text(lines, { ...text, x: area.left + 12, width: areaWidth - 12 }, 2)
  }
  writer.y += 14
}

function printHeading(writer: PdfWriter, title: string): void {
  writer.makeRoom(70)
  writer.bookmark(title, 1)
  writer.text(title, { size: 12, isBold: true, maxLines: 1 }, 6)
}

function printGaps(writer: PdfWriter, checklists: readonly PlannedChecklist[]): void {
  const gaps = checklists.flatMap((checklist) => checklist.gaps)
  printHeading(writer, gaps.length === 1 ? 'The gap' : `All ${formatCount(gaps.length)} gaps`)
  for (const checklist of checklists) {
    writer.makeRoom(50)
    writer.text(checklist.title, { size: 9.5, isBold: true, maxLines: 1 }, 3)
    for (const gap of checklist.gaps) {
      const question = { size: 9, width: areaWidth * 0.45, maxLines: 2 }
      const lines = writer.lines(gap.question || 'Question', question)
      const reason = { size: 9, x: area.left + areaWidth * 0.48, width: areaWidth * 0.52, color: ink.bad, maxLines: 2 }
      const reasons = writer.lines(capitalized(gapText(gap, gapNouns[gap.kind])), reason)
      const height = writer.heightOf(Math.max(lines.length, reasons.length), 9)
      writer.makeRoom(height + 2)
      writer.textAt(lines, writer.y, question)
      writer.textAt(reasons, writer.y, reason)
      writer.y += height + 2
    }
    writer.y += 8
  }
  writer.y += 6
}

/** Columns of the ledger. */
const questionWidth = areaWidth - 62 - 62 - 150
const expectedColumn = { x: area.left + questionWidth, width: 50, align: 'right' } as const
const archivedColumn = { ...expectedColumn, x: expectedColumn.x + 62 }
const stateColumn = { x: archivedColumn.x + 62, width: 150 }

function printLedger(writer: PdfWriter, checklist: PlannedChecklist): void {
  writer.makeRoom(80)
  writer.bookmark(checklist.title, 2)
  writer.text(checklist.title, { size: 10.5, isBold: true, maxLines: 2 }, 1)
  const { text, color } = checklistCaption(checklist)
  writer.text(text, { size: 8.5, color, maxLines: 1 }, 5)
  const rows = ledgerRows(checklist)
  if (rows.length > 0) printHead(writer)
  for (const row of rows) printRow(writer, row)
  writer.y += 16
}

interface LedgerRow {
  readonly name: string
  readonly expected: number
  readonly archived: number
  readonly gap: Gap | undefined
}

function ledgerRows({ report, gaps, questions }: PlannedChecklist): LedgerRow[] {
  const rows: LedgerRow[] = []
  const reportGap = gaps.find(({ kind }) => kind === 'report')
  if (report !== null || reportGap !== undefined) {
    const archived = report === null ? 0 : 1
    rows.push({ name: 'Report (PDF)', expected: reportGap?.expected ?? 1, archived, gap: reportGap })
  }
  for (const { section, question, expectedPhotos, photos, gaps: own } of questions) {
    const gap = own.find(({ kind }) => kind === 'photos') ?? own[0]
    if (expectedPhotos === 0 && photos.length === 0 && gap === undefined) continue
    const name = [section, question].filter(Boolean).join(' › ') || 'Question'
    rows.push({ name, expected: expectedPhotos, archived: photos.length, gap })
  }
  const whole = gaps.find(({ kind }) => kind === 'checklist')
  if (whole !== undefined) rows.push({ ...whole, name: 'The whole checklist', gap: whole })
  return rows
}

function printHead(writer: PdfWriter): void {
  const head: TextBox = { size: 7.5, isBold: true, color: ink.muted, maxLines: 1 }
  writer.textAt('Section › question', writer.y, { ...head, width: questionWidth })
  writer.textAt('Expected', writer.y, { ...head, ...expectedColumn })
  writer.textAt('Archived', writer.y, { ...head, ...archivedColumn })
  writer.text('Result', { ...head, ...stateColumn }, 3)
  writer.rule(writer.y)
  writer.y += 4
}

function printRow(writer: PdfWriter, { name, expected, archived, gap }: LedgerRow): void {
  const style = { size: 8.5 }
  const lines = writer.lines(name, { ...style, width: questionWidth - 10, maxLines: 2 })
  const state = { ...style, ...stateColumn, maxLines: 2, color: gap === undefined ? ink.good : ink.bad }
  const states = writer.lines(gap === undefined ? 'Complete' : capitalized(gapShort(gap.reason)), state)
  const height = writer.heightOf(Math.max(lines.length, states.length), style.size)
  if (writer.makeRoom(height + 8)) printHead(writer)
  writer.textAt(lines, writer.y, style)
  writer.textAt(formatCount(expected), writer.y, { ...style, isTabular: true, ...expectedColumn })
  writer.textAt(formatCount(archived), writer.y, { ...style, isTabular: true, ...archivedColumn })
  writer.textAt(states, writer.y, state)
  writer.y += height + 3
  writer.rule(writer.y, { color: ink.faintLine })
  writer.y += 4
}

const sum = <T>(items: readonly T[], count: (item: T) => number) =>
  items.reduce((total, item) => total + count(item), 0)
