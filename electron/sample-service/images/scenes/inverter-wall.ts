import type { SeededRandom } from '../../site/seeded-random.ts'
import type { Canvas } from '../canvas.ts'
import { drawText } from '../lettering.ts'
import {
  curve,
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
} from '../painting.ts'
import type { SceneSetting } from './scene-setting.ts'
import { paintGarageWall, paintOutsideWall } from './wall-surfaces.ts'

/** Inverter, battery and disconnect side by side on a wall, joined by conduit. */
export function paintInverterWall(canvas: Canvas, { look, random }: SceneSetting): void {
  if (random.chance(0.65)) paintGarageWall(canvas, random)
  else paintOutsideWall(canvas, look)
  const top = random.between(120, 160)
  const gutter = { x: 90, y: 560, width: 790, height: 54 }
  drawTube(canvas, [200, -100, 200, gutter.y + 10], 34, 0xb1b6b9)
  drawBox(canvas, { ...gutter, radius: 4 }, 0x9ea3a6, 14)
  for (const x of [110, 380, 620, 860]) drawScrew(canvas, x, gutter.y + 14, 5.5, random.between(0, 3))
  const order = random.chance(0.5) ? ['inverter', 'battery', 'switch'] : ['switch', 'inverter', 'battery']
  let x = 260
  for (const kind of order) {
    if (kind === 'inverter') x = paintInverter(canvas, random, x, top)
    else if (kind === 'battery') x = paintBattery(canvas, random, x, top - 40)
    else x = paintSafetySwitch(canvas, random, x, top + 70)
  }
  drawGlow(canvas, 250, 90, 520, 0xffffff, 0.16)
}

function dropToGutter(canvas: Canvas, x: number, y: number): void {
  drawTube(canvas, [x, y, x, 566], 24, 0xa9aeb1)
  canvas.fill([rectangle(x - 17, 548, 34, 14)], gradient([x - 17, 0], 0xd9dcde, [x + 17, 0], 0x767b7e))
}

function paintInverter(canvas: Canvas, random: SeededRandom, x: number, y: number): number {
  const dark = random.chance(0.5)
  const colour = dark ? 0x3a3e43 : 0xe4e5e2
  const box = { x, y, width: 212, height: 320 }
  dropToGutter(canvas, x + 62, y + 310)
  dropToGutter(canvas, x + 150, y + 310)
  drawBox(canvas, { ...box, radius: 16 }, colour, 22)
  for (let fin = 0; fin < 9; fin++) {
    canvas.fill([rectangle(x + 26 + fin * 18.5, y + 14, 7, 52)], lit(colour, dark ? 0.66 : 0.84))
  }
  canvas.fill([roundedRectangle(x + 42, y + 100, 128, 66, 6)], 0x14181b)
  canvas.fill([rectangle(x + 48, y + 106, 116, 54)], gradient([x, y + 106], 0x1f4d5c, [x + 160, y + 160], 0x10303b))
  drawText(
    canvas,
    `${(random.whole(21, 74) / 10).toFixed(1)} kW`,
    { x: x + 106, y: y + 136, size: 25, face: 'bold', align: 'middle' },
    0xd8f6ff,
  )
  drawText(canvas, `today ${random.whole(4, 38)} kWh`, { x: x + 106, y: y + 153, size: 12, align: 'middle' }, 0x9fd3e0)
  const ready = random.chance(0.85) ? 0x49d36a : 0xf0a12d
  drawGlow(canvas, x + 106, y + 198, 30, ready, 0.8)
  canvas.fill([ellipse(x + 106, y + 198, 6, 6)], lit(ready, 1.3))
  const brand = random.pick(['HELION 7.6', 'Norvolt H8', 'SUNPATH 10K'])
  drawText(
    canvas,
    brand,
    { x: x + 106, y: y + 246, size: 21, face: 'bold', align: 'middle' },
    dark ? 0xe6e8ea : 0x33383c,
  )
  canvas.fill([rectangle(x + 14, y + 280, 184, 2)], lit(colour, 0.7))
  return x + 246
}

function paintBattery(canvas: Canvas, random: SeededRandom, x: number, y: number): number {
  const width = 200
  dropToGutter(canvas, x + 100, y + 400)
  drawBox(canvas, { x, y, width, height: 408, radius: 26 }, 0xeef0f0, 26)
  canvas.fill([rectangle(x + 97, y + 40, 6, 210)], gradient([0, y + 40], 0x4fd07b, [0, y + 250], 0x2f9f9a))
  drawGlow(canvas, x + 100, y + 120, 80, 0x6df09a, 0.22)
  drawText(
    canvas,
    random.pick(['voltstack', 'homecell', 'NORVOLT']),
    { x: x + 100, y: y + 320, size: 21, face: 'bold', align: 'middle' },
    0x777d80,
  )
  drawText(
    canvas,
    `${random.pick(['10.0', '13.5', '16.2'])} kWh`,
    { x: x + 100, y: y + 344, size: 14, align: 'middle' },
    0x999ea0,
  )
  return x + 240
}

function paintSafetySwitch(canvas: Canvas, random: SeededRandom, x: number, y: number): number {
  const box = { x, y, width: 128, height: 222 }
  dropToGutter(canvas, x + 64, y + 214)
  drawBox(canvas, { ...box, radius: 5 }, 0x9da2a5, 16)
  canvas.fill([roundedRectangle(x + 14, y + 20, 100, 62, 4)], 0xb3261e)
  drawText(canvas, 'WARNING', { x: x + 64, y: y + 44, size: 18, face: 'bold', align: 'middle' }, 0xffffff)
  drawText(canvas, 'DUAL POWER', { x: x + 64, y: y + 60, size: 11, face: 'bold', align: 'middle' }, 0xffffff)
  drawText(canvas, 'SUPPLY', { x: x + 64, y: y + 74, size: 11, face: 'bold', align: 'middle' }, 0xffffff)
  canvas.fill([roundedRectangle(x + 26, y + 108, 76, 74, 4)], 0xf4f4ef)
  drawText(canvas, 'ON', { x: x + 64, y: y + 128, size: 15, face: 'bold', align: 'middle' }, 0x24272a)
  drawText(canvas, 'OFF', { x: x + 64, y: y + 174, size: 15, face: 'bold', align: 'middle' }, 0x24272a)
  canvas.fill([stroke([x + 64, y + 146, x + 92, y + 139], 9)], 0x4a4e52)
  canvas.fill([ellipse(x + 64, y + 146, 10, 10)], 0x6f7478)
  canvas.fill([roundedRectangle(x + 122, y + 124, 34, 15, 6)], gradient([0, y + 124], 0xe0483c, [0, y + 139], 0x8d241c))
  const wire = curve([x + 30, y + 222, x + 24, y + 240, x + 10, y + 236, x + 12, y + 262])
  if (random.chance(0.4)) canvas.fill([stroke(wire, 5)], 0x3d7a46)
  return x + 172
}
