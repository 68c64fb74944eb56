import { AppError } from '../../../shared/errors.ts'
import type { NewProject } from '../../engine/engine.ts'
import { readProjectRows } from '../../engine/projects/project-rows.ts'
import { formatCount } from '../format/count-of.ts'
import { plainText } from '../../app/log/plain-text.ts'

/** Problems are listed up to this many; with more than that, the file is another one than meant. */
const listedProblems = 20

interface Problem {
  readonly line: number
  readonly what: string
}

/**
 * The projects of a table; see `readProjectRows`. Throws `wrong-usage` that lists every bad row with its line, and then
 * gives none of the projects.
 */
export function readProjectList(text: string, fileName: string): NewProject[] {
  const { rows } = readProjectRows(text)
  const problems = rows.flatMap(({ line, problem }) => (problem === null ? [] : [{ line, what: problem }]))
  if (problems.length > 0) throw badList(fileName, problems)
  return rows.filter(({ isRepeated }) => !isRepeated).map(({ id, name, address }) => ({ id, name, address }))
}

function badList(fileName: string, problems: readonly Problem[]): AppError {
  const listed = problems.slice(0, listedProblems).map(({ line, what }) => `  line ${line}: ${what}`)
  const more = problems.length - listed.length
  if (more > 0) listed.push(`  and ${formatCount(more)} more`)
  return new AppError(
    'wrong-usage',
    `No project was added, because ${plainText(fileName)} has to be put right first:\n${listed.join('\n')}`,
    { details: { rows: problems } },
  )
}
