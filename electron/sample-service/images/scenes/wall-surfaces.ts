import type { SeededRandom } from '../../site/seeded-random.ts'
import type { Canvas } from '../canvas.ts'
import { rectangle, smoothStep, writeColour } from '../painting.ts'
import { cloudNoise, smoothNoise, speckle } from '../textures.ts'
import { bleed } from './outdoors.ts'
import type { SiteLook } from './scene-setting.ts'

/** How light falls on a wall: brightest in the upper left, as from the sun or a flash. */
const fall = (x: number, y: number): number => {
  const away = ((x - 220) * (x - 220) + (y - 120) * (y - 120)) / 1_100_000
  return away >= 1 ? 0.86 : 1.06 - 0.2 * away * (2 - away)
}

const whole = rectangle(-bleed, -bleed, 960 + 2 * bleed, 720 + 2 * bleed)

/** The outside wall of a site: lap siding, stucco or brick, seen from close by. */
export function paintOutsideWall(canvas: Canvas, look: SiteLook, light = 1): void {
  if (look.wall === 'stucco') paintStucco(canvas, look.siding, light)
  else if (look.wall === 'brick') paintBrick(canvas, light)
  else paintLapSiding(canvas, look.siding, light)
}

function paintLapSiding(canvas: Canvas, colour: number, light: number): void {
  const lap = 96
  canvas.fill([whole], (x, y, out) => {
    const place = ((((y + 400) / lap) % 1) + 1) % 1
    const shadow = 0.3 * smoothStep(0.07, 0, place) + 0.45 * smoothStep(0.95, 0.975, place)
    const edge = 1 + 0.05 * (0.5 - place) - shadow
    const grain = 0.97 + 0.05 * smoothNoise(x / 70, y / 2.2) + 0.03 * (speckle(x | 0, y | 0) - 0.5)
    writeColour(out, colour, light * fall(x, y) * edge * grain)
  })
}

function paintStucco(canvas: Canvas, colour: number, light: number): void {
  canvas.fill([whole], (x, y, out) => {
    const bump = smoothNoise(x / 3.2, y / 3.2) - smoothNoise((x + 2) / 3.2, (y + 2) / 3.2)
    writeColour(out, colour, light * fall(x, y) * (0.97 + 0.13 * bump + 0.07 * cloudNoise(x * 0.6, y * 0.6)))
  })
}

function paintBrick(canvas: Canvas, light: number): void {
  const [wide, tall] = [132, 44]
  canvas.fill([whole], (x, y, out) => {
    const row = Math.floor((y + 440) / tall)
    const across = (x + 528) / wide + (row & 1) * 0.5
    const down = (y + 440) / tall - row
    const column = Math.floor(across)
    const mortar = down < 0.13 || across - column < 0.045
    const rough = 0.9 + 0.14 * cloudNoise(x * 1.3, y * 1.3) + 0.12 * (speckle(x | 0, y | 0) - 0.5)
    const tone = 0.8 + 0.34 * speckle(column * 7 + 3, row * 11)
    const edge = down < 0.2 || across - column < 0.06 ? 0.8 : 1
    writeColour(out, mortar ? 0xb9b0a4 : 0x9c5f4b, light * fall(x, y) * rough * (mortar ? 0.86 : tone * edge))
  })
}

/** A painted garage wall above a concrete stem wall. */
export function paintGarageWall(canvas: Canvas, random: SeededRandom): void {
  const paint = random.pick([0xe5e1d8, 0xd9dde0, 0xdccfb9, 0xc9d2cd])
  const stem = random.between(585, 640)
  canvas.fill([whole], (x, y, out) => {
    if (y > stem) {
      const pits = cloudNoise(x, y * 1.4) * 0.24 + 0.08 * (speckle(x | 0, y | 0) - 0.5)
      writeColour(out, 0xa7a49d, fall(x, y) * (0.8 + pits) * (y < stem + 6 ? 0.7 : 1))
      return
    }
    const seam = Math.abs(x - 702) < 1.6 ? 0.95 : 1
    writeColour(
      out,
      paint,
      fall(x, y) * seam * (0.97 + 0.04 * cloudNoise(x * 0.4, y * 0.4) + 0.025 * (speckle(x | 0, y | 0) - 0.5)),
    )
  })
}
