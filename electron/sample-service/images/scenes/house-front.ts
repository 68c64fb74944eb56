import type { SeededRandom } from '../../site/seeded-random.ts'
import type { Canvas, Shade } from '../canvas.ts'
import { drawSoftShadow, gradient, lit, mix, rectangle, smoothStep, stroke, writeColour } from '../painting.ts'
import { cloudNoise, speckle } from '../textures.ts'
import { bleed, daylight, paintHills, paintLawn, paintShrubs, paintSky, paintTree, paintTreeline } from './outdoors.ts'
import type { SceneSetting, SiteLook } from './scene-setting.ts'

const ground = 545

/** The house from the street: gable, garage, door, lawn and drive. */
export function paintHouseFront(canvas: Canvas, setting: SceneSetting): void {
  const { look, random } = setting
  const light = daylight(look)
  paintSky(canvas, look, random, 470)
  paintHills(canvas, random, 470, random.between(20, 130), 0x93a6b5)
  paintTreeline(canvas, random, 505, random.between(90, 170), light)
  paintLawn(canvas, 500, light)
  const left = random.between(150, 210)
  const right = random.between(770, 820)
  paintTree(canvas, random, { x: random.between(40, 110), y: 548, height: random.between(330, 430) }, light)
  paintTree(canvas, random, { x: random.between(860, 930), y: 540, height: random.between(260, 400) }, light, 0x647d3e)
  drawSoftShadow(canvas, { x: left + 10, y: ground - 6, width: right - left + 40, height: 20 }, 16, 0.4)
  const garageSide = random.chance(0.5) ? 'left' : 'right'
  const split = garageSide === 'left' ? left + random.between(255, 290) : right - random.between(255, 290)
  const eave = random.between(335, 352)
  const main = garageSide === 'left' ? ([split, right] as const) : ([left, split] as const)
  const wing = garageSide === 'left' ? ([left, split] as const) : ([split, right] as const)

  paintWall(canvas, look, main[0], main[1], eave, light)
  paintMainRoof(canvas, look, left - 26, right + 26, eave, random.between(150, 185), light)
  paintGableWing(canvas, setting, wing, eave, light)
  paintDoorway(canvas, look, garageSide === 'left' ? split + 58 : split - 58, light)
  const windows = garageSide === 'left' ? [split + 165, split + 330] : [split - 165, split - 330]
  for (const x of windows) {
    if (x > left + 55 && x < right - 55) paintWindow(canvas, look, x, eave + 55, 92, 86, light)
  }
  paintDrive(canvas, (wing[0] + wing[1]) / 2, wing[1] - wing[0] - 60, light)
  paintShrubs(
    canvas,
    random,
    main[0] + (garageSide === 'left' ? 115 : 10),
    main[1] - (garageSide === 'left' ? 10 : 115),
    ground + 8,
    34,
  )
}

function wallShade(look: SiteLook, light: number): Shade {
  const colour = look.wall === 'brick' ? 0x9c5f4b : look.siding
  return (x, y, out) => {
    const row = Math.floor(y / (look.wall === 'brick' ? 6 : 11))
    const place = y / (look.wall === 'brick' ? 6 : 11) - row
    let tone = 0.98 + 0.04 * cloudNoise(x, y)
    if (look.wall === 'siding') tone *= place < 0.14 ? 0.8 : 1
    if (look.wall === 'stucco') tone *= 0.95 + 0.1 * speckle(x | 0, y | 0)
    if (look.wall === 'brick') {
      const across = x / 15 + (row & 1) * 0.5
      tone *= place < 0.17 || across % 1 < 0.09 ? 1.18 : 0.82 + 0.3 * speckle(Math.floor(across) * 3, row * 7)
    }
    writeColour(out, colour, light * tone)
  }
}

function paintWall(canvas: Canvas, look: SiteLook, from: number, to: number, eave: number, light: number): void {
  canvas.fill([rectangle(from, eave, to - from, ground - eave)], wallShade(look, light))
  canvas.fill([rectangle(from, ground - 14, to - from, 14)], lit(0x9b978e, light))
  drawSoftShadow(canvas, { x: from, y: eave - 10, width: to - from, height: 26 }, 10, 0.5)
  for (const x of [from, to - 9]) canvas.fill([rectangle(x, eave, 9, ground - eave - 14)], lit(look.trim, light * 0.97))
}

function roofShade(look: SiteLook, light: number): Shade {
  return (x, y, out) => {
    const row = Math.floor(y / 6.5)
    const tab = Math.floor(x / 15 + speckle(row, 2) * 3)
    const lower = y / 6.5 - row > 0.8 ? 0.78 : 1
    writeColour(out, look.roof, light * 1.08 * lower * (0.86 + 0.26 * speckle(tab * 3, row * 5)))
  }
}

function paintMainRoof(
  canvas: Canvas,
  look: SiteLook,
  left: number,
  right: number,
  eave: number,
  top: number,
  light: number,
): void {
  const slant = (eave - top) * 0.42
  canvas.fill([[left, eave + 4, right, eave + 4, right - slant, top, left + slant, top]], roofShade(look, light))
  canvas.fill([stroke([left + slant, top, right - slant, top], 6)], lit(look.roof, light * 0.8))
  canvas.fill(
    [rectangle(left, eave, right - left, 13)],
    gradient([0, eave], lit(look.trim, light), [0, eave + 13], lit(look.trim, light * 0.8)),
  )
}

function paintGableWing(
  canvas: Canvas,
  setting: SceneSetting,
  [from, to]: readonly [number, number],
  eave: number,
  light: number,
): void {
  const { look, random } = setting
  const middle = (from + to) / 2
  const peak = eave - (to - from) * random.between(0.36, 0.46)
  const gable = [from, eave, middle, peak + 12, to, eave, to, ground, from, ground]
  drawSoftShadow(canvas, { x: to - 6, y: eave + 10, width: 26, height: ground - eave - 10 }, 9, 0.35)
  canvas.fill([gable], wallShade(look, light * 1.03))
  for (const [x, side] of [
    [from - 24, -1],
    [to + 24, 1],
  ] as const) {
    const rake = [x, eave + 22, middle, peak, middle, peak - 20, x + side * 4, eave + 2]
    canvas.fill([rake], lit(look.roof, light * (side < 0 ? 1.02 : 0.86)))
    canvas.fill([stroke([x, eave + 23, middle, peak + 3], 9)], lit(look.trim, light * (side < 0 ? 1 : 0.88)))
  }
  canvas.fill([rectangle(middle - 17, peak + 40, 34, 40)], lit(look.trim, light))
  for (let slat = 0; slat < 6; slat++) canvas.fill([rectangle(middle - 13, peak + 45 + slat * 5.6, 26, 2.6)], 0x55524c)
  const width = Math.min(210, to - from - 56)
  const top = ground - 128
  canvas.fill([rectangle(middle - width / 2 - 9, top - 10, width + 18, 138)], lit(look.trim, light))
  canvas.fill(
    [rectangle(middle - width / 2, top, width, 128)],
    gradient([0, top], lit(0xeceae4, light), [0, ground], lit(0xd5d2ca, light)),
  )
  for (let row = 0; row < 4; row++) {
    for (let column = 0; column < 4; column++) {
      const x = middle - width / 2 + (column + 0.08) * (width / 4)
      const panel = rectangle(x, top + row * 32 + 5, (width / 4) * 0.84, 22)
      canvas.fill(
        [panel],
        row === 0 ? gradient([x, top], 0x9fb9c9, [x + 40, top + 30], 0x42596a) : lit(0xc9c6be, light),
      )
    }
  }
}

function paintDoorway(canvas: Canvas, look: SiteLook, x: number, light: number): void {
  const top = ground - 150
  canvas.fill([rectangle(x - 41, top - 10, 82, 160)], lit(look.trim, light))
  canvas.fill(
    [rectangle(x - 33, top, 66, 150)],
    gradient([x - 33, top], lit(look.door, light * 1.1), [x + 33, ground], lit(look.door, light * 0.8)),
  )
  for (const [dx, dy, width, height] of [
    [-24, 62, 20, 34],
    [4, 62, 20, 34],
    [-24, 106, 20, 32],
    [4, 106, 20, 32],
  ] as const) {
    canvas.fill([rectangle(x + dx, top + dy, width, height)], lit(look.door, light * 0.72))
  }
  canvas.fill([rectangle(x - 22, top + 14, 44, 34)], gradient([x, top], 0xb8cfdc, [x + 20, top + 48], 0x3b4f5c))
  canvas.fill([rectangle(x + 20, top + 78, 6, 12)], 0xd8c27a)
  canvas.fill([[x - 52, ground, x + 52, ground, x + 60, ground + 13, x - 60, ground + 13]], lit(0xb8b4ab, light))
}

function paintWindow(
  canvas: Canvas,
  look: SiteLook,
  x: number,
  y: number,
  width: number,
  height: number,
  light: number,
): void {
  canvas.fill([rectangle(x - width / 2 - 8, y - 8, width + 16, height + 18)], lit(look.trim, light))
  const glass: Shade = (px, py, out) => {
    const shine = smoothStep(0.35, 0.65, cloudNoise(px * 0.8 + x, py * 1.2))
    writeColour(out, mix(0x31485a, 0xa9c4d4, shine * 0.7 * smoothStep(y + height, y, py) + 0.1))
  }
  canvas.fill([rectangle(x - width / 2, y, width, height)], glass)
  canvas.fill([rectangle(x - 2, y, 4, height)], lit(look.trim, light))
  canvas.fill([rectangle(x - width / 2, y + height / 2 - 2, width, 4)], lit(look.trim, light))
  canvas.fill([rectangle(x - width / 2, y, width, 5)], 0x000000, 0.3)
}

function paintDrive(canvas: Canvas, x: number, width: number, light: number): void {
  const half = Math.min(120, width / 2)
  const concrete: Shade = (px, py, out) => {
    const seam = Math.abs(py - 640) < 1.6 ? 0.82 : 1
    writeColour(
      out,
      0xb4b1a9,
      light * seam * (0.84 + 0.2 * cloudNoise(px * 0.7, py * 1.6) + 0.06 * (speckle(px | 0, py | 0) - 0.5)),
    )
  }
  canvas.fill(
    [[x - half, ground, x + half, ground, x + half * 1.9, 720 + bleed, x - half * 1.9, 720 + bleed]],
    concrete,
  )
}

/** The side yard with a big tree, for shading and access. */
export function paintYard(canvas: Canvas, { look, random }: SceneSetting): void {
  const light = daylight(look)
  paintSky(canvas, look, random, 400)
  paintHills(canvas, random, 400, random.between(30, 110), 0x8ea3b2)
  paintTreeline(canvas, random, 430, random.between(110, 190), light)
  paintLawn(canvas, 425, light)
  paintFence(canvas, random, light)
  const trees = random.whole(1, 3)
  for (let index = 0; index < trees; index++) {
    const place = {
      x: 150 + (index * 700) / trees + random.between(-40, 120),
      y: 560 + index * 40,
      height: random.between(420, 560),
    }
    paintTree(canvas, random, place, light, random.pick([0x557a3c, 0x647d3e, 0x4a6f45]))
  }
  if (random.chance(0.5)) {
    const side = random.chance(0.5)
    const near = side
      ? [-bleed, 60, 210, 150, 210, 560, -bleed, 660]
      : [960 + bleed, 60, 750, 150, 750, 560, 960 + bleed, 660]
    canvas.fill([near], wallShade(look, light * 0.9))
    const roof = side
      ? [-bleed, -40, 236, 120, 236, 166, -bleed, 90]
      : [960 + bleed, -40, 724, 120, 724, 166, 960 + bleed, 90]
    canvas.fill([roof], lit(look.trim, light * 0.85))
  }
}

function paintFence(canvas: Canvas, random: SeededRandom, light: number): void {
  const wood = random.pick([0x9a7d5c, 0x8a8379, 0xb09a78])
  for (let x = -bleed; x < 960 + bleed; x += 19) {
    const tone = 0.84 + 0.28 * speckle(Math.floor(x), 5)
    const board = [x, 470, x, 394, x + 4, 388, x + 13, 388, x + 17, 394, x + 17, 470]
    canvas.fill([board], gradient([0, 390], lit(wood, light * tone), [0, 470], lit(wood, light * tone * 0.8)))
  }
  drawSoftShadow(canvas, { x: -bleed, y: 466, width: 960 + 2 * bleed, height: 12 }, 6, 0.4)
}
