import { verifyReportSchema } from '../../../shared/domain.ts'
import { countOf, formatCount } from '../../../shared/format.ts'
import { plainText } from '../../app/log/plain-text.ts'
import { adviceAfter } from '../../app/token/token-source.ts'
import type { VerifyResult } from '../../engine/engine.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import { exitCodeOfVerify } from '../exit-codes.ts'
import type { Outcome, Painter } from '../output/console-output.ts'
import { listSome } from '../output/gaps.ts'
import { followVerify } from '../output/progress.ts'
import type { Session } from '../session.ts'

export interface VerifyFlags {
  readonly repair?: boolean
}

/** `verify [--repair]` */
export async function verifyCommand(session: Session, { repair = false }: VerifyFlags): Promise<Outcome> {
  const { engine, settings, output, log, tokenAdvice, signal } = session
  const stopFollowing = followVerify(engine.events, output, systemClock)
  try {
    const result = await engine.verify({ signal, repair })
    const { checked, alreadyRead, missing, changed, unexpected, repaired, failures } = result
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
      // The public document has the report's fields and no more.
      document: verifyReportSchema.parse(result),
      summary: describeVerify(result, settings.archiveFolder, output.paint),
      problems: [...describeVerifyProblems(result, output.paint), ...adviceAfter(failures, tokenAdvice)],
    }
  } finally {
    stopFollowing()
  }
}

/** Paths are listed up to this many of a kind; `--json` has them all. */
const listedPaths = 50

/** The names that changed files are kept under, see `setAside` of the engine. */
const keptAside = / \(edited \d{4}-\d\d-\d\d\)(?: \(\d+\))?(?:\.[^./]*)?$/

const adviceOnKept = [
  '  Somebody, or a fault of the disk, changed these, and the original has its name again; under .versions/ there is none.',
  '  Look at them and move or delete what you do not need: Solarchive never touches them, and lists them until then.',
]

/** What re-hashing found, in a line or a few. */
export function describeVerify(result: VerifyResult, archiveFolder: string, paint: Painter): string[] {
  const { checked, ok, missing, changed, repaired } = result
  if (checked + missing.length === 0) return ['Nothing is archived yet.', `Archive: ${plainText(archiveFolder)}`]
  const verdict =
    missing.length + changed.length === 0
      ? paint.good(
          `${countOf(checked, 'file')} checked, ` +
            (repaired === 0
              ? 'nothing is missing and nothing has changed.'
              : `${formatCount(repaired)} of them repaired: nothing is missing and nothing is changed any more.`),
        )
      : paint.bad(
          `${countOf(checked, 'file')} checked: ${formatCount(ok - repaired)} unchanged, ${formatCount(missing.length)} missing, ` +
            `${formatCount(changed.length)} changed${repaired === 0 ? '' : `, ${formatCount(repaired)} repaired`}.`,
        )
  return [verdict, ...describeResumption(result), `Archive: ${plainText(archiveFolder)}`]
}

function describeResumption({ resumedFrom, alreadyRead }: VerifyResult): string[] {
  if (resumedFrom === null) return []
  const started = `It went on with the verify that began at ${resumedFrom} and was stopped`
  if (alreadyRead === 0) return [`${started} before a file had been read.`]
  const files = `${countOf(alreadyRead, 'file')} had been read then`
  return [
    `${started}: ${files}, and only ${alreadyRead === 1 ? 'its name and size' : 'their names and sizes'} were looked at now.`,
  ]
}

/** The files that are not as they were archived, and those that Solarchive did not put there. */
export function describeVerifyProblems(result: VerifyResult, paint: Painter): string[] {
  const aside = new Set([...result.setAside, ...result.unexpected.filter((path) => keptAside.test(path))])
  return [
    ...section(paint.bad('Missing:'), result.missing),
    ...section(paint.bad('Changed:'), result.changed),
    ...describeFailures(result, paint),
    ...section(paint.waiting('Changed files, kept beside the originals:'), [...aside].sort()),
    ...(aside.size === 0 ? [] : adviceOnKept),
    ...section(
      paint.waiting('Not put there by Solarchive, and left alone:'),
      result.unexpected.filter((path) => !aside.has(path)),
    ),
  ]
}

/** Each reason once, however many files it is the reason of. */
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
