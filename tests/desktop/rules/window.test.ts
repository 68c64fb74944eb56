import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onScreen, type Rectangle, smallestSize } from '../../../electron/desktop/window/on-screen.ts'
import { readPlace } from '../../../electron/desktop/window/read-place.ts'
import { afterCrash } from '../../../electron/desktop/window/reload-after-crash.ts'

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
])('a window %s', (_what, place, screens, expected) => {
  expect(onScreen(place, screens)).toEqual(expected)
})

test('a window that was anywhere opens as the first time while no screen is connected', () => {
  expect(onScreen(laptop, [])).toBeUndefined()
})

test('wherever a window was, it is wholly on one of the screens or nowhere', () => {
  const rectangle = fc.record({
    ...{ x: fc.integer({ min: -5000, max: 5000 }), y: fc.integer({ min: -5000, max: 5000 }) },
    ...{ width: fc.integer({ min: 1, max: 5000 }), height: fc.integer({ min: 1, max: 5000 }) },
  })
  fc.assert(
    fc.property(rectangle, fc.array(rectangle, { maxLength: 4 }), (place, screens) => {
      const put = onScreen(place, screens)
      if (put === undefined) return
      const isOn = ({ x, y, width, height }: Rectangle) =>
        put.x >= x && put.y >= y && put.x + put.width <= x + width && put.y + put.height <= y + height
      expect(screens.some(isOn)).toBe(true)
      expect(put.width >= smallestSize.width || screens.some(({ width }) => width === put.width)).toBe(true)
    }),
  )
})

test('a place that was not written by the app is none', () => {
  const place = { x: -10, y: 20, width: 900, height: 600, isMaximized: true }
  expect(readPlace(JSON.stringify(place))).toEqual(place)
  const spoilt = [
    '',
    '{',
    'null',
    '[]',
    '{}',
    JSON.stringify({ ...place, x: 1e9 }),
    JSON.stringify({ ...place, width: 0 }),
  ]
  for (const text of [...spoilt, JSON.stringify({ ...place, y: '20' }), JSON.stringify({ ...place, height: 1.5 })]) {
    expect(readPlace(text), text).toBeUndefined()
  }
})

test('a page that crashes is loaded again ever later, and not for ever', () => {
  const minute = 60_000
  expect(afterCrash([0], 0)).toEqual({ kind: 'reload', delayMs: 0 })
  expect(afterCrash([0, 10], 10)).toEqual({ kind: 'reload', delayMs: 2_000 })
  expect(afterCrash([0, 10, 20, 30], 30)).toMatchObject({ kind: 'reload', delayMs: 30_000 })
  expect(afterCrash([0, 10, 20, 30, 40], 40)).toEqual({ kind: 'ask' })
  // One crash in a while is another matter.
  expect(afterCrash([0, 20 * minute, 40 * minute], 40 * minute)).toEqual({ kind: 'reload', delayMs: 0 })
})
