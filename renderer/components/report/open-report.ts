import type * as PdfJs from 'pdfjs-dist'
import type { PDFDocumentProxy } from 'pdfjs-dist'

/** Bytes a request: a page of photos is a few of these. */
const rangeChunkBytes = 256 * 1024

/** PDF.js, loaded when the first report is opened. Its viewer takes the library from the page's globals: the order counts. */
export async function loadPdfJs() {
  const library = await import('pdfjs-dist')
  const viewer = await import('pdfjs-dist/web/pdf_viewer.mjs')
  library.GlobalWorkerOptions.workerSrc = runtimeFile('build/pdf.worker.min.mjs')
  return { library, viewer }
}

export interface OpeningReport {
  readonly document: Promise<PDFDocumentProxy>
  close(): void
}

/**
 * Opens a report by its address. Only what is looked at is fetched, in ranges. Nothing in it is run: no script, no
 * WebAssembly. `document` rejects when it cannot be read, and when it was closed first.
 */
export function openReport(library: typeof PdfJs, url: string): OpeningReport {
  const task = library.getDocument({
    url,
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
  return { document: task.promise, close: () => void task.destroy() }
}

/** What scripts/pdf-runtime-files.mjs put beside the pages. The worker needs whole addresses. */
function runtimeFile(path: string): string {
  return new URL(`pdfjs/${path}`, document.baseURI).href
}
