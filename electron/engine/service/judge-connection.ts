import { AppError } from '../../../shared/errors.ts'
import type { ConnectionOutcome } from '../../../shared/settings.ts'
import { parseJson } from '../lib/parse-json.ts'
import type { HttpAnswer } from './http-exchange.ts'
import { parseAnswer } from './readers/parse-answer.ts'
import { readChecklistList } from './readers/read-checklist-list.ts'
import { readProjects } from './readers/read-projects.ts'

/** Result of testing an address and a token. `detail` distinguishes the variants of an outcome. */
export interface ConnectionVerdict {
  readonly outcome: Exclude<ConnectionOutcome, 'unencrypted'>
  readonly projectsFound?: number
  readonly detail?: string
  /** Replaces the sentence of the outcome. */
  readonly message?: string
}

/**
 * Judges the answer to the projects call; returns `undefined` if it says nothing about the token. The call is not in
 * the service's specification, so a refusal (403), an unknown path (404), or another shape does not count against the
 * service.
 */
export function judgeProjects(answer: HttpAnswer): ConnectionVerdict | undefined {
  const plain = judgeStatus(answer)
  if (plain !== undefined) return plain
  if (!isSuccess(answer)) return undefined
  const projects = reading(() => readProjects(parseAnswer(answer, 'the projects')))
  return projects === undefined ? undefined : { outcome: 'ok', projectsFound: projects.list.length }
}

/**
 * Judges the answer to a request for the checklists of an unknown project. An accepted token gets data, even as a
 * refusal. The specification does not define the body of a refusal, so an empty one is inconclusive.
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

/**
 * Returns `accepted` if the same call without a token is refused; a server that answers anyone the same way proves
 * nothing.
 */
export function judgeWithoutToken({ status }: HttpAnswer, accepted: ConnectionVerdict): ConnectionVerdict {
  return status === 401 || status === 403 ? accepted : { outcome: 'not-certain' }
}

const accepted: ConnectionVerdict = { outcome: 'ok', detail: 'unlisted' }

/** Judges statuses that have the same meaning for every call. */
function judgeStatus({ status }: HttpAnswer): ConnectionVerdict | undefined {
  if (status === 401) return { outcome: 'bad-token' }
  if (status === 429) return { outcome: 'rate-limited' }
  if (status >= 500) return { outcome: 'service-error' }
  if (status < 300 || status >= 400) return undefined
  return {
    outcome: 'bad-address',
    detail:
      'The server redirects to another address; the token was not sent there. Enter the address of the service ' +
      'itself (for example https:// instead of http://).',
  }
}

const isSuccess = ({ status }: HttpAnswer) => status >= 200 && status < 300

/** Returns whether the body is JSON data, which the service sends, rather than a web server's page or text. */
function isData({ body }: HttpAnswer): boolean {
  const data = parseJson(body)
  return typeof data === 'object' && data !== null
}

function reading<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof AppError && error.code === 'unreadable-answer') return undefined
    throw error
  }
}
