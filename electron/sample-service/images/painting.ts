import type { Canvas, Outline, Paint, Shade } from './canvas.ts'
import { speckle } from './textures.ts'

const clamp = (value: number): number => (value < 0 ? 0 : value > 1 ? 1 : value)

/** 0 below `from`, 1 above `to`, smooth between. */
export function smoothStep(from: number, to: number, value: number): number {
  const t = clamp((value - from) / (to - from))
  return t * t * (3 - 2 * t)
}

/** The colour `t` of the way from one colour to another. */
export function mix(from: number, to: number, t: number): number {
  const channel = (shift: number): number => {
    const start = (from >> shift) & 255
    return Math.round(start + (((to >> shift) & 255) - start) * clamp(t)) << shift
  }
  return channel(16) | channel(8) | channel(0)
}

/** The colour made lighter (above 1) or darker (below 1). */
export function lit(colour: number, factor: number): number {
  return factor > 1 ? mix(colour, 0xffffff, factor - 1) : mix(0, colour, factor)
}

/** Writes a colour times a brightness to a pixel. */
export function writeColour(out: Float32Array, colour: number, brightness = 1): void {
  out[0] = (colour >> 16) * brightness
  out[1] = ((colour >> 8) & 255) * brightness
  out[2] = (colour & 255) * brightness
}

/** From one colour at (x0, y0) to another at (x1, y1), with an optional fine grain (0 to 1). */
export function gradient(
  [x0, y0]: readonly [number, number],
  from: number,
  [x1, y1]: readonly [number, number],
  to: number,
  grain = 0,
): Shade {
  const lengthSquared = (x1 - x0) ** 2 + (y1 - y0) ** 2
  const start = [from >> 16, (from >> 8) & 255, from & 255] as const
  const change = [(to >> 16) - start[0], ((to >> 8) & 255) - start[1], (to & 255) - start[2]] as const
  return (x, y, out) => {
    const t = clamp(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / lengthSquared)
    const rough = grain === 0 ? 1 : 1 + (speckle(x | 0, y | 0) - 0.5) * grain
    out[0] = (start[0] + change[0] * t) * rough
    out[1] = (start[1] + change[1] * t) * rough
    out[2] = (start[2] + change[2] * t) * rough
  }
}

export function rectangle(x: number, y: number, width: number, height: number): Outline {
  return [x, y, x + width, y, x + width, y + height, x, y + height]
}

export function roundedRectangle(x: number, y: number, width: number, height: number, radius: number): Outline {
  const points: number[] = []
  const corners = [
    [x + width - radius, y + radius, -0.5],
    [x + width - radius, y + height - radius, 0],
    [x + radius, y + height - radius, 0.5],
    [x + radius, y + radius, 1],
  ] as const
  for (const [cx, cy, start] of corners) {
    for (let step = 0; step <= 6; step++) {
      const angle = (start + step / 12) * Math.PI
      points.push(cx + Math.cos(angle) * radius, cy + Math.sin(angle) * radius)
    }
  }
  return points
}

export function ellipse(cx: number, cy: number, rx: number, ry: number, sides = 40): Outline {
  const points: number[] = []
  for (let side = 0; side < sides; side++) {
    const angle = (side / sides) * Math.PI * 2
    points.push(cx + Math.cos(angle) * rx, cy + Math.sin(angle) * ry)
  }
  return points
}

/** A line of straight pieces as one outline of the given width. */
export function stroke(points: Outline, width: number): Outline {
  const there: number[] = []
  const back: number[] = []
  const half = width / 2
  for (let index = 0; index + 1 < points.length; index += 2) {
    const x = points[index] ?? 0
    const y = points[index + 1] ?? 0
    const previous = Math.max(0, index - 2)
    const following = Math.min(points.length - 2, index + 2)
    const dx = (points[following] ?? 0) - (points[previous] ?? 0)
    const dy = (points[following + 1] ?? 0) - (points[previous + 1] ?? 0)
    const length = Math.hypot(dx, dy) || 1
    there.push(x - (dy / length) * half, y + (dx / length) * half)
    back.unshift(x + (dy / length) * half, y - (dx / length) * half)
  }
  return [...there, ...back]
}

/** A curve through the control points of a cubic Bézier, as points for `stroke`. */
export function curve(points: readonly [number, number, number, number, number, number, number, number]): number[] {
  const [x0, y0, x1, y1, x2, y2, x3, y3] = points
  const result: number[] = []
  for (let step = 0; step <= 20; step++) {
    const t = step / 20
    const u = 1 - t
    const [a, b, c, d] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t]
    result.push(a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3)
  }
  return result
}

/** A tube, lit from the upper left, along straight or curved points. */
export function drawTube(canvas: Canvas, points: Outline, width: number, colour: number): void {
  const moved = points.map((value, index) => value + (index % 2 === 0 ? 5 : 7))
  canvas.fill([stroke(moved, width)], 0x000000, 0.22)
  canvas.fill([stroke(points, width)], lit(colour, 0.62))
  canvas.fill([stroke(points, width * 0.72)], colour)
  const shine = points.map((value) => value - width * 0.16)
  canvas.fill([stroke(shine, width * 0.22)], lit(colour, 1.45), 0.8)
}

/** A soft-edged dark (or coloured) rectangle: the shadow that a box throws on the wall behind it. */
export function drawSoftShadow(
  canvas: Canvas,
  box: { x: number; y: number; width: number; height: number },
  blur: number,
  strength: number,
  colour = 0,
): void {
  const { x: left, y: top, width, height } = box
  const right = left + width
  const bottom = top + height
  const shade: Shade = (x, y, out) => {
    writeColour(out, colour)
    const inside = Math.min(x - left, right - x)
    const within = Math.min(y - top, bottom - y)
    out[3] =
      strength *
      (inside > blur ? 1 : smoothStep(-blur, blur, inside)) *
      (within > blur ? 1 : smoothStep(-blur, blur, within))
  }
  canvas.fill([rectangle(left - blur, top - blur, width + 2 * blur, height + 2 * blur)], shade)
}

/** A round glow that fades to nothing at `radius`. */
export function drawGlow(
  canvas: Canvas,
  cx: number,
  cy: number,
  radius: number,
  colour: number,
  strength: number,
): void {
  const shade: Shade = (x, y, out) => {
    writeColour(out, colour)
    const distance = Math.sqrt((x - cx) ** 2 + (y - cy) ** 2) / radius
    out[3] = distance >= 1 ? 0 : (1 - distance) ** 2 * strength
  }
  canvas.fill([ellipse(cx, cy, radius, radius)], shade)
}

/** A metal or plastic box on a wall: shadow, rounded body with a gradient, a light upper and a dark lower edge. */
export function drawBox(
  canvas: Canvas,
  box: { x: number; y: number; width: number; height: number; radius?: number },
  colour: number,
  depth = 14,
): void {
  const { x, y, width, height, radius = 6 } = box
  drawSoftShadow(canvas, { x: x + depth * 0.6, y: y + depth, width, height }, depth, 0.5)
  canvas.fill([roundedRectangle(x, y, width, height, radius)], lit(colour, 0.72))
  const face: Paint = gradient([x, y], lit(colour, 1.14), [x + width * 0.5, y + height], lit(colour, 0.9), 0.03)
  canvas.fill([roundedRectangle(x + 1.5, y + 1.5, width - 4, height - 4.5, Math.max(1, radius - 1))], face)
}

/** A pan-head screw. */
export function drawScrew(canvas: Canvas, x: number, y: number, radius: number, angle: number): void {
  canvas.fill([ellipse(x + 1, y + 1.5, radius, radius, 18)], 0x000000, 0.35)
  canvas.fill([ellipse(x, y, radius, radius, 18)], gradient([x, y - radius], 0xe4e6e8, [x, y + radius], 0x8b9196))
  const dx = Math.cos(angle) * radius * 0.75
  const dy = Math.sin(angle) * radius * 0.75
  canvas.fill([stroke([x - dx, y - dy, x + dx, y + dy], radius * 0.3)], 0x41464a)
}
