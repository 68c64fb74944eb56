import type { BrowserWindow } from 'electron'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../engine/lib/ports.ts'
import { parseWindowState, type WindowState } from './window-policy.ts'

/**
 * Events of a window that is being dragged arrive many times a second: its state is written once they stop for so long.
 */
const settleMs = 500

/** The window's state in the data folder, readable by its owner only. Nothing depends on it. */
export class WindowStateFile {
  readonly #path: string
  readonly #log: Log
  #isTrayExplained = false

  constructor(homeFolder: string, log: Log) {
    this.#path = join(homeFolder, 'window.json')
    this.#log = log
  }

  read(): WindowState | undefined {
    try {
      const state = parseWindowState(readFileSync(this.#path, 'utf8'))
      this.#isTrayExplained ||= state?.isTrayExplained === true
      return state
    } catch {
      return undefined
    }
  }

  /** True once the user was notified that the app keeps running without its window. */
  get isTrayExplained(): boolean {
    return this.#isTrayExplained
  }

  recordTrayExplained(window: BrowserWindow): void {
    this.#isTrayExplained = true
    this.#write(window)
  }

  /** Writes the window's state whenever it changed, until the window is closed. */
  follow(window: BrowserWindow): void {
    let timer: NodeJS.Timeout | undefined
    const write = () => {
      clearTimeout(timer)
      this.#write(window)
    }
    const writeSoon = () => {
      clearTimeout(timer)
      timer = setTimeout(write, settleMs)
    }
    for (const name of ['resize', 'move', 'maximize', 'unmaximize'] as const) window.on(name as 'resize', writeSoon)
    window.on('close', write)
    window.once('closed', () => clearTimeout(timer))
  }

  #write(window: BrowserWindow): void {
    if (window.isDestroyed()) return
    const explained = this.#isTrayExplained ? { isTrayExplained: true } : {}
    const state: WindowState = { ...window.getNormalBounds(), isMaximized: window.isMaximized(), ...explained }
    const part = `${this.#path}.part`
    try {
      writeFileSync(part, `${JSON.stringify(state)}\n`, { mode: 0o600 })
      renameSync(part, this.#path)
    } catch (cause) {
      rmSync(part, { force: true })
      this.#log.debug('The state of the window could not be stored', { cause })
    }
  }
}
