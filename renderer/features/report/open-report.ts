import type * as PdfJs from 'pdfjs-dist'
import type { PDFDocumentProxy } from 'pdfjs-dist'

/** Bytes a request: a page of photos is a few of these. */
const rangeChunkBytes = 256 * 1024

/**
 * PDF.js, loaded when the first report is opened. Its viewer takes the library from the page's globals: the order counts. The
 * build for older browsers brings along what only the newest have: an office's browser may be a year behind.
 */
export async function loadPdfJs() {
  const library = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const viewer = await import('pdfjs-dist/legacy/web/pdf_viewer.mjs')
  library.GlobalWorkerOptions.workerSrc = runtimeFile('build/pdf.worker.min.mjs')
  return { library, viewer }
}

export interface OpeningReport {
  readonly document: Promise<PDFDocumentProxy>
  close(): void
}

/**
 * Opens a report by its address, of which only what is looked at is fetched, in ranges. Nothing in it is run: no script, no
 * WebAssembly. `document` rejects when it cannot be read, and when it was closed first.
 */
export function openReport(library: typeof PdfJs, url: string): OpeningReport {
  // PDF.js asks for ranges over HTTP alone.
  if (!/^https?:/.test(url)) return openInPieces(library, url)
  const task = library.getDocument({ ...options(library), url })
  return { document: task.promise, close: () => void task.destroy() }
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
        // PDF.js would wait for it for ever.
        .catch((error: unknown) => (failed.reject(error), close()))
    }
    const isWhole = first.bytes.length === first.sizeBytes
    task = library.getDocument({ ...options(library), ...(isWhole ? { data: first.bytes } : { range: pieces }) })
    return task.promise
  }

  return { document: Promise.race([open(), failed.promise]), close }
}

/** Bytes of a file from `begin` until before `end`, and how large it is. Rejects for a file that is gone or another one. */
async function readPiece(url: string, begin: number, end: number, signal: AbortSignal) {
  const response = await fetch(url, { headers: { Range: `bytes=${begin}-${end - 1}` }, signal })
  const [, sizeBytes] = /\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '') ?? []
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (response.status !== 206 || sizeBytes === undefined)
    throw new Error(`The file was answered with ${response.status}.`)
  return { bytes, sizeBytes: Number(sizeBytes) }
}

/** What scripts/pdf-runtime-files.mjs put beside the pages. The worker needs whole addresses. */
export function runtimeFile(path: string): string {
  return new URL(`pdfjs/${path}`, document.baseURI).href
}
