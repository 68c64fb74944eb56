import { appendFileSync, closeSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'
import { lockedCodes } from '../../engine/lib/fs/durable-files.ts'
import { makeFoldersSync } from '../../engine/lib/fs/make-folders.ts'
import { logFileName } from './log-files.ts'

export interface RotatingFileOptions {
  readonly folder: string
  /** A line that would make the file larger than this goes into the next one. */
  readonly maxBytes: number
  /** Maximum number of files, including the current one. */
  readonly maxFiles: number
}

/**
 * Appends lines to `solarchive.log`; a full one becomes `solarchive.1.log`, that one `solarchive.2.log`, and the oldest
 * is deleted. While another program has one of them open, Windows does not rename it, and the current file grows. Each
 * line has been written to the operating system when `append` returns, so that a crash loses none. The file is opened
 * for each line, because someone may have moved it.
 */
export class RotatingFile {
  readonly path: string
  readonly #options: RotatingFileOptions
  #mayBeTorn = true

  constructor(options: RotatingFileOptions) {
    this.#options = options
    this.path = join(options.folder, logFileName(0))
  }

  /** Appends a line, which ends with a line break. Throws the file system's errors. */
  append(line: string): void {
    const { folder, maxBytes } = this.#options
    makeFoldersSync(folder, 0o700)
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0
    const text = size > 0 && this.#mayBeTorn && !endsWithLineBreak(this.path) ? `\n${line}` : line
    const isFull = size > 0 && size + Buffer.byteLength(text) > maxBytes
    const isNew = isFull && this.#rotate()
    // A write that fails may leave half a line behind.
    this.#mayBeTorn = true
    appendFileSync(this.path, isNew ? line : text, { mode: 0o600 })
    this.#mayBeTorn = false
  }

  /** Returns whether the current file was moved. It is moved aside first: if it is held open, no older one is lost. */
  #rotate(): boolean {
    const { folder, maxFiles } = this.#options
    const aside = join(folder, logFileName(maxFiles))
    let isMoved = false
    try {
      // Left by a rotation that did not end.
      if (exists(aside)) this.#insert(aside)
      renameSync(this.path, aside)
      isMoved = true
      this.#insert(aside)
    } catch (error) {
      if (!lockedCodes.has(errnoCode(error) ?? '')) throw error
    }
    return isMoved
  }

  /** Gives a full file the number 1. Only if no number is free, the oldest file is deleted. */
  #insert(full: string): void {
    const { folder, maxFiles } = this.#options
    const pathOf = (number: number) => join(folder, logFileName(number))
    let free = 1
    while (free < maxFiles - 1 && exists(pathOf(free))) free++
    rmSync(pathOf(free), { force: true })
    for (let number = free; number > 1; number--) renameSync(pathOf(number - 1), pathOf(number))
    renameSync(full, pathOf(1))
  }
}

const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined

/** Returns false if a process crashed in the middle of a line. */
function endsWithLineBreak(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const last = Buffer.alloc(1)
    readSync(file, last, 0, 1, Math.max(0, fstatSync(file).size - 1))
    return last[0] === 0x0a
  } finally {
    closeSync(file)
  }
}
