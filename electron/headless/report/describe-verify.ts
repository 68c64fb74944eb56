import type { VerifyReport } from '../../../shared/domain.ts'
import { countOf, formatCount } from '../format/count-of.ts'
import type { Painter } from '../output/painter.ts'
import { plainText } from '../format/plain-text.ts'
import { listSome } from './list-some.ts'

/** Paths are listed up to this many of a kind; `--json` has them all. */
const listedPaths = 50

/** What re-hashing found, in one line. */
export function describeVerify(report: VerifyReport, archiveFolder: string, paint: Painter): string[] {
  const { checked, ok, missing, changed } = report
  if (checked + missing.length === 0) return ['Nothing is archived yet.', `Archive: ${plainText(archiveFolder)}`]
  const verdict =
    missing.length + changed.length === 0
      ? paint.good(`${countOf(checked, 'file')} checked, nothing is missing and nothing has changed.`)
      : paint.bad(
          `${countOf(checked, 'file')} checked: ${formatCount(ok)} unchanged, ${formatCount(missing.length)} missing, ` +
            `${formatCount(changed.length)} changed.`,
        )
  return [verdict, `Archive: ${plainText(archiveFolder)}`]
}

/** The files that are not as they were archived, and those that Solarchive did not put there. */
export function describeVerifyProblems(report: VerifyReport, paint: Painter): string[] {
  return [
    ...section(paint.bad('Missing:'), report.missing),
    ...section(paint.bad('Changed:'), report.changed),
    ...section(paint.waiting('Not put there by Solarchive, and left alone:'), report.unexpected),
  ]
}

function section(heading: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return []
  return [heading, ...listSome(paths.map(plainText), listedPaths, '--json lists all').map((path) => `  ${path}`)]
}
