import { AppError } from '../../../shared/errors.ts'
import type { ConnectionOutcome } from '../../../shared/settings.ts'
import type { HttpAnswer } from './http-exchange.ts'
import { parseAnswer } from './readers/parse-answer.ts'
import { readChecklistList } from './readers/read-checklist-list.ts'
import { readProjectList } from './readers/read-projects.ts'

/** What an answer tells of an address and a token. `detail` says which of an outcome's ways it was. */
export interface ConnectionVerdict {
  readonly outcome: ConnectionOutcome
  readonly projectsFound?: number
  readonly detail?: string
}

/**
 * What the answer to the projects call tells; undefined: nothing of the token. The call is none of the specification's, so
 * its refusal (403), its absence (404) and an answer of another shape say nothing against the service.
 */
export function judgeProjects(answer: HttpAnswer): ConnectionVerdict | undefined {
  const plain = judgeStatus(answer)
  if (plain !== undefined) return plain
  if (!isSuccess(answer)) return undefined
  const projects = reading(() => readProjectList(parseAnswer(answer, 'the projects')))
  return projects === undefined ? undefined : { outcome: 'ok', projectsFound: projects.length }
}

/**
 * What the answer to the checklists of a project that is none tells: a refusal with data is what an accepted token gets. The
 * specification leaves open whether the service refuses with data, so one with nothing in it tells neither way.
 */
export function judgeProbe(answer: HttpAnswer): ConnectionVerdict {
  const plain = judgeStatus(answer)
  if (plain !== undefined) return plain
  if (answer.status === 403) return { outcome: 'no-permission' }
  if (isSuccess(answer)) {
    const list = reading(() => readChecklistList(parseAnswer(answer, 'the checklists of a project')))
    return list === undefined ? { outcome: 'not-the-service' } : accepted
  }
  if (![400, 404, 422].includes(answer.status)) return { outcome: 'not-the-service' }
  if (answer.body.trim() === '') return { outcome: 'not-certain' }
  return isData(answer) ? accepted : { outcome: 'not-the-service' }
}

/** `accepted` holds where the same call without a token is refused; a server that answers everybody alike may be any. */
export function judgeWithoutToken({ status }: HttpAnswer, accepted: ConnectionVerdict): ConnectionVerdict {
  return status === 401 || status === 403 ? accepted : { outcome: 'not-certain' }
}

const accepted: ConnectionVerdict = { outcome: 'ok', detail: 'unlisted' }

/** What means the same whatever was asked for. */
function judgeStatus({ status }: HttpAnswer): ConnectionVerdict | undefined {
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

/** What the service answers with, where a web server has pages and plain words of its own. */
function isData({ body }: HttpAnswer): boolean {
  try {
    const data: unknown = JSON.parse(body)
    return typeof data === 'object' && data !== null
  } catch {
    return false
  }
}

function reading<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof AppError && error.code === 'unreadable-answer') return undefined
    throw error
  }
}
