import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { exitCodes } from '../../../shared/error-policy.ts'
import type { Project } from '../../../shared/domain.ts'
import { listTooLarge, maxListBytes } from '../../../shared/csv.ts'
import { AppError } from '../../../shared/errors.ts'
import { maxProjects, partialProjectList, projectIdProblem } from '../../../shared/project-list.ts'
import { countOf, formatCount } from '../../../shared/format.ts'
import { plainText } from '../../app/log/plain-text.ts'
import { refuseToken } from '../../app/token/refuse-token.ts'
import type { ArchiveAccess } from '../../app/archive-access.ts'
import type { ArchiveReader, NewProject } from '../../engine/engine.ts'
import { readProjectRows } from '../../engine/projects/project-rows.ts'
import { guessText } from '../../engine/lib/decode-text.ts'
import { readText, textOf } from '../flags.ts'
import { readInput } from '../read-input.ts'
import type { Outcome, Painter } from '../output/console-output.ts'
import { sayingWhyItWaits } from '../output/progress.ts'
import { formatTable } from '../output/table.ts'
import type { Session } from '../session.ts'

const { done, incomplete } = exitCodes

export interface AddOptions {
  readonly file?: string
  readonly name?: string
  readonly address?: string
}

/** Returns the projects that `projects add` names, by ids or by a list in a file. Throws `wrong-usage`. */
export async function projectsToAdd(
  ids: readonly string[],
  options: AddOptions,
  currentFolder: string,
): Promise<NewProject[]> {
  const { name, address } = options
  const file = textOf(options.file, '--file')
  if (file === undefined) return namedProjects(ids, options)
  if (ids.length > 0) throw new AppError('wrong-usage', 'Use either project IDs or --file, not both.')
  if (name !== undefined || address !== undefined) {
    throw new AppError('wrong-usage', '--name and --address go with one project ID; a file has columns for them.')
  }
  const what = `The list ${plainText(file)}`
  const input = createReadStream(resolve(currentFolder, file))
  const bytes = await readInput(input, { what, maxBytes: maxListBytes, tooLarge: listTooLarge() })
  return readProjectList(guessText(bytes, what), file)
}

async function namedProjects(
  ids: readonly string[],
  typed: Pick<AddOptions, 'name' | 'address'>,
): Promise<NewProject[]> {
  const distinct = [...new Set(ids.map((id) => id.trim()))]
  if (distinct.length === 0)
    throw new AppError('wrong-usage', 'Name the projects to add by their IDs, or use --file with a list.')
  if (distinct.length > maxProjects) {
    throw new AppError('wrong-usage', `Add at most ${formatCount(maxProjects)} projects at a time. Nothing was added.`)
  }
  if (distinct.length > 1 && (typed.name ?? typed.address) !== undefined) {
    throw new AppError('wrong-usage', '--name and --address go with one project ID.')
  }
  const { calls } = await import('../../../shared/contract/calls.ts')
  const fields = calls['projects.add'].input.shape.projects.element.shape
  const name = readText(fields.name, typed.name, '--name')
  const address = readText(fields.address, typed.address, '--address')
  return distinct.map((id) => {
    const problem = projectIdProblem(id)
    if (problem !== undefined) throw new AppError('wrong-usage', `"${plainText(id)}" cannot be added: ${problem}.`)
    return { id, name, address }
  })
}

/** `projects add` */
export async function addCommand(
  { engine, settings, output, readToken, owner }: Session<ArchiveAccess>,
  projects: readonly NewProject[],
): Promise<Outcome> {
  const texts = projects.flatMap(({ id, name = '', address = '' }) => [id, name, address])
  refuseToken(texts, await readToken())
  const added = await engine.projects.add(projects)
  const them = added.length === 1 ? 'it' : 'them'
  const asksNow = owner?.keepsSyncing === true && settings.schedule !== 'manual'
  return {
    exitCode: done,
    document: { projects: added },
    summary: [
      `${countOf(added.length, 'project')} will be archived:`,
      ...describeProjects(added, output.paint),
      asksNow
        ? `The running Solarchive asks the service for ${them} now. "projects remove ID" takes one out.`
        : `The next sync asks the service for ${them}, and names IDs that it does not know. "projects remove ID" ` +
          'takes one out.',
    ],
  }
}

/** `projects list` */
export function listCommand({ engine, output }: Session<ArchiveReader>, addHint: string): Outcome {
  const projects: Project[] = engine.projects.list()
  return {
    exitCode: done,
    document: { projects },
    answer: projects.length === 0 ? [] : describeProjects(projects, output.paint),
    problems: projects.length === 0 ? [addHint] : [],
  }
}

/** `projects remove` */
export async function removeCommand({ engine }: Session<ArchiveAccess>, id: string): Promise<Outcome> {
  const project = await engine.projects.remove(id.trim())
  const name = plainText(project.name)
  const files = project.folder === null ? 'It had no files yet.' : `Its files stay in "${plainText(project.folder)}".`
  return {
    exitCode: done,
    document: { projects: [project] },
    summary: [`${name} is no longer archived. ${files}`],
  }
}

/** `projects discover` */
export async function discoverCommand(session: Session<ArchiveAccess>): Promise<Outcome> {
  const { engine, output, signal } = session
  const { found, added, isPartial } = await sayingWhyItWaits(session, () => engine.projects.discover(signal))
  const news = added.length === 0 ? 'all of them already known.' : `${formatCount(added.length)} of them new:`
  return {
    exitCode: isPartial ? incomplete : done,
    document: { found, added: added.length, isPartial, projects: added },
    summary: [
      `The service lists ${countOf(found, 'project')}${found === 0 ? '.' : `, ${news}`}`,
      ...(added.length === 0 ? [] : describeProjects(added, output.paint)),
    ],
    problems: isPartial ? [partialProjectList] : [],
  }
}

/** Maximum of listed problems; with more, the file is probably the wrong one. */
const listedProblems = 20

interface Problem {
  readonly line: number
  readonly what: string
}

/**
 * Returns the projects of a table; see `readProjectRows`. If a row has an error, throws `wrong-usage` with every such
 * row and its line.
 */
export async function readProjectList(text: string, fileName: string): Promise<NewProject[]> {
  const { rows } = await readProjectRows(text)
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
    `No project was added, because ${plainText(fileName)} has errors:\n${listed.join('\n')}`,
    { details: { rows: problems } },
  )
}

/** Returns a table of projects: ID, name, address, and folder. IDs are never cut, so that they can be copied. */
export function describeProjects(projects: readonly Project[], paint: Painter): string[] {
  const [header = '', ...rows] = formatTable(
    [{ title: 'ID' }, { title: 'Name', maxWidth: 40 }, { title: 'Address', maxWidth: 48 }, { title: 'Folder' }],
    projects.map(({ id, name, address, folder }) =>
      [id, name, address ?? '', folder ?? 'nothing archived yet'].map(plainText),
    ),
  )
  return [paint.faint(header), ...rows]
}
