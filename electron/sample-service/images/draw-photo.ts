import { SeededRandom } from '../site/seeded-random.ts'
import { Canvas, sceneHeight, sceneWidth } from './canvas.ts'
import { encodeJpeg } from './encode-jpeg.ts'
import { drawText, drawableText, fitText, textWidth } from './lettering.ts'
import { gradient, rectangle } from './painting.ts'
import { scenePainters } from './scenes/scene-painters.ts'
import type { SceneKind } from './scenes/scene-painters.ts'
import { chooseSiteLook } from './scenes/scene-setting.ts'

/** The strip at the foot of a photo. */
interface Caption {
  readonly question: string
  readonly address: string
  readonly number: string
  readonly time: string
}

/** All that a picture depends on: the same picture gives the same bytes. */
export interface Picture {
  readonly scene: SceneKind
  /** Names the site, whose look all its pictures share. */
  readonly siteKey: string
  /** Names the picture itself. */
  readonly key: string
  readonly caption: Caption | null
}

/** Draws a picture and encodes it as a JPEG without EXIF. The height follows from the width (4 : 3). */
export function drawPhoto(picture: Picture, width: number, quality: number): Buffer {
  const canvas = new Canvas(width, Math.round((width * sceneHeight) / sceneWidth))
  const random = new SeededRandom(`${picture.key}/picture`)
  canvas.look({
    angle: random.between(-0.024, 0.024),
    zoom: random.between(1.04, 1.1),
    dx: random.between(-14, 14),
    dy: random.between(-12, 8),
  })
  const look = chooseSiteLook(new SeededRandom(`${picture.siteKey}/look`))
  scenePainters[picture.scene](canvas, { look, random })
  develop(canvas, random)
  canvas.look()
  if (picture.caption) drawCaption(canvas, picture.caption)
  return encodeJpeg(canvas.data, canvas.width, canvas.height, quality)
}

/** Exposure, warmth and a lens's darker corners: no two photos of a phone come out alike. */
function develop(canvas: Canvas, random: SeededRandom): void {
  const { width, height, data } = canvas
  const exposure = random.between(0.94, 1.06)
  const warmth = random.between(-0.035, 0.035)
  const red = exposure * (1 + warmth)
  const blue = exposure * (1 - warmth)
  const columns = Float32Array.from({ length: width }, (_, x) => ((x - width / 2) / width) ** 2)
  for (let y = 0; y < height; y++) {
    const row = ((y - height / 2) / width) ** 2
    let pixel = y * width * 4
    for (let x = 0; x < width; x++, pixel += 4) {
      const corner = 1 - 0.62 * ((columns[x] ?? 0) + row)
      data[pixel] = (data[pixel] ?? 0) * red * corner
      data[pixel + 1] = (data[pixel + 1] ?? 0) * exposure * corner
      data[pixel + 2] = (data[pixel + 2] ?? 0) * blue * corner
    }
  }
}

function drawCaption(canvas: Canvas, caption: Caption): void {
  const top = sceneHeight - 74
  canvas.fill([rectangle(0, top - 26, sceneWidth, 100)], gradient([0, top - 26], 0x0d1216, [0, top], 0x0d1216), 0.62)
  canvas.fill([rectangle(0, top - 26, sceneWidth, 100)], 0x0d1216, 0.3)
  canvas.fill([rectangle(24, top - 8, 5, 64)], 0xf5b335)
  const right = sceneWidth - 28
  const number = drawableText(caption.number, 'bold')
  const time = drawableText(caption.time)
  const question = drawableText(caption.question, 'bold')
  const address = drawableText(caption.address)
  drawText(canvas, number, { x: right, y: top + 18, size: 24, face: 'bold', align: 'right' }, 0xf5b335)
  drawText(canvas, time, { x: right, y: top + 49, size: 21, align: 'right' }, 0xd7dde1)
  const questionRoom = right - 44 - 24 - textWidth(number, 24, 'bold')
  const addressRoom = right - 44 - 24 - textWidth(time, 21)
  drawText(
    canvas,
    fitText(question, questionRoom, 25, 'bold'),
    { x: 44, y: top + 18, size: 25, face: 'bold' },
    0xffffff,
  )
  drawText(canvas, fitText(address, addressRoom, 21), { x: 44, y: top + 49, size: 21 }, 0xd7dde1)
}
