import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { exitCodes } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { copiedParts, type ExportFormat, type ExportPart, exportParts } from '../../../shared/export-parts.ts'
import {
  type ExportGap,
  exportOptionsSchema,
  type ExportOutline,
  type ExportProgress,
  type ExportResult,
  type ExportSelection,
  namesTemplateSchema,
} from '../../../shared/export.ts'
import { countOf, countOfTotal, formatBytes, formatCount, formatTimeLeft } from '../../../shared/format.ts'
import { emptyProjectsText, unfinishedText } from '../../../shared/status-text.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { ArchiveReader } from '../../engine/engine.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import { readChoices, readText } from '../flags.ts'
import type { Outcome } from '../output/console-output.ts'
import { describeGap, listSome } from '../output/gaps.ts'
import { createLinePainter } from '../output/progress.ts'
import type { Session } from '../session.ts'

export interface ExportFlags {
  readonly to: string
  readonly format?: ExportFormat
  readonly include?: string
  readonly names?: string
  readonly onlyComplete?: boolean
  readonly search?: string
}

/** `export [ID...] --to PATH [--format F] [--include PARTS] [--names TEMPLATE] [--only-complete] [--search QUERY]` */
export async function exportCommand(
  { engine, output, signal, owner, onArchiveRead }: Session<ArchiveReader>,
  ids: readonly string[],
  flags: ExportFlags,
  currentFolder: string,
): Promise<Outcome> {
  const selection = selectionOf(ids, flags.search)
  const { format, names, onlyComplete } = flags
  const to = resolve(currentFolder, flags.to)
  const options = exportOptionsSchema.parse({
    // What people name a zip, they want as one; a folder with such a name stays a folder.
    ...(format !== undefined ? { format } : endsLikeZip(flags.to) && !existsSync(to) && { format: 'zip' }),
    ...(flags.include !== undefined && { include: readChoices(flags.include, exportParts, 'part') }),
    ...(names !== undefined && { names: readText(namesTemplateSchema, names, '--names') }),
    ...(onlyComplete !== undefined && { onlyComplete }),
  })
  if (flags.to.trim() === '') throw new AppError('wrong-usage', 'Specify a path with --to.')
  if (selection.kind === 'search' && owner === undefined && engine.search({ query: '', limit: 1 }).isIndexing)
    output.note('Indexing the archive for the search. This may take a minute, and is done once.')
  const painter = createLinePainter(output, systemClock)
  let outline: ExportOutline | undefined
  try {
    const result = await engine.exports.write({
      selection,
      options,
      to,
      signal,
      onPlanned: (planned) => (outline = planned),
      onProgress: (now) => painter.show(...progressLine(now)),
      onRead: onArchiveRead,
    })
    return {
      exitCode: result.gaps.length > 0 ? exitCodes.incomplete : exitCodes.done,
      document: result,
      summary: describeResult(result, options.include, outline),
      problems: output.isJson ? [] : describeMissing(result.gaps),
    }
  } finally {
    painter.end()
  }
}

const endsLikeZip = (path: string) => /\.zip$/i.test(path)

function selectionOf(ids: readonly string[], query: string | undefined): ExportSelection {
  if (query === undefined) return ids.length === 0 ? { kind: 'everything' } : { kind: 'ids', ids: [...ids] }
  if (ids.length > 0) throw new AppError('wrong-usage', 'Use either IDs or --search, not both.')
  if (query.trim() === '') throw new AppError('wrong-usage', 'Enter a search query.')
  return { kind: 'search', query: { query, limit: 1 } }
}

/** Returns the parts of an export's progress line, and the share that is done. */
function progressLine(progress: ExportProgress): [parts: string[], fraction: number] {
  const { phase, filesDone, filesTotal, bytesDone, bytesTotal, leftMs } = progress
  const timeLeft = leftMs === null ? [] : [formatTimeLeft(leftMs)]
  const bytesShare = bytesDone / Math.max(1, bytesTotal)
  switch (phase) {
    case 'contact-sheet': {
      const photos = `Contact sheet: ${countOfTotal(filesDone, filesTotal, 'photo')}`
      return [[photos, ...timeLeft], filesDone / Math.max(1, filesTotal)]
    }
    case 'finishing':
      return [['Finishing the export'], bytesShare]
    case 'copying': {
      const files = `${countOfTotal(filesDone, filesTotal, 'file')} exported`
      return [[files, `${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`, ...timeLeft], bytesShare]
    }
  }
}

function describeResult(
  { path, projects, checklists, files, sizeBytes, leftOut }: ExportResult,
  include: readonly ExportPart[],
  outline: ExportOutline | undefined,
): string[] {
  const hasCopies = include.some((part) => copiedParts.includes(part))
  const what = hasCopies ? `${countOf(files, 'file')} (${formatBytes(sizeBytes)})` : include.join(', ')
  const { unfinished = 0, emptyProjects = 0 } = outline ?? {}
  return [
    `Exported ${what} of ${countOf(checklists, 'checklist')} in ${countOf(projects, 'project')}.`,
    ...(leftOut > 0
      ? [`Left out: ${countOf(leftOut, 'checklist')} that ${leftOut === 1 ? 'is' : 'are'} not complete.`]
      : []),
    ...(emptyProjects > 0 ? [`Left out: ${emptyProjectsText(emptyProjects)}.`] : []),
    ...(unfinished > 0 ? [`${unfinishedText(unfinished)}.`] : []),
    `Export: ${plainText(path)}`,
  ]
}

/** Listed gaps: with the heading and the line that counts the others, ten lines. */
const listedGaps = 8

function describeMissing(gaps: readonly ExportGap[]): string[] {
  if (gaps.length === 0) return []
  const lines = gaps.map((gap) => {
    const trail = [gap.projectName, ...(gap.checklistTitle === null ? [] : [gap.checklistTitle])].map(plainText)
    return `  ${trail.join(' / ')}, ${describeGap(gap)}`
  })
  return [`Missing in the export (${formatCount(gaps.length)}):`, ...listSome(lines, listedGaps, '--json lists all')]
}
