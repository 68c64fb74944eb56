import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'

/** A square picture in the formats that icon containers need. */
export interface IconImage {
  /** Side length in pixels. */
  size: number
  png: Uint8Array
  /** Rows from the top, four bytes per pixel, colors not multiplied by alpha. */
  rgba: Uint8Array
}

let ready: Promise<void> | undefined

/** Renders a square SVG with WebAssembly, which produces the same bytes on every machine. */
export async function drawPicture(svg: string, size: number): Promise<IconImage> {
  ready ??= readFile(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')).then(initWasm)
  await ready
  const resvg = new Resvg(svg, { fitTo: { mode: 'width', value: size } })
  const image = resvg.render()
  try {
    if (image.width !== size || image.height !== size) throw new Error('A drawing of an icon has to be square.')
    return { size, png: image.asPng(), rgba: divideByAlpha(image.pixels) }
  } finally {
    image.free()
    resvg.free()
  }
}

function divideByAlpha(pixels: Uint8Array): Uint8Array {
  return pixels.map((value, at) => {
    const alpha = pixels[at | 3] ?? 0
    return (at & 3) === 3 || alpha === 0 ? value : Math.round((value * 255) / alpha)
  })
}
