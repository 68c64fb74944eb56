import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../engine/lib/ports.ts'
import { readPlace, type WindowPlace } from './read-place.ts'

/** Keeps the window's place in the data folder, readable by its owner alone. A place that cannot be kept is no harm. */
export class PlaceFile {
  readonly #path: string
  readonly #log: Log

  constructor(homeFolder: string, log: Log) {
    this.#path = join(homeFolder, 'window.json')
    this.#log = log
  }

  read(): WindowPlace | undefined {
    try {
      return readPlace(readFileSync(this.#path, 'utf8'))
    } catch {
      return undefined
    }
  }

  write(place: WindowPlace): void {
    const part = `${this.#path}.part`
    try {
      writeFileSync(part, `${JSON.stringify(place)}\n`, { mode: 0o600 })
      renameSync(part, this.#path)
    } catch (cause) {
      rmSync(part, { force: true })
      this.#log.debug('The place of the window could not be kept', { cause })
    }
  }
}
