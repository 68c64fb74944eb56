import { AppError } from '../../../shared/errors.ts'
import type { ConnectionOutcome } from '../../../shared/settings.ts'
import type { HttpAnswer } from './http-exchange.ts'
import { parseAnswer } from './readers/parse-answer.ts'
import { readChecklistList } from './readers/read-checklist-list.ts'
import { readProjectList } from './readers/read-projects.ts'

/** What an answer tells of an address and a token. `detail` says which of an outcome's ways it was. */
export interface Verdict {
  readonly outcome: ConnectionOutcome
  readonly projectsFound?: number
  readonly detail?: string
}

/**
 * What the answer to the projects call tells; undefined: nothing of the token. The call is none of the specification's, so
 * its refusal (403), its absence (404) and an answer of another shape say nothing against the service.
 */
export function judgeProjects(answer: HttpAnswer): Verdict | undefined {
  const plain = judgeStatus(answer)
  if (plain !== undefined) return plain
  if (!isSuccess(answer)) return undefined
  const projects = reading(() => readProjectList(parseAnswer(answer, 'the projects')))
  return projects === undefined ? undefined : { outcome: 'ok', projectsFound: projects.length }
}

/** What the answer to the checklists of a project that is none tells: 404 is what an accepted token gets. */
export function judgeProbe(answer: HttpAnswer): Verdict {
  const plain = judgeStatus(answer)
  if (plain !== undefined) return plain
  if (answer.status === 403) return { outcome: 'no-permission' }
  const isService = isSuccess(answer)
    ? reading(() => readChecklistList(parseAnswer(answer, 'the checklists of a project')))
    : [400, 404, 422].includes(answer.status) && !isPage(answer)
  return isService === undefined || isService === false
    ? { outcome: 'not-the-service' }
    : { outcome: 'ok', detail: 'unlisted' }
}

/** What means the same whatever was asked for. */
function judgeStatus({ status }: HttpAnswer): Verdict | undefined {
  if (status === 401) return { outcome: 'bad-token' }
  if (status === 429) return { outcome: 'rate-limited' }
  if (status >= 500) return { outcome: 'service-error' }
  if (status < 300 || status >= 400) return undefined
  return {
    outcome: 'bad-address',
    detail:
      'The server sends the call on to another address; the token was not sent there. Give the address of the service ' +
      'itself (https:// instead of http://, say).',
  }
}

const isSuccess = ({ status }: HttpAnswer) => status >= 200 && status < 300

/** A web server's own page, where the service answers with data or with nothing. */
function isPage({ contentType = '', body }: HttpAnswer): boolean {
  return /^text\/html\b/i.test(contentType.trim()) || /^\s*</.test(body)
}

function reading<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof AppError && error.code === 'unreadable-answer') return undefined
    throw error
  }
}
