import { createHash, timingSafeEqual } from 'node:crypto'
import { errorAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import type { ServedRequest } from './sample-server.ts'

/** Whether two secrets are the same, in a time that tells nothing of where they differ. */
function sameSecret(given: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(right))
}

/** The 401 for a call without the good token; null when the token is good. */
export function refuseToken(
  { url, headers }: Pick<ServedRequest, 'url' | 'headers'>,
  token: string,
  accept: 'both' | 'query' | 'bearer',
): Answer | null {
  const inQuery = accept === 'bearer' ? null : url.searchParams.get('access_token')
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  const given = inQuery ?? (accept === 'query' ? undefined : bearer)
  if (given === undefined || given === '') return errorAnswer(401, 'Access token is missing')
  return sameSecret(given, token) ? null : errorAnswer(401, 'Access token is invalid or expired')
}
