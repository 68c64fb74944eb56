import { expect } from 'vitest'
import { AppError } from '../../../shared/errors.ts'

/** What a call rejects with: fails the test unless that is an AppError. */
export async function caught(call: Promise<unknown>): Promise<AppError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome)) throw new Error(`Expected a rejection, got ${JSON.stringify(outcome.value)}`)
  expect(outcome.error).toBeInstanceOf(AppError)
  return outcome.error as AppError
}

/** What a function throws: fails the test unless that is an AppError. */
export function thrownBy(act: () => unknown): AppError {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return error as AppError
  }
  throw new Error('Expected an error')
}
