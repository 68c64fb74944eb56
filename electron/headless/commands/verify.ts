import { verifyReportSchema } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import { countOf, formatCount } from '../../../shared/format.ts'
import { plainText } from '../../app/log/plain-text.ts'
import { adviceAfter } from '../../app/token/token-reader.ts'
import type { VerifyAccess } from '../../app/archive-access.ts'
import type { VerifyResult } from '../../engine/engine.ts'
import { quarantinedName } from '../../engine/archive/layout.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import { exitCodeOfVerify } from '../exit-code-of-report.ts'
import type { Outcome, Painter } from '../output/console-output.ts'
import { describeNothingToVerify } from '../output/describe-folders.ts'
import { listSome } from '../output/gaps.ts'
import { createLinePainter, verifyProgressParts } from '../output/progress.ts'
import type { Session } from '../session.ts'

export interface VerifyFlags {
  readonly repair?: boolean
}

/** `verify [ID...] [--repair]`. Throws `wrong-usage` if there are neither projects nor archived files. */
export async function verifyCommand(
  session: Session<VerifyAccess>,
  projectIds: readonly string[],
  { repair = false }: VerifyFlags,
): Promise<Outcome> {
  const { engine, settings, output, log, tokenAdvice, signal } = session
  const painter = createLinePainter(output, systemClock)
  try {
    const result = await engine.verify({
      projectIds,
      signal,
      repair,
      onProgress: (now) => painter.show(verifyProgressParts(now), now.filesDone / Math.max(1, now.filesTotal)),
    })
    const { checked, alreadyRead, missing, changed, unexpected, repaired, failures } = result
    if (checked === 0 && engine.projects.list().length === 0) {
      throw new AppError('wrong-usage', describeNothingToVerify(settings))
    }
    log.info('The archive was verified', {
      checked,
      alreadyRead,
      missing: missing.length,
      changed: changed.length,
      unexpected: unexpected.length,
      repaired,
    })
    return {
      exitCode: exitCodeOfVerify(result, failures),
      // The public document has the report's fields only.
      document: verifyReportSchema.parse(result),
      summary: describeVerify(result, settings.archiveFolder, output.paint),
      problems: [
        // The document has all but the reasons.
        ...(output.isJson ? describeFailures : describeVerifyProblems)(result, output.paint),
        ...adviceAfter(failures, tokenAdvice),
      ],
    }
  } finally {
    painter.end()
  }
}

/** Listed paths of a kind: with the heading and the line that counts the others, ten lines. */
const listedPaths = 8

/**
 * Names under which changed files are kept; see `quarantined` in the engine's verify result. The number of another copy
 * of the day cuts the date of a long name.
 */
const keptName = / \(edited (?:\d{4}-\d\d-\d\d\)|[\d-]{1,10}(?= \(\d))(?: \(\d+\))?(?<extension>\.[^./]*)?$/

const adviceOnKept = [
  '  These were changed by somebody or by a disk fault; the original has its name again. None of them is under ' +
    '.versions/.',
  '  Review them, and move or delete those you do not need: Solarchive never touches them, and lists them until then.',
]

const adviceOnLastCopies = ['  Each may be the last copy of its photo or report: keep it until the original is back.']

/** Returns the result of a verify, in a few lines. */
export function describeVerify(result: VerifyResult, archiveFolder: string, paint: Painter): string[] {
  const { checked, ok, missing, changed, repaired, renamed } = result
  const stillRenamed = renamed.filter(({ restored }) => !restored).length
  if (checked + missing.length === 0) return ['Nothing is archived yet.', `Archive: ${plainText(archiveFolder)}`]
  const verdict =
    missing.length + changed.length + stillRenamed === 0
      ? paint.good(
          `${countOf(checked, 'file')} checked, ` +
            (repaired === 0
              ? 'nothing is missing or changed.'
              : `${formatCount(repaired)} of them repaired: nothing is missing or changed now.`),
        )
      : paint.bad(
          `${countOf(checked, 'file')} checked: ${formatCount(ok - repaired)} unchanged, ` +
            `${formatCount(missing.length)} missing, ${formatCount(changed.length)} changed` +
            `${stillRenamed === 0 ? '' : `, ${countOf(stillRenamed, 'folder')} renamed`}` +
            `${repaired === 0 ? '' : `, ${formatCount(repaired)} repaired`}.`,
        )
  return [verdict, ...describeResumption(result), `Archive: ${plainText(archiveFolder)}`]
}

function describeResumption({ resumedFrom, alreadyRead }: VerifyResult): string[] {
  if (resumedFrom === null) return []
  const resumed = `Resumed the verification that started at ${resumedFrom} and was stopped`
  if (alreadyRead === 0) return [`${resumed} before it had read a file.`]
  const files = `${countOf(alreadyRead, 'file')} had been read`
  return [
    `${resumed}: ${files}, and only ${alreadyRead === 1 ? 'its name and size' : 'their names and sizes'} were ` +
      'checked now.',
  ]
}

/** Returns the missing and changed files, the failures, and the files that Solarchive did not put there. */
export function describeVerifyProblems(result: VerifyResult, paint: Painter): string[] {
  const kept = new Set([...result.quarantined, ...result.unexpected.filter((path) => keptName.test(path))])
  const originals = new Set([...result.missing, ...result.changed].map((path) => withoutDate(keptPath(path))))
  const keptFiles = Map.groupBy([...kept].sort(), (path) => originals.has(withoutDate(path)))
  const lastCopies = keptFiles.get(true) ?? []
  const spare = keptFiles.get(false) ?? []
  return [
    ...describeRenamed(result, paint),
    ...section(paint.bad('Missing:'), result.missing),
    ...section(paint.bad('Changed:'), result.changed),
    ...adviceOnDamage(result),
    ...describeFailures(result, paint),
    ...section(paint.bad('Changed files whose originals are missing or changed:'), lastCopies),
    ...(lastCopies.length === 0 ? [] : adviceOnLastCopies),
    ...section(paint.waiting('Changed files, kept beside the originals:'), spare),
    ...(spare.length === 0 ? [] : adviceOnKept),
    ...section(
      paint.waiting('Not put there by Solarchive, left untouched:'),
      result.unexpected.filter((path) => !kept.has(path)).map(withKind),
    ),
  ]
}

/** Returns the path under which a file is kept if it is changed. All dates have the same length. */
function keptPath(path: string): string {
  const nameAt = path.lastIndexOf('/') + 1
  return path.slice(0, nameAt) + quarantinedName(path.slice(nameAt), '0000-00-00')
}

/** Returns the path of a kept file without its date and number: the original's, which is cut if it is long. */
function withoutDate(path: string): string {
  return path.replace(keptName, '$<extension>').normalize('NFC')
}

/** Of a repair that left something, the failures say why. */
function adviceOnDamage({ missing, changed, failures }: VerifyResult): string[] {
  if (missing.length + changed.length === 0 || failures.length > 0) return []
  return ['  "verify --repair" downloads them again, and keeps changed files beside the originals.']
}

/** Only whole folders are directly in the archive folder; see `findForeignFolders`. */
const withKind = (path: string) => (path.includes('/') ? path : `${path} (folder)`)

/** Returns the renamed folders, and whether they have their names back. */
function describeRenamed({ renamed }: VerifyResult, paint: Painter): string[] {
  const left = renamed.filter(({ restored }) => !restored)
  const restored = renamed.filter((folder) => folder.restored)
  const advice =
    '  Their files were read there. "verify --repair" restores their names without downloading anything again.'
  return [
    ...describeRestored(restored, paint),
    ...section(paint.bad('Renamed folders:'), left.map(renaming)),
    ...(left.length === 0 ? [] : [advice]),
  ]
}

/** Returns the renamed folders that have their names back. */
export function describeRestored(folders: readonly Renaming[], paint: Painter): string[] {
  return section(paint.waiting('Renamed folders that have their names back:'), folders.map(renaming))
}

type Renaming = Pick<VerifyResult['renamed'][number], 'from' | 'to'>

function renaming({ from, to }: Renaming): string {
  return `${to}: renamed from ${from}`
}

/** Returns each reason once, with its file or the number of its files. */
function describeFailures({ failures }: VerifyResult, paint: Painter): string[] {
  const reasons = [...Map.groupBy(failures, ({ message }) => message)]
  return section(
    paint.bad('Not repaired:'),
    reasons.map(([message, concerned]) => {
      const [first] = concerned
      const what = concerned.length === 1 && first !== undefined ? first.path : countOf(concerned.length, 'file')
      return `${what}: ${message}`
    }),
  )
}

function section(heading: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  return [heading, ...listSome(lines.map(plainText), listedPaths, '--json lists all').map((line) => `  ${line}`)]
}
