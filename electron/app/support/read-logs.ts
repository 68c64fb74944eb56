import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isLogFileName, logFolder } from '../log/log-files.ts'
import { anonymizeLogLine, type AnonymizeContext } from './anonymize.ts'

/** Four times the maximum size of a log file. Only the end of a larger file is read. */
const maxBytes = 20_000_000

export interface BundleEntry {
  readonly name: string
  readonly text: string
}

/** Returns the anonymized log files of a data folder, which may be none. An unreadable file is replaced by a notice. */
export async function readLogs(homeFolder: string, context: AnonymizeContext): Promise<BundleEntry[]> {
  const folder = logFolder(homeFolder)
  const names = await readdir(folder).catch((): string[] => [])
  const entries: BundleEntry[] = []
  for (const name of names.filter(isLogFileName).sort()) {
    const text = await readEnd(join(folder, name)).catch((error: unknown) => unreadable(error))
    if (text !== undefined) entries.push({ name: `logs/${name}`, text: anonymizeLog(text, context) })
  }
  return entries
}

function anonymizeLog(text: string, context: AnonymizeContext): string {
  let leftOut = 0
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const clean = anonymizeLogLine(line, context)
      if (clean === undefined) leftOut += 1
      return clean ?? []
    })
  if (leftOut > 0)
    lines.push(bundleLine('Lines that are not in the format of the log were left out', { lines: leftOut }))
  return lines.map((line) => `${line}\n`).join('')
}

/** Returns undefined if it is not a file: the owner of the data folder may be rotating. */
async function readEnd(path: string): Promise<string | undefined> {
  const file = await open(path, 'r')
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return undefined
    const start = Math.max(0, stats.size - maxBytes)
    const bytes = Buffer.alloc(stats.size - start)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    return bytes.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function unreadable(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return code === 'ENOENT' ? undefined : bundleLine('This file of the log could not be read', { code })
}

function bundleLine(msg: string, fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ level: 'warn', fields, msg })
}
