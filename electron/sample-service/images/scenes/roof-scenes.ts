import type { Canvas, Shade } from '../canvas.ts'
import { smoothStep, writeColour } from '../painting.ts'
import { daylight, paintHills, paintLawn, paintSky, paintTree, paintTreeline } from './outdoors.ts'
import {
  createRoofSurface,
  paintBoxVent,
  paintChimney,
  paintPipeVent,
  paintRoofSurface,
  paintSkylight,
  patchOutline,
} from './roof-surface.ts'
import type { RoofSurface } from './roof-surface.ts'
import type { SceneSetting } from './scene-setting.ts'

function paintRoofAndSurroundings(canvas: Canvas, { look, random }: SceneSetting): RoofSurface {
  const light = daylight(look)
  const horizon = random.between(330, 380)
  paintSky(canvas, look, random, horizon)
  paintHills(canvas, random, horizon, random.between(20, 110), 0x8fa4b4)
  paintTreeline(canvas, random, horizon + 16, random.between(60, 130), light)
  paintLawn(canvas, horizon + 20, light * 0.95)
  const openSide = random.pick(['left', 'right', 'both'] as const)
  const roof = createRoofSurface({
    leftU: openSide === 'right' ? -6 : -random.between(0.9, 1.5),
    rightU: openSide === 'left' ? 6 : random.between(0.9, 1.5),
    ridgeY: random.between(205, 265),
    horizonY: random.between(60, 110),
  })
  for (const [side, edge] of [
    [-1, roof.leftU],
    [1, roof.rightU],
  ] as const) {
    if (Math.abs(edge) > 3) continue
    const [x] = roof.toScene(edge, 2.2)
    const height = random.between(220, 380)
    paintTree(
      canvas,
      random,
      { x: x + side * random.between(110, 200), y: horizon + random.between(60, 130), height },
      light,
    )
  }
  paintRoofSurface(canvas, roof, look.roof, look.trim, light)
  return roof
}

/** Looking up a shingled roof to its ridge, with its vents, and a skylight or a chimney on some. */
export function paintRoofPlane(canvas: Canvas, setting: SceneSetting): void {
  const { random } = setting
  const roof = paintRoofAndSurroundings(canvas, setting)
  const reach = Math.min(0.85, Math.min(-roof.leftU, roof.rightU))
  if (random.chance(0.4)) paintChimney(canvas, roof, random.between(-reach, reach) * 1.6, random)
  const slots = [-0.85, -0.42, 0, 0.42, 0.85].sort(() => random.next() - 0.5)
  const metal = random.pick([0x55585c, 0x6c5b4d, 0x8c9196])
  const kinds = (['box', 'pipe', 'skylight', 'box', 'pipe'] as const).toSorted(() => random.next() - 0.5)
  const things = kinds.slice(0, random.whole(2, 4)).map((kind, index) => ({
    kind,
    u: (slots[index] ?? 0) * reach * 1.5,
    z: random.between(1.5, roof.ridgeZ * 0.72),
  }))
  things.sort((a, b) => b.z - a.z)
  for (const { u, z, kind } of things) {
    const place = (u * z) / 2.2
    const inside = Math.max(roof.leftU + 0.4, Math.min(roof.rightU - 0.4, place))
    if (kind === 'box') paintBoxVent(canvas, roof, inside, z, metal)
    else if (kind === 'pipe') paintPipeVent(canvas, roof, inside, z)
    else paintSkylight(canvas, roof, inside, z)
  }
}

/** One module's face: frame, cells, busbars, and the sky mirrored in the glass. */
function moduleFace(roof: RoofSurface, u0: number, z0: number, size: { u: number; z: number }, glass: number): Shade {
  return (x, y, out) => {
    const [u, z] = roof.toSurface(x, y)
    const across = (u - u0) / size.u
    const along = (z - z0) / size.z
    if (across < 0.025 || across > 0.975 || along < 0.016 || along > 0.984) {
      writeColour(out, 0xb9bec3, along < 0.02 ? 0.75 : 1)
      return
    }
    const cellU = (across * 6) % 1
    const cellZ = (along * 10) % 1
    // Distances to the nearest cell line in scene units, so that lines stay about one pixel wide at any depth.
    const sideways = (Math.min(cellU, 1 - cellU) * roof.scaleAt(z) * size.u) / 6
    const lengthways = (Math.min(cellZ, 1 - cellZ) * roof.scaleAt(z) * 1.6 * size.z) / (z * 10)
    const line = smoothStep(1.7, 0.3, Math.min(sideways, lengthways)) * smoothStep(6, 1.5, z)
    const bus = smoothStep(0.09, 0.03, Math.abs(((cellU * 3) % 1) - 0.5)) * smoothStep(2.6, 1.2, z)
    const sky = smoothStep(820, 150, y - x * 0.3) * 0.3 + 0.05 * Math.max(0, Math.sin(x / 170 + y / 75))
    const bright = Math.max(line * 0.42, bus * 0.16)
    for (let channel = 0; channel < 3; channel++) {
      const shift = 16 - channel * 8
      const tone = ((glass >> shift) & 255) * (1 - sky) + ((0x9fc0e0 >> shift) & 255) * sky
      out[channel] = tone * (1 - bright) + 205 * bright
    }
  }
}

/** A finished array on the roof. */
export function paintSolarArray(canvas: Canvas, setting: SceneSetting): void {
  const { random } = setting
  const roof = paintRoofAndSurroundings(canvas, setting)
  const glass = random.pick([0x14203a, 0x10151f, 0x162a52])
  const portrait = random.chance(0.6)
  const size = portrait ? { u: 0.46, z: 0.8 } : { u: 0.8, z: 0.46 }
  const rows = portrait ? random.whole(2, 3) : random.whole(3, 5)
  const startZ = random.between(1.15, 1.35)
  const left = Math.max(roof.leftU + 0.25, -1.75)
  const right = Math.min(roof.rightU - 0.25, 1.75)
  const columns = Math.floor((right - left) / (size.u + 0.02))
  const missing = random.chance(0.35) ? random.whole(0, columns - 1) : -1
  const depth = rows * (size.z + 0.025)
  paintPipeVent(
    canvas,
    roof,
    random.between(left + 0.3, right - 0.3),
    Math.min(roof.ridgeZ * 0.85, startZ + depth + 0.45),
  )
  for (let row = rows - 1; row >= 0; row--) {
    const z = startZ + row * (size.z + 0.025)
    if (z + size.z > roof.ridgeZ * 0.94) continue
    for (let column = 0; column < columns; column++) {
      if (row === rows - 1 && column === missing) continue
      const u = left + column * (size.u + 0.02)
      canvas.fill([patchOutline(roof, u + 0.02, z - 0.055, u + size.u + 0.05, z + size.z)], 0x05060a, 0.5)
      canvas.fill([patchOutline(roof, u, z - 0.028, u + size.u, z + size.z)], 0x70757a)
      canvas.fill([patchOutline(roof, u, z, u + size.u, z + size.z)], moduleFace(roof, u, z, size, glass))
    }
  }
}
