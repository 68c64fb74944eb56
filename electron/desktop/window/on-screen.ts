/** A place on the desktop, in device-independent pixels. */
export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Below this the views are of no use: the sidebar, and a table of three columns. */
export const smallestSize = { width: 800, height: 560 }

/** As much of the top of a window as one needs to see and drag it. */
const grip = { width: 120, height: 32 }

/**
 * Where a window that was at `place` is to be put on the screens of today: no larger than the one that it is on, and wholly on it.
 * Undefined when its top can be seen on none of them: a screen was taken away.
 */
export function onScreen(place: Rectangle, workAreas: readonly Rectangle[]): Rectangle | undefined {
  const top = { ...place, height: grip.height }
  const [best] = workAreas
    .map((area) => ({ area, shared: overlap(top, area) }))
    .filter(({ shared }) => shared.width >= grip.width && shared.height >= grip.height / 2)
    .sort((a, b) => b.shared.width - a.shared.width)
  if (best === undefined) return undefined
  const { area } = best
  const width = Math.min(Math.max(place.width, smallestSize.width), area.width)
  const height = Math.min(Math.max(place.height, smallestSize.height), area.height)
  return {
    ...{ width, height },
    x: between(place.x, area.x, area.x + area.width - width),
    y: between(place.y, area.y, area.y + area.height - height),
  }
}

function overlap(a: Rectangle, b: Rectangle): { readonly width: number; readonly height: number } {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y)
  return { width: Math.max(0, width), height: Math.max(0, height) }
}

function between(value: number, lowest: number, highest: number): number {
  return Math.min(Math.max(value, lowest), highest)
}
