import type { SeededRandom } from '../../site/seeded-random.ts'
import type { Canvas } from '../canvas.ts'
import { ellipse, gradient, lit, mix, rectangle, smoothStep, stroke, writeColour } from '../painting.ts'
import { cloudNoise, smoothNoise, softCloudNoise, speckle } from '../textures.ts'
import type { SiteLook } from './scene-setting.ts'

/** Scenes paint a little past the frame, because the camera is turned and moved. */
export const bleed = 90

const skies: Record<SiteLook['sky'], { top: number; low: number; cloud: number; cover: number; light: number }> = {
  clear: { top: 0x3f7fc4, low: 0xbfdcf0, cloud: 0xffffff, cover: 0.62, light: 1.05 },
  scattered: { top: 0x4d88c6, low: 0xc9e0ef, cloud: 0xfbfcff, cover: 0.5, light: 1 },
  overcast: { top: 0x98a5b1, low: 0xd3d9de, cloud: 0xe6e9ec, cover: 0.38, light: 0.88 },
  evening: { top: 0x5f7fb0, low: 0xf3cfa5, cloud: 0xffe2c4, cover: 0.52, light: 0.98 },
}

/** How bright outdoor things are under the site's sky, about 0.9 to 1.05. */
export function daylight(look: SiteLook): number {
  return skies[look.sky].light
}

export function paintSky(canvas: Canvas, look: SiteLook, random: SeededRandom, horizon: number): void {
  const { top, low, cloud, cover } = skies[look.sky]
  const offsetX = random.between(0, 256)
  const offsetY = random.between(0, 256)
  const base = gradient([0, 0], top, [0, horizon], low)
  canvas.fill([rectangle(-bleed, -bleed, 960 + 2 * bleed, horizon + 2 * bleed)], (x, y, out) => {
    base(x, y, out)
    const near = 0.35 + (0.9 * Math.max(0, y + bleed)) / horizon
    const density = softCloudNoise(x * 0.16 * near + offsetX, y * 0.42 * near + offsetY)
    const share = smoothStep(cover, cover + 0.22, density) * 0.9
    const shadow = 1 - 0.12 * smoothStep(cover + 0.12, cover + 0.3, density)
    out[0] = (out[0] ?? 0) * (1 - share) + (cloud >> 16) * shadow * share
    out[1] = (out[1] ?? 0) * (1 - share) + ((cloud >> 8) & 255) * shadow * share
    out[2] = (out[2] ?? 0) * (1 - share) + (cloud & 255) * shadow * share
  })
}

/** A far ridge of hills in the haze, its top about `y`. */
export function paintHills(canvas: Canvas, random: SeededRandom, y: number, height: number, colour: number): void {
  const offset = random.between(0, 200)
  const points = [-bleed, y + 200]
  for (let x = -bleed; x <= 960 + bleed; x += 10) {
    points.push(x, y - height * (smoothNoise(x / 190 + offset, 3) * 0.75 + smoothNoise(x / 60 + offset, 9) * 0.25))
  }
  points.push(960 + bleed, y + 200)
  canvas.fill([points], gradient([0, y - height], colour, [0, y + 60], lit(colour, 1.2)))
}

/** A band of distant trees standing on `y`. */
export function paintTreeline(canvas: Canvas, random: SeededRandom, y: number, height: number, light: number): void {
  for (let layer = 0; layer < 2; layer++) {
    const offset = random.between(0, 200)
    const green = lit(mix(0x6f8a6a, 0x48683f, layer), light)
    const top = height * (1.1 - layer * 0.35)
    const points = [-bleed, y + 40]
    for (let x = -bleed; x <= 960 + bleed; x += 4) {
      const crown = smoothNoise(x / 42 + offset, 1) * 0.7 + smoothNoise(x / 11 + offset, 5) * 0.3
      points.push(x, y - top * (0.35 + crown * 0.65))
    }
    points.push(960 + bleed, y + 40)
    canvas.fill([points], (x, py, out) => {
      writeColour(out, green, 0.82 + 0.4 * cloudNoise(x * 2.2, py * 2.2 + layer * 90) - 0.1 * speckle(x | 0, py | 0))
    })
  }
}

export function paintLawn(canvas: Canvas, y: number, light: number, colour = 0x6f8f4a): void {
  canvas.fill([rectangle(-bleed, y, 960 + 2 * bleed, 720 + bleed - y)], (x, py, out) => {
    const near = 90 / (py - y + 30)
    const patch = cloudNoise(x * near * 0.8 + 40, 260 * near)
    const blade = speckle((x * 0.9) | 0, (py * 0.45) | 0)
    writeColour(out, colour, light * (0.78 + 0.3 * patch + 0.14 * (blade - 0.5)))
  })
}

/** A broad-leaved tree, `height` tall, standing on (x, y). */
export function paintTree(
  canvas: Canvas,
  random: SeededRandom,
  place: { x: number; y: number; height: number },
  light: number,
  leaf = 0x557a3c,
): void {
  const { x, y, height } = place
  canvas.fill([ellipse(x + height * 0.16, y, height * 0.38, height * 0.05)], 0x1c2410, 0.3)
  const trunk = [x, y, x + height * 0.01, y - height * 0.3, x - height * 0.01, y - height * 0.55]
  canvas.fill([stroke(trunk, height * 0.06)], lit(0x5a4634, light))
  const crownY = y - height * 0.66
  const blobs = Array.from({ length: 70 }, () => {
    const angle = random.between(0, Math.PI * 2)
    const away = Math.sqrt(random.next())
    return {
      x: x + Math.cos(angle) * away * height * 0.29,
      y: crownY + Math.sin(angle) * away * height * 0.3,
      size: height * random.between(0.05, 0.1),
    }
  })
  canvas.fill([ellipse(x, crownY, height * 0.27, height * 0.27)], lit(leaf, light * 0.5))
  blobs.sort((a, b) => b.y + b.x * 0.4 - (a.y + a.x * 0.4))
  for (const blob of blobs) {
    const sun = smoothStep(0.5, -0.5, (blob.y - crownY + (blob.x - x) * 0.6) / (height * 0.6))
    const colour = lit(leaf, light * (0.6 + sun * 0.5))
    const bumps: number[] = []
    for (let side = 0; side < 22; side++) {
      const angle = (side / 22) * Math.PI * 2
      const radius = blob.size * (0.84 + 0.3 * speckle(side * 7, Math.floor(blob.x)))
      bumps.push(blob.x + Math.cos(angle) * radius, blob.y + Math.sin(angle) * radius * 0.85)
    }
    canvas.fill([bumps], (px, py, out) => {
      const above = (blob.y - py) / blob.size
      writeColour(out, colour, 0.94 + 0.14 * above + 0.3 * (speckle((px * 0.4) | 0, (py * 0.4) | 0) - 0.5))
    })
  }
}

/** A row of low bushes between two places. */
export function paintShrubs(
  canvas: Canvas,
  random: SeededRandom,
  from: number,
  to: number,
  y: number,
  size: number,
): void {
  for (let x = from; x <= to; x += size * random.between(0.8, 1.3)) {
    const height = size * random.between(0.75, 1.1)
    const green = random.pick([0x4d6b38, 0x5d7a3f, 0x44603f, 0x6b7f4b])
    canvas.fill([ellipse(x + 5, y + 2, size * 0.75, size * 0.18)], 0x14180c, 0.35)
    canvas.fill([ellipse(x, y - height * 0.42, size * 0.66, height * 0.55, 24)], (px, py, out) => {
      const sun = smoothStep(0.7, -0.8, (py - (y - height * 0.42) + (px - x) * 0.5) / height)
      writeColour(out, green, 0.55 + 0.6 * sun + 0.35 * (speckle((px * 0.4) | 0, (py * 0.4) | 0) - 0.5))
    })
  }
}
