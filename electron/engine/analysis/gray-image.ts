/** A picture in shades of gray: a byte for each pixel, row by row. */
export interface GrayImage {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Returns the image as a portable graymap, a file that takes no decoding. */
export function toGraymap({ width, height, pixels }: GrayImage): Uint8Array {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels])
}

/** Returns the image with at most `maxSide` pixels in each direction: each one is the mean of those in its place. */
export function reduceImage(image: GrayImage, maxSide: number): GrayImage {
  const factor = Math.max(image.width, image.height) / maxSide
  if (factor <= 1) return image
  return resample(image, Math.max(1, Math.round(image.width / factor)), Math.max(1, Math.round(image.height / factor)))
}

/** Returns the image in a size that is not larger, whatever its proportions. */
export function resample({ width, height, pixels }: GrayImage, newWidth: number, newHeight: number): GrayImage {
  const result = new Uint8Array(newWidth * newHeight)
  const columns = Array.from({ length: newWidth + 1 }, (_, x) => Math.floor((x * width) / newWidth))
  for (let y = 0; y < newHeight; y += 1) {
    const top = Math.floor((y * height) / newHeight)
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * height) / newHeight))
    for (let x = 0; x < newWidth; x += 1) {
      const left = columns[x] ?? 0
      const right = Math.max(left + 1, columns[x + 1] ?? 0)
      let sum = 0
      for (let v = top; v < bottom; v += 1) {
        for (let u = left; u < right; u += 1) sum += pixels[v * width + u] ?? 0
      }
      result[y * newWidth + x] = sum / ((bottom - top) * (right - left))
    }
  }
  return { width: newWidth, height: newHeight, pixels: result }
}
