// Apart from settings.ts, because it is known before zod is loaded.

/** Log levels, the most detailed first. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
/** Minimum level of the lines that are logged. */
export type LogLevel = (typeof logLevels)[number]

/** Settings that a flag or the environment can fix, so that the app cannot change them. */
export const fixableSettings = [
  'serviceUrl',
  'archiveFolder',
  'token',
  'apiCallsPerMinute',
  'concurrency',
  'logLevel',
  'sample', // started with --sample: there is no other service
] as const
export type FixableSetting = (typeof fixableSettings)[number]

/** Files downloaded at the same time. */
export const concurrencyRange = { min: 1, max: 64, default: 8 } as const
