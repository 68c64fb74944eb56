import type { PDFPageProxy } from 'pdfjs-dist'
import { maxPageLength, maxPages, maxReportLength, tidyText, UnreadableFile } from './analysis-task.ts'

/** A page with text; `page` counts from 1. */
export interface PageText {
  readonly page: number
  readonly text: string
}

/**
 * Reads the text of a report, page by page: of the first pages, if there are very many. Images and fonts are not
 * decoded, and nothing in the report runs. Throws `UnreadableFile`.
 */
export async function readPages(bytes: Uint8Array): Promise<PageText[]> {
  const pdfjs = await loadReader()
  const task = pdfjs.getDocument({
    data: bytes,
    verbosity: pdfjs.VerbosityLevel.ERRORS,
    disableFontFace: true,
    useSystemFonts: false,
    enableXfa: false,
    useWasm: false,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
  })
  try {
    const report = await task.promise
    const pages: PageText[] = []
    let length = 0
    for (let page = 1; page <= Math.min(report.numPages, maxPages) && length < maxReportLength; page += 1) {
      const text = await readPage(await report.getPage(page))
      length += text.length
      if (text !== '') pages.push({ page, text })
    }
    return pages
  } catch (error) {
    throw new UnreadableFile(error instanceof pdfjs.PasswordException ? 'encrypted' : 'unreadable')
  } finally {
    await task.destroy()
  }
}

/** Loads pdf.js, which takes a tenth of a second. */
export function loadReader() {
  // pdf.js takes a process of Electron for a page, and would look for a document. In Node it needs no worker.
  if ('type' in process) Object.defineProperty(process, 'type', { value: 'browser' })
  return import('pdfjs-dist/legacy/build/pdf.mjs')
}

async function readPage(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent()
  page.cleanup()
  let text = ''
  for (const item of items) {
    if (!('str' in item)) continue
    text += item.hasEOL ? `${item.str}\n` : item.str
    if (text.length > maxPageLength) break
  }
  return tidyText(text).slice(0, maxPageLength).trim()
}
