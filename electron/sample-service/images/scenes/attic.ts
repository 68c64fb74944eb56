import type { Canvas } from '../canvas.ts'
import { curve, drawGlow, drawTube, ellipse, gradient, lit, mix, rectangle, stroke, writeColour } from '../painting.ts'
import { cloudNoise, smoothNoise, speckle } from '../textures.ts'
import { bleed } from './outdoors.ts'
import type { SceneSetting } from './scene-setting.ts'

/** Distance from rafter to rafter and the rafters' thickness and depth, in units of the attic's half width. */
const rafters = { spacing: 0.42, thickness: 0.075, depth: 0.13 }
const gableDistance = 4.2

/**
 * Inside an attic, looking along the ridge: each pixel is a ray that meets the insulation, a rafter, the sheathing or
 * the gable wall, whichever comes first.
 */
export function paintAttic(canvas: Canvas, { look, random }: SceneSetting): void {
  const eye = { x: 480 + random.between(-150, 150), y: 400 + random.between(-55, 45) }
  const focal = random.between(370, 470)
  const tilt = Math.atan(random.between(0.62, 0.85))
  const [rise, run] = [Math.sin(tilt), Math.cos(tilt)]
  const wood = random.pick([0xb9976a, 0xab8a60, 0xc4a982])
  const sheathing = random.pick([0xb79262, 0xa98a60, 0xbda27a])
  const floorDepth = 0.62
  const slopeDistance = 0.8
  const shift = random.between(0, 1)
  const board = 0.34

  canvas.fill([rectangle(-bleed, -bleed, 960 + 2 * bleed, 720 + 2 * bleed)], (px, py, out) => {
    const dx = (px - eye.x) / focal
    const dy = (py - eye.y) / focal
    const side = dx < 0 ? -1 : 1
    const towards = Math.abs(dx) * rise - dy * run
    const floorZ = dy > 0 ? floorDepth / dy : Infinity
    const sheathZ = towards > 0 ? slopeDistance / towards : Infinity
    const rafterZ = towards > 0 ? (slopeDistance - rafters.depth) / towards : Infinity
    const dark = (z: number): number => 1.16 / (1 + 0.16 * z * z)

    if (floorZ < rafterZ && floorZ < gableDistance) {
      const x = dx * floorZ
      const joist = Math.abs((((floorZ / 0.55 + shift) % 1) + 1) % 1)
      const fluff = 0.55 + 0.75 * cloudNoise(x * 130 + 300, floorZ * 130) + 0.14 * (speckle(px | 0, py | 0) - 0.5)
      if (joist < 0.1 && smoothNoise(x * 6, floorZ * 3) > 0.42) writeColour(out, wood, 0.7 * dark(floorZ))
      else writeColour(out, look.insulation, fluff * dark(floorZ))
      return
    }
    if (rafterZ < gableDistance) {
      const nearPlace = rafterZ / rafters.spacing + shift
      const wide = rafters.thickness / rafters.spacing
      const along = dx * rafterZ * run * side - dy * rafterZ * rise
      const grain = 0.9 + 0.16 * smoothNoise(along * 9, Math.floor(nearPlace) * 7 + rafterZ * 46)
      if (nearPlace - Math.floor(nearPlace) < wide) {
        writeColour(out, wood, 0.9 * grain * dark(rafterZ))
        return
      }
      const farPlace = Math.min(sheathZ, gableDistance) / rafters.spacing + shift
      if (Math.floor(farPlace) > Math.floor(nearPlace)) {
        const faceZ = (Math.floor(nearPlace) + 1 - shift) * rafters.spacing
        writeColour(out, wood, 1.12 * grain * dark(faceZ))
        return
      }
      if (sheathZ < gableDistance) {
        const up = Math.abs(dx) * sheathZ * run - dy * sheathZ * rise
        const sheet = (((up / 1.2 + 10 + Math.floor(sheathZ / 2.1) * 0.5) % 1) + 1) % 1
        const seam = sheet < 0.012 ? 0.5 : 1
        const knots =
          0.76 + 0.3 * smoothNoise(up * 60 + side * 90, sheathZ * 18) + 0.1 * (speckle(px | 0, py | 0) - 0.5)
        const beside = Math.min(1, 0.72 + (nearPlace - Math.floor(nearPlace) - wide) * 0.9)
        writeColour(out, sheathing, 0.82 * knots * seam * beside * dark(sheathZ))
        return
      }
    }
    const wallX = dx * gableDistance
    const wallY = dy * gableDistance
    const stud = (((wallX / 0.42 + 20.12) % 1) + 1) % 1 < 0.17
    writeColour(
      out,
      stud ? wood : mix(sheathing, 0x6d5a42, 0.4),
      (stud ? 1.1 : 0.8) * dark(gableDistance) * (0.92 + 0.12 * smoothNoise(wallX * 9, wallY * 40)),
    )
  })

  const ridgeY = eye.y - (slopeDistance / run) * focal
  const farScale = focal / gableDistance
  const ridge = [eye.x - focal * board * 0.2, ridgeY - 40, eye.x + focal * board * 0.2, ridgeY - 40]
  const farY = eye.y - (slopeDistance / run) * farScale
  const beam = [...ridge, eye.x + farScale * 0.07, farY + 4, eye.x - farScale * 0.07, farY + 4]
  canvas.fill([beam], gradient([0, -40], lit(wood, 0.98), [0, farY], lit(wood, 0.4), 0.05))
  paintGableVent(canvas, eye.x, eye.y - farScale * 0.32, farScale * 0.22)
  if (random.chance(0.6)) paintDuct(canvas, eye, focal, floorDepth, random.pick([-1, 1]) * random.between(0.32, 0.5))
  if (random.chance(0.55)) paintBulb(canvas, eye.x + random.between(-26, 26), farY + (ridgeY - farY) * 0.25 + 26)
  const cableX = random.between(-0.5, 0.5)
  const cable = curve([eye.x + cableX * focal, -40, eye.x + cableX * 500, 160, eye.x - 60, 200, eye.x + 12, farY + 30])
  canvas.fill([stroke(cable, 4)], random.pick([0xe8dfb0, 0xd9d9d4]), 0.85)
}

function paintGableVent(canvas: Canvas, x: number, y: number, size: number): void {
  drawGlow(canvas, x, y + size * 0.5, size * 5, 0xfff3d4, 0.55)
  canvas.fill([rectangle(x - size, y - size * 0.6, size * 2, size * 2)], 0x6b5233)
  canvas.fill([rectangle(x - size * 0.85, y - size * 0.45, size * 1.7, size * 1.7)], 0xfdf6e2)
  for (let slat = 0; slat < 6; slat++) {
    canvas.fill([rectangle(x - size * 0.85, y - size * 0.4 + slat * size * 0.28, size * 1.7, size * 0.13)], 0x8d734c)
  }
}

function paintDuct(canvas: Canvas, eye: { x: number; y: number }, focal: number, floor: number, across: number): void {
  const point = (z: number): readonly [number, number, number] => [
    eye.x + ((across * focal) / z) * 0.9,
    eye.y + ((floor - 0.11) * focal) / z,
    (0.12 * focal) / z,
  ]
  for (let z = 3.8; z > 0.58; z -= 0.07) {
    const [x, y, radius] = point(z)
    const light = 1.1 / (1 + 0.16 * z * z)
    const rib = Math.round(z / 0.07) % 2 === 0 ? 1 : 0.86
    const body = gradient(
      [x - radius * 0.5, y - radius],
      lit(0xd0d4d8, light * rib),
      [x + radius * 0.6, y + radius],
      lit(0x6a6e73, light * rib),
    )
    canvas.fill([ellipse(x, y, radius, radius)], body)
  }
}

function paintBulb(canvas: Canvas, x: number, y: number): void {
  drawTube(canvas, [x, y - 60, x, y - 12], 4, 0xd8d4c8)
  drawGlow(canvas, x, y, 240, 0xffe9b8, 0.7)
  canvas.fill([ellipse(x, y - 12, 7, 9)], 0x3b3732)
  canvas.fill([ellipse(x, y + 4, 12, 14)], 0xfffbee)
}
