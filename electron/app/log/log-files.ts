import { join } from 'node:path'

/** Returns the folder of the log in a data folder. */
export function logFolder(homeFolder: string): string {
  return join(homeFolder, 'logs')
}

/** Returns the name of a log file: 0 is the current one, 1 the last one that was full. */
export function logFileName(number: number): string {
  return number === 0 ? 'solarchive.log' : `solarchive.${number}.log`
}

export function isLogFileName(name: string): boolean {
  return /^solarchive(?:\.[1-9]\d?)?\.log$/.test(name)
}
