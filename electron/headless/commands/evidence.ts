import { authoritySchema, evidenceReportSchema, stampedEvidenceSchema } from '../../../shared/evidence.ts'
import type { CheckedEvidence, EvidenceReport } from '../../../shared/evidence.ts'
import { exitCodes } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { countOf } from '../../../shared/format.ts'
import { stampedDamageText } from '../../../shared/status-text.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { ArchiveAccess } from '../../app/archive-access.ts'
import { verifyEvidence } from '../../engine/evidence/verify-evidence.ts'
import type { ConsoleOutput, Outcome, Painter } from '../output/console-output.ts'
import { listSome } from '../output/gaps.ts'
import type { Session } from '../session.ts'

export interface StampFlags {
  readonly authority?: string
}

/** Returns the address of `--authority`. Throws `wrong-usage`. */
export function readAuthority({ authority }: StampFlags): string | undefined {
  if (authority === undefined) return undefined
  const read = authoritySchema.safeParse(authority)
  if (read.success) return read.data
  throw new AppError('wrong-usage', `--authority ${read.error.issues[0]?.message ?? 'is not a valid URL'}.`)
}

/** `evidence stamp [--authority URL]` */
export async function stampCommand(
  { engine, signal, output }: Session<ArchiveAccess>,
  authority: string | undefined,
): Promise<Outcome> {
  const evidence = stampedEvidenceSchema.parse(await engine.stampEvidence({ authority, signal }))
  const { created, signedBy, stampedAt, projects, files, stamp, damaged } = evidence
  const what = `${countOf(files, 'file')} of ${countOf(projects, 'project')}`
  return {
    exitCode: exitCodes.done,
    document: evidence,
    summary: [
      output.paint.good(
        created
          ? `The checksums of ${what} were stamped by ${plainText(signedBy)} at ${stampedAt}.`
          : `The checksums of ${what} have not changed since they were stamped, by ` +
              `${plainText(signedBy)} at ${stampedAt}.`,
      ),
      `Time stamp: ${plainText(stamp)}, in the archive folder`,
    ],
    problems:
      damaged > 0 && !output.isJson ? [`${stampedDamageText(damaged)} "verify --repair" restores what it can.`] : [],
  }
}

/** `evidence verify [PATH]`. `path` is an archive, its folder of evidence, or a folder in that. */
export async function verifyEvidenceCommand(
  path: string,
  { output, signal }: { readonly output: ConsoleOutput; readonly signal: AbortSignal },
): Promise<Outcome> {
  const report = evidenceReportSchema.parse(await verifyEvidence(path, signal))
  return {
    exitCode: report.ok ? exitCodes.done : exitCodes.incomplete,
    document: report,
    answer: describeReport(report, output.paint),
    problems: output.isJson ? [] : report.folders.flatMap((folder) => describeProblems(folder)),
  }
}

const listedProblems = 8

function describeReport({ path, folders }: EvidenceReport, paint: Painter): string[] {
  const lines = folders.map(({ folder, state, files, stampedAt, signedBy }) => {
    if (state === 'not-stamped') return paint.waiting(`${folder}  not stamped`)
    if (state === 'incomplete') return `${folder}  not written completely`
    if (state === 'damaged') return paint.bad(`${folder}  missing or changed since`)
    const by = plainText(signedBy ?? '')
    return `${paint.good(folder)}  ${countOf(files, 'file')}, stamped at ${stampedAt} by ${by}`
  })
  return [
    ...lines,
    `Evidence: ${plainText(path)}`,
    'Not checked here: whether the authority is to be trusted (openssl ts -verify, see README.txt in each folder), ' +
      'and the files themselves (verify).',
  ]
}

function describeProblems({ folder, problems }: CheckedEvidence): string[] {
  return listSome(problems, listedProblems, '--json lists all').map((line) => `${folder}: ${plainText(line)}`)
}
