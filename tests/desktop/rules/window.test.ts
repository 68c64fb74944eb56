import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  crashResponse,
  fitToScreens,
  minSize,
  parseWindowState,
  type Rectangle,
} from '../../../electron/desktop/window-policy.ts'

const laptop: Rectangle = { x: 0, y: 25, width: 1440, height: 875 }
const beside: Rectangle = { x: 1440, y: 0, width: 2560, height: 1400 }
const left: Rectangle = { x: -1920, y: 0, width: 1920, height: 1040 }

test.each([
  [
    'stays where it was',
    { x: 100, y: 100, width: 1200, height: 700 },
    [laptop],
    { x: 100, y: 100, width: 1200, height: 700 },
  ],
  [
    'stays on the second screen',
    { x: 1600, y: 50, width: 2000, height: 1200 },
    [laptop, beside],
    { x: 1600, y: 50, width: 2000, height: 1200 },
  ],
  [
    'stays on a screen to the left',
    { x: -1900, y: 10, width: 1000, height: 700 },
    [laptop, left],
    { x: -1900, y: 10, width: 1000, height: 700 },
  ],
  ['is forgotten when its screen is gone', { x: 1600, y: 50, width: 2000, height: 1200 }, [laptop], undefined],
  ['is made as large as a smaller screen', { x: 0, y: 25, width: 3000, height: 2000 }, [laptop], laptop],
  [
    'is pulled onto the screen that it hangs out of',
    { x: 1000, y: 600, width: 1000, height: 700 },
    [laptop],
    { x: 440, y: 200, width: 1000, height: 700 },
  ],
  [
    'goes to the screen that has most of it',
    { x: 1300, y: 100, width: 1000, height: 700 },
    [laptop, beside],
    { x: 1440, y: 100, width: 1000, height: 700 },
  ],
  [
    'is forgotten when its top is above every screen',
    { x: 100, y: -500, width: 1000, height: 700 },
    [laptop],
    undefined,
  ],
])('a window %s', (_what, bounds, screens, expected) => {
  expect(fitToScreens(bounds, screens)).toEqual(expected)
})

test('without a screen a window opens at its default bounds', () => {
  expect(fitToScreens(laptop, [])).toBeUndefined()
})

test('wherever a window was, it opens entirely on one screen or at its default bounds', () => {
  const rectangle = fc.record({
    x: fc.integer({ min: -5000, max: 5000 }),
    y: fc.integer({ min: -5000, max: 5000 }),
    width: fc.integer({ min: 1, max: 5000 }),
    height: fc.integer({ min: 1, max: 5000 }),
  })
  fc.assert(
    fc.property(rectangle, fc.array(rectangle, { maxLength: 4 }), (bounds, screens) => {
      const put = fitToScreens(bounds, screens)
      if (put === undefined) return
      const isOn = ({ x, y, width, height }: Rectangle) =>
        put.x >= x && put.y >= y && put.x + put.width <= x + width && put.y + put.height <= y + height
      expect(screens.some(isOn)).toBe(true)
      expect(put.width >= minSize.width || screens.some(({ width }) => width === put.width)).toBe(true)
    }),
  )
})

test('a window state that the app did not write is ignored', () => {
  const state = { x: -10, y: 20, width: 900, height: 600, isMaximized: true }
  expect(parseWindowState(JSON.stringify(state))).toEqual(state)
  const invalid = [
    '',
    '{',
    'null',
    '[]',
    '{}',
    JSON.stringify({ ...state, x: 1e9 }),
    JSON.stringify({ ...state, width: 0 }),
  ]
  for (const text of [...invalid, JSON.stringify({ ...state, y: '20' }), JSON.stringify({ ...state, height: 1.5 })]) {
    expect(parseWindowState(text), text).toBeUndefined()
  }
})

test('a page that crashes is reloaded after longer and longer delays, and not forever', () => {
  const minute = 60_000
  expect(crashResponse([0], 0)).toEqual({ kind: 'reload', delayMs: 0 })
  expect(crashResponse([0, 10], 10)).toEqual({ kind: 'reload', delayMs: 2_000 })
  expect(crashResponse([0, 10, 20, 30], 30)).toMatchObject({ kind: 'reload', delayMs: 30_000 })
  expect(crashResponse([0, 10, 20, 30, 40], 40)).toEqual({ kind: 'ask' })
  // Crashes long ago do not count.
  expect(crashResponse([0, 20 * minute, 40 * minute], 40 * minute)).toEqual({ kind: 'reload', delayMs: 0 })
})
