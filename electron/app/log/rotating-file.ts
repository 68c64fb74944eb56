import { appendFileSync, closeSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
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
 * is deleted. Each line has been written to the operating system when `append` returns, so that a crash loses none. The
 * file is opened for each line, because someone may have moved it.
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
    if (isFull) this.#rotate()
    // A write that fails may leave half a line behind.
    this.#mayBeTorn = true
    appendFileSync(this.path, isFull ? line : text, { mode: 0o600 })
    this.#mayBeTorn = false
  }

  #rotate(): void {
    const { folder, maxFiles } = this.#options
    const pathOf = (number: number) => join(folder, logFileName(number))
    rmSync(pathOf(maxFiles - 1), { force: true })
    for (let number = maxFiles - 2; number >= 0; number--) {
      if (statSync(pathOf(number), { throwIfNoEntry: false })) renameSync(pathOf(number), pathOf(number + 1))
    }
  }
}

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
