import type { BrowserWindow } from 'electron'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../engine/lib/ports.ts'
import { parseWindowState, type WindowState } from './window-policy.ts'

/**
 * Events of a window that is being dragged arrive many times a second: its state is written once they stop for so long.
 */
const settleMs = 500

/** The window's bounds in the data folder, readable by their owner only. Nothing depends on them. */
export class WindowStateFile {
  readonly #path: string
  readonly #log: Log

  constructor(homeFolder: string, log: Log) {
    this.#path = join(homeFolder, 'window.json')
    this.#log = log
  }

  read(): WindowState | undefined {
    try {
      return parseWindowState(readFileSync(this.#path, 'utf8'))
    } catch {
      return undefined
    }
  }

  /** Writes the window's state whenever it changed, until the window is closed. */
  follow(window: BrowserWindow): void {
    let timer: NodeJS.Timeout | undefined
    const write = () => {
      clearTimeout(timer)
      if (!window.isDestroyed()) this.#write({ ...window.getNormalBounds(), isMaximized: window.isMaximized() })
    }
    const writeSoon = () => {
      clearTimeout(timer)
      timer = setTimeout(write, settleMs)
    }
    for (const name of ['resize', 'move', 'maximize', 'unmaximize'] as const) window.on(name as 'resize', writeSoon)
    window.on('close', write)
    window.once('closed', () => clearTimeout(timer))
  }

  #write(state: WindowState): void {
    const part = `${this.#path}.part`
    try {
      writeFileSync(part, `${JSON.stringify(state)}\n`, { mode: 0o600 })
      renameSync(part, this.#path)
    } catch (cause) {
      rmSync(part, { force: true })
      this.#log.debug('The bounds of the window could not be stored', { cause })
    }
  }
}
