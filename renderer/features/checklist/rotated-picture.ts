/**
 * Returns a photo as it is shown, as a new picture: with the rotation that the camera recorded, and turned clockwise by
 * `quarterTurns`. Rejects if this window cannot show it.
 */
export async function rotatedPicture(url: string, quarterTurns: number, type: string): Promise<Blob> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`The photo was answered with ${response.status}.`)
  const bitmap = await createImageBitmap(await response.blob(), { imageOrientation: 'from-image' })
  try {
    const isUpright = quarterTurns % 2 === 0
    const [width, height] = isUpright ? [bitmap.width, bitmap.height] : [bitmap.height, bitmap.width]
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d')
    if (context === null) throw new Error('This window cannot draw.')
    context.translate(width / 2, height / 2)
    context.rotate((quarterTurns * Math.PI) / 2)
    context.drawImage(bitmap, -bitmap.width / 2, -bitmap.height / 2)
    return await canvas.convertToBlob({ type, quality: 0.95 })
  } finally {
    bitmap.close()
  }
}
