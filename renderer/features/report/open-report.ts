import type * as PdfJs from 'pdfjs-dist/legacy/build/pdf.mjs'
import type { PDFDocumentProxy } from 'pdfjs-dist'

/** Bytes per request; a page of photos takes a few. */
const rangeChunkBytes = 256 * 1024

/**
 * Loads PDF.js, with the first report. The viewer reads the library from a global, so the order matters. The legacy
 * build polyfills features of the newest browsers: an office's browser may be a year old.
 */
export async function loadPdfJs() {
  const library = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const viewer = await import('pdfjs-dist/legacy/web/pdf_viewer.mjs')
  library.GlobalWorkerOptions.workerSrc = runtimeFile('build/pdf.worker.min.mjs')
  return { library, viewer }
}

export interface OpeningReport {
  readonly document: Promise<PDFDocumentProxy>
  /** Rejects, with the report closed, once a part of it cannot be read in the installed app. Never resolves. */
  readonly lost: Promise<never>
  close(): void
}

/**
 * Opens a report by its URL, fetching only the visited pages, in ranges. No script or WebAssembly is run. `document`
 * rejects if the report cannot be read or was closed before.
 */
export function openReport(library: typeof PdfJs, url: string): OpeningReport {
  // PDF.js requests ranges over HTTP only.
  if (!/^https?:/.test(url)) return openInPieces(library, url)
  const task = library.getDocument({ ...options(library), url })
  return { document: task.promise, lost: new Promise(() => undefined), close: () => void task.destroy() }
}

const options = (library: typeof PdfJs) => ({
  rangeChunkSize: rangeChunkBytes,
  disableAutoFetch: true,
  disableStream: true,
  useSystemFonts: false,
  useWasm: false,
  useWorkerFetch: true,
  enableXfa: false,
  cMapUrl: runtimeFile('cmaps/'),
  standardFontDataUrl: runtimeFile('standard_fonts/'),
  wasmUrl: runtimeFile('wasm/'),
  verbosity: library.VerbosityLevel.ERRORS,
})

function openInPieces(library: typeof PdfJs, url: string): OpeningReport {
  const leaving = new AbortController()
  const { signal } = leaving
  const failed = Promise.withResolvers<never>()
  let task: PdfJs.PDFDocumentLoadingTask | undefined
  const close = () => {
    leaving.abort()
    void task?.destroy()
  }

  async function open(): Promise<PDFDocumentProxy> {
    const first = await readPiece(url, 0, rangeChunkBytes, signal)
    const pieces = new library.PDFDataRangeTransport(first.sizeBytes, first.bytes)
    pieces.requestDataRange = (begin, end) => {
      readPiece(url, begin, end, signal)
        .then(({ bytes }) => pieces.onDataRange(begin, bytes))
        // PDF.js would wait forever.
        .catch((error: unknown) => (failed.reject(error), close()))
    }
    const isComplete = first.bytes.length === first.sizeBytes
    task = library.getDocument({ ...options(library), ...(isComplete ? { data: first.bytes } : { range: pieces }) })
    return task.promise
  }

  return { document: Promise.race([open(), failed.promise]), lost: failed.promise, close }
}

/**
 * Returns the bytes from `begin` up to `end` (exclusive), and the size of the file. Throws if the file is gone or
 * changed.
 */
async function readPiece(url: string, begin: number, end: number, signal: AbortSignal) {
  const response = await fetch(url, { headers: { Range: `bytes=${begin}-${end - 1}` }, signal })
  const [, sizeBytes] = /\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '') ?? []
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (response.status !== 206 || sizeBytes === undefined)
    throw new Error(`The file was answered with ${response.status}.`)
  return { bytes, sizeBytes: Number(sizeBytes) }
}

/** Returns the absolute URL, which the worker needs, of a file copied by scripts/pdf-runtime-files.mjs. */
export function runtimeFile(path: string): string {
  return new URL(`pdfjs/${path}`, document.baseURI).href
}

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
