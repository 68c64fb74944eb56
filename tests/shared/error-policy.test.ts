import { describe, expect, test } from 'vitest'
import {
  concernsEveryCall,
  errorCodes,
  errorPolicy,
  isOutage,
  isTokenError,
  stopsPass,
} from '../../shared/error-policy.ts'

const outages = [
  'unreachable-dns',
  'unreachable-tls',
  'unreachable-refused',
  'unreachable-proxy',
  'unreachable-timeout',
  'unreachable-reset',
]

describe('the policy of an error', () => {
  test('stops a pass if the token, the network, the limit, the database, or the disk has to be fixed first', () => {
    expect(errorCodes.filter(stopsPass).sort()).toEqual([
      'archive-read-only',
      'archive-unavailable',
      'database-damaged',
      'disk-full',
      'rate-limited',
      'token-missing',
      'token-refused',
      'unreachable-dns',
      'unreachable-proxy',
      'unreachable-refused',
      'unreachable-tls',
    ])
  })

  test('costs a file an attempt only if the file, its link, or its host may be at fault', () => {
    const classOf = (code: keyof typeof errorPolicy) => errorPolicy[code].retry
    expect(errorCodes.filter((code) => classOf(code) === 'transient')).toEqual(
      ['service-error', 'unreadable-answer', ...outages, 'file-truncated'].filter(
        (code) => code !== 'unreachable-proxy',
      ),
    )
    expect(classOf('unreachable-proxy')).toBe('network')
    expect(errorCodes.filter((code) => classOf(code) === 'disk')).toEqual([
      'disk-full',
      'archive-read-only',
      'archive-unavailable',
    ])
    expect(classOf('link-refused')).toBe('stale-link')
    expect(classOf('file-invalid')).toBe('permanent')
    expect(classOf('token-refused')).toBe('credentials')
    expect(classOf('rate-limited')).toBe('rate-limited')
    expect(classOf('cancelled')).toBe('cancelled')
  })

  test('says which errors every other call would meet too', () => {
    expect(errorCodes.filter(concernsEveryCall)).toEqual([
      'token-refused',
      'token-missing',
      'no-permission',
      'rate-limited',
      'service-error',
      'unreadable-answer',
      ...outages,
    ])
    expect(errorCodes.filter(isTokenError)).toEqual(['token-refused', 'token-missing'])
    expect(errorCodes.filter(isOutage)).toEqual(['service-error', ...outages])
  })

  test('skips an undocumented call that the service does not have, and keeps no order that it rejected', () => {
    expect(errorCodes.filter((code) => errorPolicy[code].answer === 'unsupported')).toEqual([
      'no-permission',
      'not-found',
      'unreadable-answer',
    ])
    expect(errorCodes.filter((code) => errorPolicy[code].refusesOrder === true)).toEqual([
      'token-refused',
      'token-missing',
      'no-permission',
      'not-found',
      'rejected',
      'rate-limited',
    ])
    expect(errorCodes.filter((code) => errorPolicy[code].precedesOrder === true)).toEqual([
      'unreachable-dns',
      'unreachable-tls',
      'unreachable-refused',
      'unreachable-proxy',
      'wrong-usage',
    ])
  })

  test('lets a truncated download be resumed', () => {
    expect(errorCodes.filter((code) => errorPolicy[code].keepsPart === true)).toEqual([
      'unreachable-timeout',
      'unreachable-reset',
      'file-truncated',
      'cancelled',
    ])
  })

  test('has no row for an unknown code', () => {
    expect(stopsPass('toString')).toBe(false)
    expect(isTokenError('no such code')).toBe(false)
  })
})
