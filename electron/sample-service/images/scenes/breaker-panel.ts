import type { SeededRandom } from '../../site/seeded-random.ts'
import type { Canvas } from '../canvas.ts'
import { drawText } from '../lettering.ts'
import {
  curve,
  drawBox,
  drawGlow,
  drawScrew,
  drawSoftShadow,
  drawTube,
  gradient,
  lit,
  rectangle,
  roundedRectangle,
  stroke,
} from '../painting.ts'
import type { SceneSetting } from './scene-setting.ts'
import { paintGarageWall, paintOutsideWall } from './wall-surfaces.ts'

const circuits = [
  'Range',
  'Dryer',
  'A/C',
  'W. heater',
  'Kitchen',
  'Bath',
  'Bed 1',
  'Bed 2',
  'Living',
  'Garage',
  'Lights',
  'Dishw.',
  'Disposal',
  'Laundry',
  'Furnace',
  'Spare',
  'Outside',
  'Attic fan',
]

/** An open main service panel: main breaker, two columns of breakers, the directory on the door. */
export function paintBreakerPanel(canvas: Canvas, { look, random }: SceneSetting): void {
  if (random.chance(0.6)) paintGarageWall(canvas, random)
  else paintOutsideWall(canvas, look, 0.96)
  const metal = random.pick([0x8b9094, 0x9aa1a1, 0x7d8386])
  const box = { x: random.between(345, 400), y: random.between(40, 62), width: 372, height: 610 }
  const right = box.x + box.width
  drawTube(canvas, [box.x + 96, -100, box.x + 96, box.y + 8], 46, 0xa3a8ab)
  const bend = curve([right - 80, box.y + box.height - 6, right - 80, 760, right - 40, 740, right - 30, 840])
  drawTube(canvas, bend, 34, 0x8d9296)
  drawBox(canvas, { ...box, radius: 8 }, metal, 20)
  paintDoor(canvas, box, metal, random)

  const cover = { x: box.x + 22, y: box.y + 22, width: box.width - 44, height: box.height - 44 }
  drawSoftShadow(canvas, cover, 6, 0.45)
  canvas.fill(
    [roundedRectangle(cover.x, cover.y, cover.width, cover.height, 4)],
    gradient(
      [cover.x, cover.y],
      lit(metal, 1.24),
      [cover.x + cover.width, cover.y + cover.height],
      lit(metal, 1.02),
      0.03,
    ),
  )
  for (const [sx, sy] of [
    [14, 14],
    [cover.width - 14, 14],
    [14, cover.height - 14],
    [cover.width - 14, cover.height - 14],
  ] as const) {
    drawScrew(canvas, cover.x + sx, cover.y + sy, 7, random.between(0, 3))
  }

  const middle = cover.x + cover.width / 2
  const amperes = random.pick([100, 125, 150, 200, 200])
  paintMainBreaker(canvas, middle, cover.y + 34, amperes)
  const rows = random.whole(9, 12)
  const rowHeight = (cover.height - 190) / rows
  const top = cover.y + 160
  canvas.fill([rectangle(middle - 122, top - 5, 244, rows * rowHeight + 10)], 0x1b1c1e)
  for (let row = 0; row < rows; row++) {
    for (const side of [-1, 1] as const) {
      const y = top + row * rowHeight
      const empty = row > rows - 3 && random.chance(0.55)
      if (empty) paintFiller(canvas, middle, side, y, rowHeight, metal)
      else
        paintBreaker(canvas, middle, side, y, rowHeight, random.pick([15, 15, 20, 20, 30, 40, 50]), random.chance(0.07))
      paintCircuitLabel(canvas, middle + side * 126, y, rowHeight, side, empty ? '' : random.pick(circuits))
    }
  }
  drawGlow(canvas, box.x + 120, box.y + 150, 420, 0xffffff, 0.2)
}

function paintMainBreaker(canvas: Canvas, x: number, y: number, amperes: number): void {
  canvas.fill([roundedRectangle(x - 62, y, 124, 100, 6)], gradient([x, y], 0x3a3b3e, [x, y + 100], 0x1c1d1f))
  canvas.fill([rectangle(x - 48, y + 12, 96, 42)], 0x111214)
  canvas.fill([roundedRectangle(x - 4, y + 16, 50, 34, 4)], gradient([x, y + 16], 0x5a5c60, [x, y + 50], 0x2a2b2e))
  drawText(canvas, String(amperes), { x: x + 21, y: y + 40, size: 20, face: 'bold', align: 'middle' }, 0xf4f4f2)
  drawText(canvas, 'ON', { x: x - 26, y: y + 39, size: 15, face: 'bold', align: 'middle' }, 0xe9e9e4)
  drawText(canvas, `MAIN  ${amperes} A`, { x, y: y + 78, size: 15, face: 'bold', align: 'middle' }, 0xdfe0dc)
  drawText(canvas, '120/240 V~', { x, y: y + 93, size: 11, align: 'middle' }, 0xb9bab6)
}

function paintBreaker(
  canvas: Canvas,
  middle: number,
  side: -1 | 1,
  y: number,
  height: number,
  amperes: number,
  off: boolean,
): void {
  const width = 116
  const x = side < 0 ? middle - width - 2 : middle + 2
  const face = roundedRectangle(x, y + 1.5, width, height - 3, 3)
  canvas.fill([face], gradient([x, y], 0x3d3e41, [x, y + height], 0x17181a))
  const slot = { x: side < 0 ? x + 52 : x + 12, width: 52 }
  canvas.fill([rectangle(slot.x, y + height * 0.2, slot.width, height * 0.6)], 0x0b0b0c)
  const inward = side < 0 !== off
  const handle = inward ? slot.x + slot.width - 30 : slot.x + 3
  canvas.fill(
    [roundedRectangle(handle, y + height * 0.16, 27, height * 0.68, 3)],
    gradient([handle, y], 0x74767a, [handle, y + height], 0x2e3033),
  )
  drawText(
    canvas,
    String(amperes),
    { x: handle + 13.5, y: y + height * 0.5 + 5, size: 14, face: 'bold', align: 'middle' },
    0xffffff,
  )
  const marker = inward ? slot.x + 4 : slot.x + slot.width - 14
  canvas.fill([rectangle(marker, y + height * 0.36, 10, height * 0.28)], off ? 0x2f7a3d : 0xc9362c)
}

function paintFiller(canvas: Canvas, middle: number, side: -1 | 1, y: number, height: number, metal: number): void {
  const x = side < 0 ? middle - 118 : middle + 2
  canvas.fill(
    [rectangle(x, y + 1, 116, height - 2)],
    gradient([x, y], lit(metal, 1.2), [x, y + height], lit(metal, 0.92)),
  )
}

function paintCircuitLabel(canvas: Canvas, x: number, y: number, height: number, side: -1 | 1, text: string): void {
  if (text === '') return
  const width = 36
  const left = side < 0 ? x - width : x
  canvas.fill([rectangle(left, y + height * 0.22, width, height * 0.56)], 0xf3f0e4)
  drawText(canvas, text, { x: left + width / 2, y: y + height * 0.5 + 3, size: 8.5, align: 'middle' }, 0x2a3350)
}

/** The door swings open to the left and shows the handwritten directory. */
function paintDoor(
  canvas: Canvas,
  box: { x: number; y: number; width: number; height: number },
  metal: number,
  random: SeededRandom,
): void {
  const { x, y, height } = box
  const far = x - 268
  canvas.fill([[far + 16, y + 46, x + 6, y + 26, x + 6, y + height + 20, far + 16, y + height + 64]], 0x000000, 0.28)
  const door = [far, y - 26, x + 2, y + 6, x + 2, y + height - 6, far, y + height + 34]
  canvas.fill([door], gradient([far, y], lit(metal, 1.12), [x, y + height], lit(metal, 0.86), 0.03))
  canvas.fill([stroke([far, y - 26, far, y + height + 34], 5)], lit(metal, 0.6))
  const at = (across: number, down: number): readonly [number, number] => {
    const depth = 1 - across
    return [far + across * (x - far), y - 26 * depth + 6 * across + down * (height + 60 * depth - 12 * across)]
  }
  const sheet = [...at(0.16, 0.12), ...at(0.84, 0.12), ...at(0.84, 0.78), ...at(0.16, 0.78)]
  canvas.fill([sheet], gradient([far, y], 0xf5f1e4, [x, y + height], 0xe3dccb, 0.03))
  drawText(
    canvas,
    'CIRCUIT DIRECTORY',
    { x: far + 134, y: y + height * 0.115 + 22, size: 15, face: 'bold', align: 'middle' },
    0x3b3b3b,
  )
  for (let row = 0; row <= 14; row++) {
    const down = 0.18 + row * 0.042
    canvas.fill([stroke([...at(0.18, down), ...at(0.82, down)], 1.2)], 0x8d8a82)
    if (row === 14) break
    for (const start of [0.21, 0.54]) {
      const [tx, ty] = at(start, down + 0.034)
      if (random.chance(0.85)) drawText(canvas, random.pick(circuits), { x: tx, y: ty, size: 13.5 }, 0x2b3a78, 0.9)
    }
  }
}
