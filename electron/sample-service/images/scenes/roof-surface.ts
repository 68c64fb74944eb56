import type { SeededRandom } from '../../site/seeded-random.ts'
import type { Canvas, Outline, Shade } from '../canvas.ts'
import { ellipse, gradient, lit, smoothStep, stroke, writeColour } from '../painting.ts'
import { cloudNoise, speckle } from '../textures.ts'

/**
 * A roof plane in perspective. `u` runs along the eave from the middle of the picture, `z` away from the camera: 1 at the
 * lower edge of the picture, `ridgeZ` at the ridge.
 */
export interface RoofSurface {
  readonly ridgeZ: number
  readonly leftU: number
  readonly rightU: number
  /** Scene units for one unit of `u` at depth `z`. */
  scaleAt(z: number): number
  toScene(u: number, z: number): readonly [number, number]
  toSurface(x: number, y: number): readonly [number, number]
}

export function createRoofSurface(edges: {
  leftU: number
  rightU: number
  ridgeY: number
  horizonY: number
}): RoofSurface {
  const { leftU, rightU, ridgeY, horizonY } = edges
  const reach = 770 - horizonY
  const width = 430
  return {
    ridgeZ: reach / (ridgeY - horizonY),
    leftU,
    rightU,
    scaleAt: (z) => width / z,
    toScene: (u, z) => [480 + (u * width) / z, horizonY + reach / z],
    toSurface: (x, y) => {
      const z = reach / Math.max(1, y - horizonY)
      return [((x - 480) * z) / width, z]
    },
  }
}

/** The outline of a rectangle that lies on the roof. */
export function patchOutline(roof: RoofSurface, u0: number, z0: number, u1: number, z1: number): Outline {
  return [...roof.toScene(u0, z0), ...roof.toScene(u1, z0), ...roof.toScene(u1, z1), ...roof.toScene(u0, z1)]
}

function shingles(roof: RoofSurface, colour: number, light: number): Shade {
  const rowDepth = 0.085
  return (x, y, out) => {
    const [u, z] = roof.toSurface(x, y)
    const rowPlace = z / rowDepth
    const row = Math.floor(rowPlace)
    const down = 1 - (rowPlace - row)
    const tabPlace = u / 0.2 + speckle(row, 7) * 3
    const tab = Math.floor(tabPlace)
    const across = tabPlace - tab
    // Far rows are thinner than a pixel: their contrast fades instead of flickering.
    const sharp = smoothStep(5, 1.6, z)
    const tone = 0.84 + 0.3 * speckle(tab * 3, row * 5)
    const worn = 0.9 + 0.2 * cloudNoise(u * 70 + 500, z * 70)
    const butt = down > 0.86 ? 1 - 0.5 * smoothStep(0.86, 0.97, down) * sharp : 1 + 0.06 * (1 - down) * sharp
    const slot = across < 0.05 && down > 0.25 ? 1 - 0.35 * sharp : 1
    const grain = 1 + 0.16 * (speckle(x | 0, y | 0) - 0.5)
    writeColour(out, colour, light * (1 + (tone - 1) * (0.35 + 0.65 * sharp)) * worn * butt * slot * grain)
  }
}

export function paintRoofSurface(canvas: Canvas, roof: RoofSurface, colour: number, trim: number, light: number): void {
  const { leftU, rightU, ridgeZ } = roof
  canvas.fill([patchOutline(roof, leftU, 0.82, rightU, ridgeZ)], shingles(roof, colour, light))
  for (const u of [leftU, rightU]) {
    const edge = [...roof.toScene(u, 0.82), ...roof.toScene(u, ridgeZ)] as const
    canvas.fill([stroke([edge[0], edge[1] + 6, edge[2], edge[3] + 2], 9)], lit(trim, light * 0.85))
    canvas.fill([stroke(edge, 4)], lit(colour, 0.55))
  }
  paintRidgeCap(canvas, roof, lit(colour, light))
}

function paintRidgeCap(canvas: Canvas, roof: RoofSurface, colour: number): void {
  const size = roof.scaleAt(roof.ridgeZ)
  const [left, y] = roof.toScene(roof.leftU, roof.ridgeZ)
  const [right] = roof.toScene(roof.rightU, roof.ridgeZ)
  const from = Math.max(left, -100)
  const to = Math.min(right, 1060)
  for (let x = from; x < to; x += size * 0.2) {
    const end = Math.min(to, x + size * 0.2)
    const piece = [x, y - size * 0.05, end, y - size * 0.05, end, y + size * 0.06, x, y + size * 0.06]
    canvas.fill([piece], gradient([0, y - size * 0.05], lit(colour, 1.2), [0, y + size * 0.06], lit(colour, 0.78)))
    canvas.fill([stroke([end, y - size * 0.05, end, y + size * 0.06], 1.2)], 0x000000, 0.35)
  }
  canvas.fill([stroke([from, y + size * 0.07, to, y + size * 0.07], size * 0.025)], 0x000000, 0.3)
}

/** The shadow that something of a height throws down the roof to the right. */
function castShadow(canvas: Canvas, roof: RoofSurface, u: number, z: number, width: number, length: number): void {
  const points = [
    ...roof.toScene(u - width, z),
    ...roof.toScene(u + width, z),
    ...roof.toScene(u + width + length, z - length * 0.5),
    ...roof.toScene(u - width + length, z - length * 0.5),
  ]
  canvas.fill([points], 0x0a0a10, 0.38)
}

/** A square box vent with a hood. */
export function paintBoxVent(canvas: Canvas, roof: RoofSurface, u: number, z: number, colour: number): void {
  const [x, y] = roof.toScene(u, z)
  const s = roof.scaleAt(z)
  castShadow(canvas, roof, u, z, 0.09, 0.14)
  canvas.fill([patchOutline(roof, u - 0.15, z - 0.08, u + 0.15, z + 0.16)], lit(colour, 0.8))
  const w = s * 0.11
  const h = s * 0.11
  canvas.fill([[x - w * 0.8, y, x + w * 0.8, y, x + w * 0.8, y - h, x - w * 0.8, y - h]], 0x26272a)
  for (let slat = 1; slat < 4; slat++) {
    const at = y - (h * slat) / 4
    canvas.fill([stroke([x - w * 0.75, at, x + w * 0.75, at], s * 0.008)], lit(colour, 0.9))
  }
  const hood = [
    x - w * 1.15,
    y - h * 0.75,
    x + w * 1.15,
    y - h * 0.75,
    x + w * 0.9,
    y - h * 1.7,
    x - w * 0.9,
    y - h * 1.7,
  ]
  canvas.fill([hood], gradient([x, y - h * 1.7], lit(colour, 1.3), [x, y - h * 0.75], lit(colour, 0.95)))
  canvas.fill([stroke([x - w * 1.15, y - h * 0.72, x + w * 1.15, y - h * 0.72], s * 0.016)], lit(colour, 0.6))
}

/** A plumbing vent: flashing, rubber boot, pipe. */
export function paintPipeVent(canvas: Canvas, roof: RoofSurface, u: number, z: number): void {
  const [x, y] = roof.toScene(u, z)
  const s = roof.scaleAt(z)
  castShadow(canvas, roof, u, z, 0.025, 0.26)
  canvas.fill(
    [patchOutline(roof, u - 0.13, z - 0.1, u + 0.13, z + 0.16)],
    gradient([x, y - s * 0.1], 0x9da2a6, [x, y + s * 0.1], 0x74797d),
  )
  canvas.fill(
    [[x - s * 0.09, y + s * 0.01, x + s * 0.09, y + s * 0.01, x + s * 0.04, y - s * 0.1, x - s * 0.04, y - s * 0.1]],
    0x2c2d30,
  )
  const pipe = [
    x - s * 0.035,
    y - s * 0.08,
    x + s * 0.035,
    y - s * 0.08,
    x + s * 0.035,
    y - s * 0.34,
    x - s * 0.035,
    y - s * 0.34,
  ]
  canvas.fill([pipe], gradient([x - s * 0.035, y], 0xe9e7e0, [x + s * 0.035, y], 0x9d9a92))
  canvas.fill([ellipse(x, y - s * 0.34, s * 0.035, s * 0.012, 20)], 0x3a3936)
}

/** A glazed skylight with a frame, lying on the roof. */
export function paintSkylight(canvas: Canvas, roof: RoofSurface, u: number, z: number): void {
  canvas.fill([patchOutline(roof, u - 0.27, z - 0.16, u + 0.34, z + 0.38)], 0x0a0a10, 0.3)
  canvas.fill([patchOutline(roof, u - 0.28, z - 0.14, u + 0.28, z + 0.38)], 0x4d4a47)
  canvas.fill([patchOutline(roof, u - 0.25, z - 0.115, u + 0.25, z + 0.35)], 0x8d8985)
  const [x0, y0] = roof.toScene(u - 0.2, z + 0.3)
  const [x1, y1] = roof.toScene(u + 0.2, z - 0.07)
  canvas.fill(
    [patchOutline(roof, u - 0.21, z - 0.08, u + 0.21, z + 0.31)],
    gradient([x0, y0], 0xc7dcea, [x1, y1], 0x2f4a60),
  )
  canvas.fill([patchOutline(roof, u - 0.12, z - 0.05, u - 0.05, z + 0.28)], 0xffffff, 0.22)
}

/** A brick chimney standing on the ridge. */
export function paintChimney(canvas: Canvas, roof: RoofSurface, u: number, random: SeededRandom): void {
  const z = roof.ridgeZ * 0.86
  const [x, y] = roof.toScene(u, z)
  const s = roof.scaleAt(z)
  const brick = random.pick([0x9a5a47, 0x8b6753, 0xa89a8c])
  const w = s * 0.36
  const h = s * 1.25
  castShadow(canvas, roof, u, z, 0.36, 0.7)
  const wall =
    (dark: number): Shade =>
    (px, py, out) => {
      const row = Math.floor(py / 7)
      const across = px / 17 + (row & 1) * 0.5
      const mortar = py / 7 - row < 0.16 || across - Math.floor(across) < 0.07
      const tone = 0.82 + 0.3 * speckle(Math.floor(across) * 5, row * 3)
      writeColour(out, mortar ? 0xb8b0a6 : brick, dark * (mortar ? 0.85 : tone))
    }
  canvas.fill([[x - w, y + s * 0.1, x + w, y + s * 0.1, x + w, y - h, x - w, y - h]], wall(1))
  canvas.fill([[x + w, y + s * 0.1, x + w * 1.35, y - s * 0.06, x + w * 1.35, y - h * 1.02, x + w, y - h]], wall(0.62))
  const cap = [x - w * 1.12, y - h, x + w * 1.5, y - h, x + w * 1.5, y - h - s * 0.12, x - w * 1.12, y - h - s * 0.12]
  canvas.fill([cap], gradient([x - w, y], 0xc9c5bd, [x + w * 1.5, y], 0x8e8a83))
  canvas.fill(
    [[x - w * 1.08, y + s * 0.06, x + w * 1.08, y + s * 0.06, x + w * 1.2, y + s * 0.16, x - w * 1.2, y + s * 0.16]],
    0x777b7f,
  )
}
