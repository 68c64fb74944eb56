import { readdir, readFile } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { makeAppIcons } from '../../scripts/icons/app-icon.ts'
import { makeTrayImages, trayStates } from '../../scripts/icons/tray-images.ts'
import { readArgb, readIcns, readIco, readPngPixels, readPngSize } from './read-icons.ts'

const resources = resolve(import.meta.dirname, '..', '..', 'resources')
const committed = (path: string) => readFile(join(resources, path))

let made: Map<string, Uint8Array>

beforeAll(async () => {
  made = new Map([...(await makeAppIcons(resources)), ...(await makeTrayImages(resources))])
})

test('the committed images match the drawings: run "npm run icons" after changing one', async () => {
  const files = await readdir(resources, { recursive: true, withFileTypes: true })
  const images = files
    .filter((file) => file.isFile() && /\.(png|ico|icns)$/.test(file.name))
    .map((file) => join(file.parentPath, file.name).slice(resources.length + 1))
    .map((path) => path.replaceAll(sep, '/'))
  expect(images.toSorted()).toEqual([...made.keys()].toSorted())
  for (const [path, bytes] of made) expect((await committed(path)).equals(bytes), path).toBe(true)
})

test('every PNG has the size in its name', async () => {
  const sizes = new Map<string, number>()
  for (const path of made.keys()) if (path.endsWith('.png')) sizes.set(path, readPngSize(await committed(path)))
  for (const [path, size] of sizes) {
    const named = /(\d+)(x\d+)?\.png$/.exec(path.replace('@2x', ''))?.[1]
    if (named !== undefined) expect(size, path).toBe(Number(named))
  }
  expect([sizes.get('icon.png'), sizes.get('icon@2x.png')]).toEqual([512, 1024])
  for (const state of trayStates) {
    expect(sizes.get(`tray/mac/${state}Template.png`)).toBe(16)
    expect(sizes.get(`tray/mac/${state}Template@2x.png`)).toBe(32)
  }
})

describe('the Windows icon', () => {
  test('has every size from 16 to 256, the largest as PNG', async () => {
    const members = readIco(await committed('icon.ico'))
    expect(members.map(({ size }) => size)).toEqual([16, 20, 24, 32, 40, 48, 64, 128, 256])
    expect(members.filter(({ rgba }) => rgba === undefined).map(({ bytes }) => readPngSize(bytes))).toEqual([256])
  })

  test('shows the same pixels as the PNG of that size, and masks transparent ones for old programs', async () => {
    const members = readIco(await committed('icon.ico'))
    for (const { size, rgba, hidden } of members.filter((member) => [16, 24, 32, 48, 64].includes(member.size))) {
      const wanted = readPngPixels(await committed(`icons/${size}x${size}.png`))
      expect(rgba, String(size)).toEqual(wanted)
      const alphas = wanted.filter((_, at) => at % 4 === 3)
      expect(hidden, String(size)).toEqual([...alphas].map((alpha) => alpha === 0))
    }
  })
})

describe('the macOS icon', () => {
  test('has every size from 16 to 1024 for both kinds of screen', async () => {
    const members = readIcns(await committed('icon.icns'))
    const pngs = [...members].filter(([type]) => type !== 'ic04' && type !== 'ic05')
    expect(Object.fromEntries(pngs.map(([type, bytes]) => [type, readPngSize(bytes)]))).toEqual({
      ic11: 32,
      ic12: 64,
      ic07: 128,
      ic13: 256,
      ic08: 256,
      ic14: 512,
      ic09: 512,
      ic10: 1024,
    })
    expect(readArgb(members.get('ic04')).length).toBe(16 * 16 * 4)
  })

  test('shows the same image at 32 pixels as at 16 points on a Retina screen', async () => {
    const members = readIcns(await committed('icon.icns'))
    expect(readArgb(members.get('ic05'))).toEqual(readPngPixels(members.get('ic11') ?? Buffer.alloc(0)))
  })
})

describe('the tray images', () => {
  test('distinguish the states by shape, without color', async () => {
    for (const panel of ['light', 'dark']) {
      const shapes = await Promise.all(
        trayStates.map(async (state) => {
          const [smallest] = readIco(await committed(`tray/windows/${state}-on-${panel}.ico`))
          return smallest?.rgba?.filter((_, at) => at % 4 === 3) ?? new Uint8Array()
        }),
      )
      for (const [index, shape] of shapes.entries()) {
        expect(shape.length).toBe(16 * 16)
        for (const other of shapes.slice(index + 1)) {
          // Of 256 pixels: as many as an icon of three by five.
          expect(shape.filter((alpha, at) => Math.abs(alpha - (other[at] ?? 0)) > 128).length).toBeGreaterThan(15)
        }
      }
    }
  })

  test('are black and alpha for macOS, which colors them itself', async () => {
    for (const state of trayStates) {
      const pixels = readPngPixels(await committed(`tray/mac/${state}Template.png`))
      expect(pixels.filter((_, at) => at % 4 !== 3)).toEqual(new Uint8Array(16 * 16 * 3))
    }
  })
})
