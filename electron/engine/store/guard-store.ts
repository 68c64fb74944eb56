import { storeError } from './store-error.ts'

type StoreFunction = (...values: never[]) => unknown

/**
 * The same functions, of which those that fail on SQLite's side throw an AppError, and damage is told to `onDamage`:
 * at whatever call it is met, the next opening has to know.
 */
export function guardStore<Functions extends Readonly<Record<string, StoreFunction>>>(
  functions: Functions,
  onDamage: () => void,
): Functions {
  const guarded = Object.entries(functions).map(([name, work]) => [
    name,
    (...values: never[]) => guardCall(() => work(...values), onDamage),
  ])
  return Object.fromEntries(guarded) as Functions
}

/** Runs `work` in the same way. */
export function guardCall<T>(work: () => T, onDamage: () => void): T {
  try {
    return work()
  } catch (thrown) {
    const error = storeError(thrown)
    if (error?.code === 'database-damaged') onDamage()
    throw error ?? thrown
  }
}
