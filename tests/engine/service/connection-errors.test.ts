import { expect, test } from 'vitest'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
import { classifyConnection, connectionError } from '../../../electron/engine/service/connection-errors.ts'

const url = new URL('https://api.example.com/api/v1/projects?access_token=CANARY')

/** Errors that a server on this machine cannot cause: untrusted certificates, unreachable networks. */
test.each([
  ['EAI_AGAIN', 'unreachable-dns'],
  ['CERT_HAS_EXPIRED', 'unreachable-tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'unreachable-tls'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'unreachable-tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unreachable-tls'],
  ['INVALID_CA', 'unreachable-tls'],
  ['INVALID_PURPOSE', 'unreachable-tls'],
  ['PATH_LENGTH_EXCEEDED', 'unreachable-tls'],
  ['UNSPECIFIED', 'unreachable-tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'unreachable-tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'unreachable-tls'],
  ['EHOSTUNREACH', 'unreachable-refused'],
  ['ENETUNREACH', 'unreachable-refused'],
  ['ETIMEDOUT', 'unreachable-timeout'],
  ['EPIPE', 'unreachable-reset'],
  ['ECONNABORTED', 'unreachable-reset'],
  ['HPE_INVALID_HEADER_TOKEN', 'unreadable-answer'],
  ['ERR_INVALID_ARG_TYPE', 'internal'],
  ['ERR_INVALID_CALLBACK', 'internal'],
  [undefined, 'internal'],
])('an error with the code %s is %s', (code, expected) => {
  const thrown = Object.assign(new Error('GET https://h/?access_token=CANARY'), { code, options: { token: 'CANARY' } })
  const error = connectionError(thrown, { purpose: 'archive', redactor: createRedactor(), isConnected: true, url })
  expect(error.code).toBe(expected)
  expect(`${error.message} ${JSON.stringify(error.details)} ${String(error.cause)}`).not.toContain('CANARY')
})

test('a thrown value that is not an error is an internal error', () => {
  const error = connectionError('CANARY', { purpose: 'order', redactor: createRedactor(), isConnected: true, url })
  expect(error.code).toBe('internal')
})

test('a connection that a firewall of this machine refuses is refused, and other missing permissions are not', () => {
  const codeOf = (message: string) =>
    classifyConnection(Object.assign(new Error(message), { code: message.split(' ')[1]?.replace(':', '') }))
  expect(codeOf('connect EACCES 203.0.113.7:443')).toBe('unreachable-refused')
  expect(codeOf('connect EPERM 203.0.113.7:443')).toBe('unreachable-refused')
  expect(codeOf('open EACCES: permission denied')).toBe('internal')
})
