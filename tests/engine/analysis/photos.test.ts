import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AnalysisRunner, createAnalysisRunner } from '../../../electron/engine/analysis/analysis-runner.ts'
import { mayHavePrint } from '../../../electron/engine/analysis/analysis-plan.ts'
import type { AnalysisTask, PhotoMeasures, PhotoWord } from '../../../electron/engine/analysis/analysis-task.ts'
import { startProcess } from '../../support/start-process.ts'
import { makePhoto, qrCode, writeFile } from './made-files.ts'

const { signal } = new AbortController()
let folder: string
let runner: AnalysisRunner
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'solarchive-analysis-'))
  runner = createAnalysisRunner({ start: startProcess })
})
afterAll(() => {
  runner.close()
  rmSync(folder, { recursive: true, force: true })
})

const read = (bytes: Uint8Array, task: Omit<AnalysisTask, 'file'>) =>
  runner.run({ ...task, file: writeFile(folder, 'photo.jpg', bytes) }, signal)

async function codesOf(photo: Uint8Array): Promise<PhotoWord[]> {
  const result = await read(photo, { kind: 'text' })
  return result?.kind === 'text' ? result.codes : []
}

async function measuresOf(photo: Uint8Array): Promise<Partial<PhotoMeasures>> {
  const result = await read(photo, { kind: 'measures' })
  return result?.kind === 'measures' ? result.measures : {}
}

const samplePhoto = (name: string) => readFileSync(join(import.meta.dirname, '../../../resources/sample/photos', name))

describe('a code on a photo', () => {
  it('is read, with its place on the photo as people see it', async () => {
    const code = await qrCode('SN-4417-88', { left: 40, top: 60, scale: 6 })
    const shade = (x: number, y: number) => (code.isDark(x, y) ? 10 : 220)
    const box = [40 / 480, 60 / 320, code.size / 480, code.size / 320].map((part) => expect.closeTo(part, 1) as number)
    const found = [expect.objectContaining({ text: 'SN-4417-88', format: 'QRCode', confidence: 1, box })]
    expect(await codesOf(makePhoto(480, 320, shade))).toEqual(found)
    // Stored upside down, and on its side.
    expect(await codesOf(makePhoto(480, 320, (x, y) => shade(479 - x, 319 - y), { orientation: 3 }))).toEqual(found)
    expect(await codesOf(makePhoto(320, 480, (x, y) => shade(479 - y, x), { orientation: 6 }))).toEqual(found)
  })

  it('is read on a PNG, also where the paper is transparent; not on a damaged, huge, or interlaced one', async () => {
    const code = await qrCode('SN-4417-88', { left: 40, top: 60, scale: 6 })
    const image = new PNG({ width: 480, height: 320 })
    // Black everywhere: only the ink is opaque.
    for (let at = 0; at < 480 * 320; at += 1) {
      image.data[4 * at + 3] = code.isDark(at % 480, Math.floor(at / 480)) ? 255 : 0
    }
    const png = PNG.sync.write(image)
    expect(await codesOf(png)).toMatchObject([{ text: 'SN-4417-88', format: 'QRCode' }])
    const changed = (change: (bytes: Buffer) => void) => {
      const copy = Buffer.from(png)
      change(copy)
      return read(copy, { kind: 'text' })
    }
    const failed = (reason: string) => ({ kind: 'failed', reason })
    expect(await read(png.subarray(0, 20), { kind: 'text' })).toEqual(failed('unreadable'))
    expect(await read(png.subarray(0, 60), { kind: 'text' })).toEqual(failed('unreadable'))
    expect(await changed((bytes) => bytes.writeUInt32BE(60_000, 16))).toEqual(failed('too-large'))
    expect(await changed((bytes) => bytes.writeUInt8(1, 28))).toEqual({ kind: 'text', codes: [], print: [] })
  })
})

describe('print on a photo', () => {
  it('is read word by word, if it is asked for', async () => {
    const labels = samplePhoto('labels-1.jpg')
    const result = await read(labels, { kind: 'text', readsPrint: true })
    const words = result?.kind === 'text' ? result.print : []
    const texts = words.map(({ text, endsLine }) => text + (endsLine ? '\n' : ' ')).join('')
    expect(texts).toContain('ELECTRIC SHOCK HAZARD\n')
    expect(texts).toContain('400')
    // The warning is above the power source.
    const topOf = (text: string) => words.find((word) => word.text === text)?.box[1] ?? 0
    expect(topOf('HAZARD')).toBeLessThan(topOf('PHOTOVOLTAIC'))
    expect(await read(labels, { kind: 'text' })).toMatchObject({ print: [] })
  })

  it.each(['Main service panel, cover off', 'Utility meter', 'Warning labels', 'Inverter serial number', 'Subpanel'])(
    'is looked for in "%s"',
    (label) => expect(mayHavePrint(label)).toBe(true),
  )

  it.each(['Roof planes', 'Driveway access', 'Perimeter of the attic', ''])('is not looked for in "%s"', (label) =>
    expect(mayHavePrint(label)).toBe(false),
  )
})

describe('the measures of a photo', () => {
  it('distinguish dark from bright, blurred from sharp, and another size of the same photo', async () => {
    const boards = (x: number, y: number) => (((x >> 4) + (y >> 3)) % 3 === 0 ? 40 + (x % 90) : 200 - (y % 70))
    const blurred = (x: number, y: number) => {
      let sum = 0
      for (let u = -8; u <= 8; u += 1) sum += boards(Math.max(0, x + u), y)
      return sum / 17
    }
    const sharp = await measuresOf(makePhoto(640, 480, boards))
    const soft = await measuresOf(makePhoto(640, 480, blurred))
    const dark = await measuresOf(makePhoto(640, 480, (x, y) => boards(x, y) / 20))
    expect(dark.brightness).toBeLessThan(0.05)
    expect(sharp.brightness).toBeGreaterThan(0.3)
    expect(soft.sharpness).toBeLessThan((sharp.sharpness ?? 0) / 2)
    const photo = await measuresOf(samplePhoto('panel-1.jpg'))
    const other = await measuresOf(samplePhoto('roof-1.jpg'))
    const thumbnail = readFileSync(join(import.meta.dirname, '../../../resources/sample/thumbnails/panel-1.jpg'))
    const small = await measuresOf(thumbnail)
    expect(differentBits(photo.hash, small.hash)).toBeLessThanOrEqual(3)
    expect(differentBits(photo.hash, other.hash)).toBeGreaterThan(10)
  })
})

function differentBits(one: string | null | undefined, other: string | null | undefined): number {
  const bits = BigInt(`0x${one}`) ^ BigInt(`0x${other}`)
  return bits.toString(2).replaceAll('0', '').length
}

describe('a hostile photo', () => {
  const small = makePhoto(64, 64, (x, y) => x + y)
  it('that claims 65,000 by 65,000 pixels is not decoded', async () => {
    const huge = Buffer.from(small)
    const frame = huge.indexOf(Buffer.from([0xff, 0xc0]))
    huge.writeUInt16BE(65_000, frame + 5)
    huge.writeUInt16BE(65_000, frame + 7)
    expect(await read(huge, { kind: 'measures' })).toEqual({ kind: 'failed', reason: 'too-large' })
    expect(await read(huge, { kind: 'text', readsPrint: true })).toEqual({ kind: 'failed', reason: 'too-large' })
  })

  it('of another format, or damaged, does no harm', async () => {
    const nothing = { kind: 'text', codes: [], print: [] }
    expect(await read(Buffer.from('<html>'), { kind: 'text' })).toEqual(nothing)
    expect(await read(Buffer.from('GIF89a'), { kind: 'measures' })).toMatchObject({ measures: { brightness: null } })
    expect(await read(small.subarray(0, 30), { kind: 'measures' })).toEqual({ kind: 'failed', reason: 'unreadable' })
    expect(await read(small, { kind: 'text' })).toEqual(nothing)
  })
})
