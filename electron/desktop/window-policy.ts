/**
 * `window.json` in the data folder. The bounds are those of the window while not maximized, in device-independent
 * pixels.
 */
export interface WindowState extends Rectangle {
  readonly isMaximized: boolean
  /** True once the user was notified that the app keeps running without its window. */
  readonly isTrayExplained?: boolean
}

/** Beyond any arrangement of screens, in device-independent pixels. */
const maxLength = 100_000

/**
 * Returns `undefined` for a text that is not a window state: the window then opens as it does the first time. Checked
 * by hand, because loading zod would delay the window.
 */
export function parseWindowState(text: string): WindowState | undefined {
  const { x, y, width, height, isMaximized, isTrayExplained } = parseObject(text)
  if (!isBetween(x, -maxLength) || !isBetween(y, -maxLength)) return undefined
  if (!isBetween(width, 1) || !isBetween(height, 1) || typeof isMaximized !== 'boolean') return undefined
  const state = { x, y, width, height, isMaximized }
  if (isTrayExplained === undefined) return state
  return typeof isTrayExplained === 'boolean' ? { ...state, isTrayExplained } : undefined
}

function isBetween(value: unknown, min: number): value is number {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= maxLength
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Bounds in device-independent pixels. */
export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Smallest useful size: the sidebar, and a table of three columns. */
export const minSize = { width: 800, height: 560 }

/** How much of a window's top has to be visible so that a user can see and drag it. */
const grip = { width: 120, height: 32 }

/**
 * Returns the bounds of a window that had `bounds`, on the current screens: no larger than the screen that shows it,
 * and entirely on it. Returns `undefined` if its top is on no screen, because a screen was disconnected.
 */
export function fitToScreens(bounds: Rectangle, workAreas: readonly Rectangle[]): Rectangle | undefined {
  const top = { ...bounds, height: grip.height }
  const [best] = workAreas
    .map((area) => ({ area, shared: overlap(top, area) }))
    .filter(({ shared }) => shared.width >= grip.width && shared.height >= grip.height / 2)
    .sort((a, b) => b.shared.width - a.shared.width)
  if (best === undefined) return undefined
  const { area } = best
  const width = Math.min(Math.max(bounds.width, minSize.width), area.width)
  const height = Math.min(Math.max(bounds.height, minSize.height), area.height)
  return {
    width,
    height,
    x: clamp(bounds.x, area.x, area.x + area.width - width),
    y: clamp(bounds.y, area.y, area.y + area.height - height),
  }
}

function overlap(a: Rectangle, b: Rectangle): { readonly width: number; readonly height: number } {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return { width: Math.max(0, width), height: Math.max(0, height) }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}

/** Crashes longer ago than this are unrelated. */
const crashMemoryMs = 10 * 60_000

/** Delay before the page is reloaded after the first, second, ... crash; after the last of them the user is asked. */
const reloadDelaysMs = [0, 2_000, 10_000, 30_000]

export type CrashResponse = { readonly kind: 'reload'; readonly delayMs: number } | { readonly kind: 'ask' }

/**
 * Returns how to respond to a crashed page. `crashesAtMs` are times of a monotonic clock, this crash the last of them.
 */
export function crashResponse(crashesAtMs: readonly number[], nowMs: number): CrashResponse {
  const recent = crashesAtMs.filter((atMs) => nowMs - atMs < crashMemoryMs)
  const delayMs = reloadDelaysMs[recent.length - 1]
  return delayMs === undefined ? { kind: 'ask' } : { kind: 'reload', delayMs }
}
