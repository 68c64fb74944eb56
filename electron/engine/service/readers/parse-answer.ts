import { parseJson } from '../../lib/parse-json.ts'
import type { HttpAnswer } from '../http-exchange.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

/** A media type without its parameters, which could be anything. */
const mediaType = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?=[\s;]|$)/

/**
 * Returns the JSON of a successful answer, whose size is checked on arrival. Throws `unreadable-answer` if it is none.
 */
export function parseAnswer(answer: Pick<HttpAnswer, 'status' | 'contentType' | 'body'>, subject: string): unknown {
  const { status, body } = answer
  const contentType = mediaType.exec(answer.contentType ?? '')?.[0]
  const details = { status, ...(contentType === undefined ? {} : { contentType }) }
  if (body.trim() === '') throw unreadableAnswer(subject, 'it is empty', details)
  const json = parseJson(body)
  if (json === undefined) {
    if (isWebPage(answer)) {
      throw unreadableAnswer(subject, 'it is a web page instead of data', { ...details, looksLike: 'html' })
    }
    throw unreadableAnswer(subject, 'it is damaged or incomplete', details)
  }
  return json
}

/** Returns whether a successful answer is a web page, such as that of a network's sign-in. */
export function isWebPage({ status, body }: Pick<HttpAnswer, 'status' | 'body'>): boolean {
  return status >= 200 && status < 300 && /^\s*</.test(body)
}
