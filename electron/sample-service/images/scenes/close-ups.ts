import type { SeededRandom } from '../../site/seeded-random.ts'
import type { Canvas } from '../canvas.ts'
import { drawText } from '../lettering.ts'
import {
  drawBox,
  drawGlow,
  drawScrew,
  drawSoftShadow,
  drawTube,
  ellipse,
  gradient,
  lit,
  rectangle,
  roundedRectangle,
  stroke,
  writeColour,
} from '../painting.ts'
import { cloudNoise, speckle } from '../textures.ts'
import { bleed, daylight } from './outdoors.ts'
import type { SceneSetting } from './scene-setting.ts'
import { paintOutsideWall } from './wall-surfaces.ts'

const whole = rectangle(-bleed, -bleed, 960 + 2 * bleed, 720 + 2 * bleed)

function paintShingleField(canvas: Canvas, colour: number, light: number): void {
  const [wide, tall] = [236, 128]
  canvas.fill([whole], (x, y, out) => {
    const row = Math.floor((y + 512) / tall)
    const down = (y + 512) / tall - row
    const across = (x + 944) / wide + speckle(row, 3) * 2
    const tab = Math.floor(across)
    const side = across - tab
    const butt = down < 0.1 ? 0.5 + 4 * down : down > 0.985 ? 0.55 : 1
    const slot = side < 0.022 ? 0.5 : 1
    const granule = 0.78 + 0.44 * speckle((x * 0.7) | 0, (y * 0.7) | 0)
    const tone = 0.82 + 0.32 * speckle(tab * 9 + 1, row * 5) + 0.14 * (cloudNoise(x * 0.7, y * 0.7) - 0.5)
    writeColour(out, colour, light * tone * granule * Math.min(1, butt) * slot)
  })
}

/** A tape measure lies on the shingles, seen from above; a roof vent or a flashing on some. */
export function paintRoofMeasure(canvas: Canvas, { look, random }: SceneSetting): void {
  const light = daylight(look)
  paintShingleField(canvas, look.roof, light * 1.05)
  if (random.chance(0.5)) {
    const [x, y] = [random.between(560, 760), random.between(130, 200)]
    drawSoftShadow(canvas, { x: x - 90, y: y - 90, width: 210, height: 220 }, 16, 0.4)
    canvas.fill(
      [rectangle(x - 110, y - 110, 220, 210)],
      gradient([x - 110, y - 110], 0xb3b8bb, [x + 110, y + 110], 0x7d8386, 0.05),
    )
    canvas.fill([ellipse(x + 22, y + 26, 66, 66)], 0x000000, 0.4)
    canvas.fill([ellipse(x, y, 66, 66)], gradient([x - 40, y - 40], 0x505358, [x + 40, y + 40], 0x202226))
    canvas.fill([ellipse(x, y, 40, 40)], gradient([x - 30, y - 30], 0xefeee8, [x + 30, y + 30], 0xaaa79f))
    canvas.fill([ellipse(x, y, 33, 33)], 0x17181a)
  }
  paintTape(canvas, random, random.between(400, 480))
}

function paintTape(canvas: Canvas, random: SeededRandom, y: number): void {
  const height = 62
  const inch = 74
  drawSoftShadow(canvas, { x: -120, y: y + 8, width: 920, height }, 9, 0.55)
  canvas.fill([rectangle(-120, y, 900, height)], gradient([0, y], 0xf7d43c, [0, y + height], 0xd9ac1c, 0.02))
  canvas.fill([rectangle(-120, y + height * 0.42, 900, 9)], 0xfff0a0, 0.35)
  const first = random.whole(3, 40)
  for (let index = -1; index < 11; index++) {
    const x = -20 + index * inch
    for (let eighth = 0; eighth < 8; eighth++) {
      const length =
        eighth === 0 ? height : eighth === 4 ? height * 0.42 : eighth % 2 === 0 ? height * 0.3 : height * 0.2
      canvas.fill([rectangle(x + (eighth * inch) / 8, y, eighth === 0 ? 2.6 : 1.7, length)], 0x1d1a12)
    }
    const number = first + index
    const foot = number % 12 === 0
    drawText(
      canvas,
      String(number),
      { x: x + 8, y: y + height - 9, size: 29, face: 'bold' },
      foot ? 0xb3261e : 0x1d1a12,
    )
  }
  const caseX = 700
  drawBox(canvas, { x: caseX, y: y - 74, width: 172, height: 172, radius: 40 }, 0x2b2e32, 18)
  canvas.fill(
    [roundedRectangle(caseX + 16, y - 58, 138, 138, 30)],
    gradient([caseX, y - 58], 0xf0b428, [caseX + 140, y + 80], 0xb97d12, 0.03),
  )
  canvas.fill([ellipse(caseX + 85, y + 11, 46, 46)], 0x26282b)
  drawText(canvas, '25 ft', { x: caseX + 85, y: y + 20, size: 26, face: 'bold', align: 'middle' }, 0xf4e7c0)
}

/** Warning labels on an enclosure, as an inspector wants to see them. */
export function paintWarningLabels(canvas: Canvas, { look, random }: SceneSetting): void {
  paintOutsideWall(canvas, look, daylight(look))
  const metal = random.pick([0x9ea3a6, 0xb4b6b2, 0x878d91])
  const box = { x: random.between(130, 190), y: random.between(30, 60), width: 640, height: 600 }
  drawTube(canvas, [box.x + 180, 600, box.x + 180, 840], 64, 0xa3a8ab)
  drawTube(canvas, [box.x + 470, 600, box.x + 470, 840], 64, 0xa3a8ab)
  drawBox(canvas, { ...box, radius: 12 }, metal, 26)
  for (const [x, y] of [
    [26, 26],
    [614, 26],
    [26, 574],
    [614, 574],
  ] as const) {
    drawScrew(canvas, box.x + x, box.y + y, 11, random.between(0, 3))
  }
  const volts = random.pick([240, 400, 480, 600])
  const amperes = random.pick([21, 32, 40, 48])
  paintLabel(canvas, { x: box.x + 70, y: box.y + 70, width: 500, height: 204 }, 0xb3261e, 'WARNING', [
    'ELECTRIC SHOCK HAZARD',
    'TERMINALS ON LINE AND LOAD SIDES',
    'MAY BE ENERGIZED IN THE OPEN POSITION',
  ])
  paintLabel(
    canvas,
    { x: box.x + 70, y: box.y + 306, width: 500, height: 204 },
    random.pick([0xb3261e, 0xc96a12]),
    'PHOTOVOLTAIC POWER SOURCE',
    [`MAXIMUM VOLTAGE   ${volts} V`, `MAXIMUM CURRENT   ${amperes} A`, 'RAPID SHUTDOWN EQUIPPED'],
  )
  canvas.fill([stroke([box.x + 616, box.y + 300, box.x + 616, box.y + 372], 15)], lit(metal, 0.55))
  drawGlow(canvas, box.x + 180, box.y + 60, 460, 0xffffff, 0.22)
}

function paintLabel(
  canvas: Canvas,
  box: { x: number; y: number; width: number; height: number },
  colour: number,
  heading: string,
  lines: readonly string[],
): void {
  const { x, y, width, height } = box
  canvas.fill([roundedRectangle(x + 3, y + 4, width, height, 8)], 0x000000, 0.3)
  const face = gradient([x, y], lit(colour, 1.08), [x + width, y + height], lit(colour, 0.88))
  canvas.fill([roundedRectangle(x, y, width, height, 8)], face)
  canvas.fill([roundedRectangle(x + 8, y + 8, width - 16, height - 16, 5)], 0xffffff, 0.9)
  canvas.fill([roundedRectangle(x + 11, y + 11, width - 22, height - 22, 4)], face)
  const size = heading.length > 10 ? 27 : 46
  drawText(canvas, heading, { x: x + width / 2, y: y + 62, size, face: 'bold', align: 'middle' }, 0xffffff)
  lines.forEach((line, index) => {
    drawText(
      canvas,
      line,
      { x: x + width / 2, y: y + 108 + index * 34, size: 19, face: 'bold', align: 'middle' },
      0xfff4f0,
    )
  })
}
