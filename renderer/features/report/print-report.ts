import type { PDFDocumentProxy } from 'pdfjs-dist'

/** Points of a PDF per inch, and dots of the printed picture: text is sharp, and a page takes some 400 KB. */
const pointsPerInch = 72
const dotsPerInch = 200

/**
 * Draws the pages of a report and returns their pictures as URLs of this window, to be revoked by the caller. Stops at
 * the next page once the signal aborts.
 */
export async function drawPages(document: PDFDocumentProxy, signal: AbortSignal): Promise<string[]> {
  const urls: string[] = []
  try {
    for (let number = 1; number <= document.numPages; number += 1) {
      signal.throwIfAborted()
      const page = await document.getPage(number)
      const viewport = page.getViewport({ scale: dotsPerInch / pointsPerInch })
      const canvas = window.document.createElement('canvas')
      canvas.width = Math.round(viewport.width)
      canvas.height = Math.round(viewport.height)
      await page.render({ canvas, viewport, intent: 'print' }).promise
      urls.push(URL.createObjectURL(await toPicture(canvas)))
      // The memory of a canvas is freed only with its size.
      canvas.width = 0
    }
    return urls
  } catch (error) {
    urls.forEach((url) => URL.revokeObjectURL(url))
    throw error
  }
}

function toPicture(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const end = (blob: Blob | null) => (blob === null ? reject(new Error('The page is too large.')) : resolve(blob))
    canvas.toBlob(end, 'image/jpeg', 0.92)
  })
}
