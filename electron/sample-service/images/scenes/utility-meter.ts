import type { SeededRandom } from '../../site/seeded-random.ts'
import type { Canvas } from '../canvas.ts'
import { drawText } from '../lettering.ts'
import {
  drawBox,
  drawGlow,
  drawScrew,
  drawTube,
  ellipse,
  gradient,
  lit,
  rectangle,
  roundedRectangle,
  stroke,
  writeColour,
} from '../painting.ts'
import { daylight, paintShrubs } from './outdoors.ts'
import type { SceneSetting } from './scene-setting.ts'
import { paintOutsideWall } from './wall-surfaces.ts'

/** The utility meter on the outside wall, with its riser, and a disconnect beside it on most sites. */
export function paintUtilityMeter(canvas: Canvas, { look, random }: SceneSetting): void {
  const light = daylight(look)
  paintOutsideWall(canvas, look, light)
  const metal = random.pick([0x9aa0a3, 0x8a8f92, 0xa7a69e])
  const center = { x: random.between(300, 410), y: random.between(270, 300) }
  const socket = { x: center.x - 158, y: center.y - 190, width: 316, height: 430 }
  drawTube(canvas, [center.x, -100, center.x, socket.y + 6], 58, 0xa6abae)
  drawTube(canvas, [center.x + 60, socket.y + 424, center.x + 60, 830], 46, 0x999ea1)
  if (random.chance(0.75)) paintDisconnect(canvas, random, { x: socket.x + 410, y: center.y - 60 }, metal, socket)
  drawBox(canvas, { ...socket, radius: 12 }, metal, 20)
  canvas.fill([stroke([socket.x + 8, socket.y + 330, socket.x + 308, socket.y + 330], 3)], lit(metal, 0.66))
  for (const [x, y] of [
    [20, 20],
    [296, 20],
    [20, 410],
    [296, 410],
  ] as const) {
    drawScrew(canvas, socket.x + x, socket.y + y, 7, random.between(0, 3))
  }
  paintSticker(canvas, random, socket.x + 32, socket.y + 348)
  paintMeterFace(canvas, random, center.x, center.y)
  if (random.chance(0.6)) paintShrubs(canvas, random, -60, 1020, 745, 95)
}

function paintMeterFace(canvas: Canvas, random: SeededRandom, x: number, y: number): void {
  drawGlow(canvas, x + 12, y + 18, 178, 0x000000, 1.6)
  canvas.fill([ellipse(x, y, 130, 130, 64)], gradient([x - 90, y - 90], 0xdde1e3, [x + 90, y + 90], 0x6d7376))
  canvas.fill([ellipse(x, y, 117, 117, 64)], gradient([x - 80, y - 80], 0x7b8184, [x + 80, y + 80], 0xb9bec0))
  canvas.fill([ellipse(x, y, 108, 108, 64)], gradient([x, y - 108], 0xe9ebe6, [x, y + 108], 0xc8cbc5))
  canvas.fill([roundedRectangle(x - 72, y - 46, 144, 54, 5)], 0x3c423e)
  canvas.fill([rectangle(x - 67, y - 41, 134, 44)], gradient([x, y - 41], 0xb3c0a5, [x, y + 3], 0x9aa98d))
  const reading = String(random.whole(1200, 98999)).padStart(5, '0')
  drawText(canvas, reading, { x: x + 40, y: y - 7, size: 32, face: 'bold', align: 'right' }, 0x1d261d)
  drawText(canvas, 'kWh', { x: x + 45, y: y - 7, size: 10 }, 0x1d261d)
  drawText(canvas, 'CL200   240V   3W   FM2S', { x, y: y - 62, size: 12, align: 'middle' }, 0x3a3d3b)
  canvas.fill([rectangle(x - 66, y + 20, 132, 34)], 0xf8f8f4)
  for (let bar = x - 60; bar < x + 58; bar += random.between(3, 6)) {
    canvas.fill([rectangle(bar, y + 24, random.between(1, 3), 17)], 0x16181a)
  }
  drawText(
    canvas,
    `${random.whole(10, 99)} ${random.whole(100, 999)} ${random.whole(100, 999)}`,
    { x, y: y + 51, size: 10, align: 'middle' },
    0x16181a,
  )
  drawText(canvas, 'SMART METER', { x, y: y + 76, size: 12, face: 'bold', align: 'middle' }, 0x4d6a78)
  canvas.fill([ellipse(x, y, 108, 108, 64)], (px, py, out) => {
    const edge = Math.sqrt((px - x) ** 2 + (py - y) ** 2) / 108
    writeColour(out, 0x14181a)
    out[3] = edge > 0.8 ? (edge - 0.8) * (1.2 + (px - x + py - y) / 200) : 0
  })
  drawGlow(canvas, x - 54, y - 66, 40, 0xffffff, 0.9)
}

function paintSticker(canvas: Canvas, random: SeededRandom, x: number, y: number): void {
  canvas.fill([roundedRectangle(x, y, 150, 58, 4)], 0xf2c230)
  canvas.fill([rectangle(x + 5, y + 5, 140, 48)], 0x201d16)
  drawText(canvas, 'METER NO.', { x: x + 75, y: y + 22, size: 12, face: 'bold', align: 'middle' }, 0xf2c230)
  const number = `${random.whole(10, 99)}-${random.whole(100, 999)}-${random.whole(100, 999)}`
  drawText(canvas, number, { x: x + 75, y: y + 44, size: 19, face: 'bold', align: 'middle' }, 0xffffff)
}

function paintDisconnect(
  canvas: Canvas,
  random: SeededRandom,
  place: { x: number; y: number },
  metal: number,
  socket: { x: number; y: number; width: number },
): void {
  const box = { x: place.x, y: place.y, width: 170, height: 250 }
  drawTube(canvas, [socket.x + socket.width - 4, box.y + 120, box.x + 6, box.y + 120], 30, 0xa3a8ab)
  drawTube(canvas, [box.x + 60, box.y + 246, box.x + 60, 830], 30, 0xa3a8ab)
  drawBox(canvas, { ...box, radius: 6 }, lit(metal, 1.06), 16)
  drawBox(canvas, { x: box.x + 18, y: box.y + 30, width: 134, height: 96, radius: 4 }, 0xb8bcbe, 5)
  canvas.fill([roundedRectangle(box.x + 34, box.y + 44, 102, 68, 4)], 0xb3261e)
  drawText(canvas, 'PV AC', { x: box.x + 85, y: box.y + 72, size: 20, face: 'bold', align: 'middle' }, 0xffffff)
  drawText(canvas, 'DISCONNECT', { x: box.x + 85, y: box.y + 95, size: 14.5, face: 'bold', align: 'middle' }, 0xffffff)
  drawText(
    canvas,
    `${random.pick([30, 60, 100])} A  240 V`,
    { x: box.x + 85, y: box.y + 160, size: 14, align: 'middle' },
    0x2d3032,
  )
  canvas.fill(
    [roundedRectangle(box.x + 150, box.y + 170, 42, 16, 6)],
    gradient([0, box.y + 170], 0xd2382d, [0, box.y + 186], 0x84201a),
  )
  drawScrew(canvas, box.x + 85, box.y + 226, 7, random.between(0, 3))
}
