import { expect } from 'vitest'
import { AppError } from '../../../shared/errors.ts'

/** Returns the AppError that a call rejects with; fails the test on any other result. */
export async function caught(call: Promise<unknown>): Promise<AppError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome)) throw new Error(`Expected a rejection, got ${JSON.stringify(outcome.value)}`)
  expect(outcome.error).toBeInstanceOf(AppError)
  return outcome.error as AppError
}

/** Returns the AppError that a function throws; fails the test on any other result. */
export function thrownBy(act: () => unknown): AppError {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return error as AppError
  }
  throw new Error('Expected an error')
}
