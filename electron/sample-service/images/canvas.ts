/** The coordinate space that every scene is drawn in, whatever the size of the picture in pixels. */
export const sceneWidth = 960
export const sceneHeight = 720

/** Computes one pixel: writes red, green and blue (0 to 255) and, where not opaque, alpha (0 to 1) to `out`. */
export type Shade = (x: number, y: number, out: Float32Array) => void

/** One colour as 0xRRGGBB, or a function of the place. */
export type Paint = number | Shade

/** A closed outline: x and y in turn. */
export type Outline = readonly number[]

/** A slightly careless photographer: turned by `angle` (radians), `zoom` times closer, off centre by (dx, dy). */
export interface Camera {
  readonly angle: number
  readonly zoom: number
  readonly dx: number
  readonly dy: number
}

const stillCamera: Camera = { angle: 0, zoom: 1, dx: 0, dy: 0 }

/** A picture of RGBA pixels with anti-aliased filling of outlines, holes included (nonzero winding). */
export class Canvas {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
  readonly #coverage: Float32Array
  readonly #out = new Float32Array(4)
  #a = 1
  #b = 0
  #e = 0
  #f = 0

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.data = new Uint8ClampedArray(width * height * 4).fill(255)
    this.#coverage = new Float32Array((width + 2) * height)
    this.look(stillCamera)
  }

  /** Sets how scene coordinates become pixels from here on. */
  look(camera: Camera = stillCamera): void {
    const scale = (this.width / sceneWidth) * camera.zoom
    this.#a = Math.cos(camera.angle) * scale
    this.#b = Math.sin(camera.angle) * scale
    const cx = sceneWidth / 2 + camera.dx
    const cy = sceneHeight / 2 + camera.dy
    this.#e = this.width / 2 - (this.#a * cx - this.#b * cy)
    this.#f = this.height / 2 - (this.#b * cx + this.#a * cy)
  }

  fill(outlines: readonly Outline[], paint: Paint, alpha = 1): void {
    const { width, height } = this
    let left = width
    let right = 0
    let top = height
    let bottom = 0
    const device: Float64Array[] = []
    for (const outline of outlines) {
      const points = new Float64Array(outline.length)
      for (let index = 0; index + 1 < outline.length; index += 2) {
        const x = outline[index] ?? 0
        const y = outline[index + 1] ?? 0
        const px = this.#a * x - this.#b * y + this.#e
        const py = this.#b * x + this.#a * y + this.#f
        points[index] = px
        points[index + 1] = py
        if (px < left) left = px
        if (px > right) right = px
        if (py < top) top = py
        if (py > bottom) bottom = py
      }
      device.push(points)
    }
    const box = {
      left: Math.max(0, Math.floor(left)),
      right: Math.min(width, Math.ceil(right) + 1),
      top: Math.max(0, Math.floor(top)),
      bottom: Math.min(height, Math.ceil(bottom)),
    }
    if (box.left >= box.right || box.top >= box.bottom) return
    for (const points of device) {
      let x = points[points.length - 2] ?? 0
      let y = points[points.length - 1] ?? 0
      for (let index = 0; index + 1 < points.length; index += 2) {
        const nextX = points[index] ?? 0
        const nextY = points[index + 1] ?? 0
        this.#edge(x, y, nextX, nextY)
        x = nextX
        y = nextY
      }
    }
    if (typeof paint === 'number') this.#blendColour(box, paint, alpha)
    else this.#blendShade(box, paint, alpha)
  }

  /** Adds the signed area to the right of an edge to the coverage (the accumulation of Raph Levien's font-rs). */
  #edge(x0: number, y0: number, x1: number, y1: number): void {
    if (y0 === y1) return
    const direction = y0 < y1 ? 1 : -1
    const topX = y0 < y1 ? x0 : x1
    const topY = Math.min(y0, y1)
    const bottomY = Math.max(y0, y1)
    const slope = (x1 - x0) / (y1 - y0)
    const coverage = this.#coverage
    const stride = this.width + 2
    const last = Math.min(this.height, Math.ceil(bottomY))
    let x = topY < 0 ? topX - topY * slope : topX
    for (let row = Math.max(0, Math.floor(topY)); row < last; row++) {
      const tall = Math.min(row + 1, bottomY) - Math.max(row, topY)
      const nextX = x + slope * tall
      const area = tall * direction
      let low = x < nextX ? x : nextX
      let high = x < nextX ? nextX : x
      x = nextX
      low = low < 0 ? 0 : low > this.width ? this.width : low
      high = high < 0 ? 0 : high > this.width ? this.width : high
      const first = Math.floor(low)
      const end = Math.ceil(high)
      let at = row * stride + first
      if (end <= first + 1) {
        const share = (low + high) / 2 - first
        coverage[at] = (coverage[at] ?? 0) + area * (1 - share)
        coverage[at + 1] = (coverage[at + 1] ?? 0) + area * share
        continue
      }
      const perPixel = area / (high - low)
      let covered = 0
      for (let pixel = first; pixel < end; pixel++, at++) {
        const from = pixel < low ? low : pixel
        const to = pixel + 1 > high ? high : pixel + 1
        const part = (to - from) * perPixel
        const inside = part * (pixel + 1 - (from + to) / 2)
        coverage[at] = (coverage[at] ?? 0) + covered + inside
        covered = part - inside
      }
      coverage[at] = (coverage[at] ?? 0) + covered
    }
  }

  #blendColour(box: Box, colour: number, alpha: number): void {
    const red = colour >> 16
    const green = (colour >> 8) & 255
    const blue = colour & 255
    const { data, width } = this
    const coverage = this.#coverage
    for (let row = box.top; row < box.bottom; row++) {
      let sum = 0
      let at = row * (width + 2) + box.left
      let pixel = (row * width + box.left) * 4
      for (let column = box.left; column < box.right; column++, at++, pixel += 4) {
        sum += coverage[at] ?? 0
        coverage[at] = 0
        const share = sum < 0 ? -sum : sum
        if (share < 0.004) continue
        const part = (share > 1 ? 1 : share) * alpha
        const rest = 1 - part
        data[pixel] = red * part + (data[pixel] ?? 0) * rest
        data[pixel + 1] = green * part + (data[pixel + 1] ?? 0) * rest
        data[pixel + 2] = blue * part + (data[pixel + 2] ?? 0) * rest
      }
      this.#clearRowEnd(row, box.right)
    }
  }

  #blendShade(box: Box, shade: Shade, alpha: number): void {
    const { data, width } = this
    const coverage = this.#coverage
    const out = this.#out
    const scale = this.#a * this.#a + this.#b * this.#b
    const stepX = this.#a / scale
    const stepY = -this.#b / scale
    for (let row = box.top; row < box.bottom; row++) {
      let sum = 0
      let at = row * (width + 2) + box.left
      let pixel = (row * width + box.left) * 4
      const px = box.left + 0.5 - this.#e
      const py = row + 0.5 - this.#f
      let x = (this.#a * px + this.#b * py) / scale
      let y = (this.#a * py - this.#b * px) / scale
      for (let column = box.left; column < box.right; column++, at++, pixel += 4, x += stepX, y += stepY) {
        sum += coverage[at] ?? 0
        coverage[at] = 0
        const share = sum < 0 ? -sum : sum
        if (share < 0.004) continue
        out[3] = 1
        shade(x, y, out)
        const part = (share > 1 ? 1 : share) * alpha * (out[3] ?? 0)
        if (part > 0.998) {
          data[pixel] = out[0] ?? 0
          data[pixel + 1] = out[1] ?? 0
          data[pixel + 2] = out[2] ?? 0
          continue
        }
        const rest = 1 - part
        data[pixel] = (out[0] ?? 0) * part + (data[pixel] ?? 0) * rest
        data[pixel + 1] = (out[1] ?? 0) * part + (data[pixel + 1] ?? 0) * rest
        data[pixel + 2] = (out[2] ?? 0) * part + (data[pixel + 2] ?? 0) * rest
      }
      this.#clearRowEnd(row, box.right)
    }
  }

  /** An edge on the right border leaves its share one column past the box. */
  #clearRowEnd(row: number, column: number): void {
    const at = row * (this.width + 2) + column
    this.#coverage[at] = 0
    if (column + 1 < this.width + 2) this.#coverage[at + 1] = 0
  }
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}
