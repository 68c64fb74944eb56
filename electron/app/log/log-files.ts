import { join } from 'node:path'

/** Where the log is in a data folder. */
export function logFolder(homeFolder: string): string {
  return join(homeFolder, 'logs')
}

/** The file being written is number 0, the one that was full last number 1. */
export function logFileName(number: number): string {
  return number === 0 ? 'solarchive.log' : `solarchive.${number}.log`
}

export function isLogFileName(name: string): boolean {
  return /^solarchive(?:\.[1-9]\d?)?\.log$/.test(name)
}
