/** From the most to the least talkative. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const

/** Lines below this level are not written. */
export type LogLevel = (typeof logLevels)[number]
