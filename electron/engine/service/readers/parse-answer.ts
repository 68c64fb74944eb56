import type { HttpAnswer } from '../http-exchange.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

/** Returns the JSON of a successful answer, whose size is checked on arrival. Throws `unreadable-answer` if it is none. */
export function parseAnswer(answer: Pick<HttpAnswer, 'status' | 'contentType' | 'body'>, subject: string): unknown {
  const { status, contentType, body } = answer
  const details = { status, ...(contentType === undefined ? {} : { contentType }) }
  if (body.trim() === '') throw unreadableAnswer(subject, 'it is empty', details)
  const json = parse(body)
  if (json === undefined) {
    const isPage = /^\s*</.test(body)
    throw unreadableAnswer(subject, isPage ? 'it is a web page instead of data' : 'it is not complete JSON', details)
  }
  return json
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
