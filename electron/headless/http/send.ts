import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Answer } from '../../../shared/envelope.ts'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { pagePolicy } from '../../app/static-files/page-policy.ts'

/** On every answer; a file overwrites the policy with a stricter one. */
export const commonHeaders: Readonly<OutgoingHttpHeaders> = {
  'Content-Security-Policy': pagePolicy(),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
}

export function sendAnswer(response: ServerResponse, status: number, answer: Answer<unknown>): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(answer))
}

export function sendError(response: ServerResponse, status: number, code: ErrorCode, message: string): void {
  sendAnswer(response, status, { ok: false, error: { code, message } })
}

/** A page of a few sentences for a person. `head` goes into the head as it is. */
export function sendPage(response: ServerResponse, status: number, sentences: readonly string[], head = ''): void {
  const body = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('\n')
  const html = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">
<title>Solarchive</title>${head}</head><body><h1>Solarchive</h1>\n${body}\n</body></html>\n`
  send(response, status, 'text/html; charset=utf-8', html)
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...commonHeaders, 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
