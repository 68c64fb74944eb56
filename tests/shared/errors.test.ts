import { describe, expect, test } from 'vitest'
import { AppError, toAppError } from '../../shared/errors.ts'

describe('an error that crosses layers', () => {
  test('keeps its code, its message, its details, and its cause', () => {
    const cause = new Error('ECONNREFUSED')
    const error = new AppError('unreachable-refused', 'The service does not answer.', { details: { status: 0 }, cause })
    expect(error).toMatchObject({
      name: 'AppError',
      code: 'unreachable-refused',
      message: 'The service does not answer.',
      details: { status: 0 },
      cause,
    })
    expect(toAppError(error)).toBe(error)
  })

  test('has no cause if there is none', () => {
    expect('cause' in new AppError('internal', 'm')).toBe(false)
  })

  test.each([new TypeError('x is not a function'), 'text', undefined, null, { code: 'not-found' }])(
    'is created from any thrown value (%o), without showing it',
    (thrown) => {
      const error = toAppError(thrown)
      expect(error.code).toBe('internal')
      expect(error.message).not.toContain('function')
      expect(error.cause).toBe(thrown)
    },
  )
})
