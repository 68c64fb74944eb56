import type { PDFDocumentProxy } from 'pdfjs-dist'
import type { EventBus, PDFViewer } from 'pdfjs-dist/web/pdf_viewer.mjs'
import { onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { fileAvailability } from '../../transport/transport.ts'
import { loadPdfJs, openReport, runtimeFile, type OpeningReport } from './open-report.ts'

/** Result of a search. `current` counts from 1, and is 0 while unknown. */
export interface Matches {
  readonly current: number
  readonly total: number
  readonly isSearching: boolean
}

/** A page to open, and texts to highlight. */
export interface ReportTarget {
  readonly page: number
  readonly words: readonly string[]
}

const noMatches: Matches = { current: 0, total: 0, isSearching: false }
const minScale = 0.25
const maxScale = 5
const zoomStep = 1.2

/** Reason that a report cannot be shown, as of `fileAvailability`, and PDF.js's message. */
export interface ReportError {
  readonly kind: Awaited<ReturnType<typeof fileAvailability>>
  readonly message: string
}

async function reportError(url: string, thrown: unknown): Promise<ReportError> {
  return { kind: await fileAvailability(url), message: thrown instanceof Error ? thrown.message : '' }
}

/** Pages that the viewer draws, or gets to draw next, if one page is in view: those around it, and the first. */
function pagesNear(page: number, pages: number): readonly number[] {
  const around = Array.from({ length: 11 }, (_, index) => page - 5 + index)
  return [...new Set([1, ...around])].filter((number) => number >= 1 && number <= pages)
}

/** A report on display. PDF.js's viewer draws its pages as they scroll into view. */
export class Report {
  readonly document = shallowRef<PDFDocumentProxy | null>(null)
  readonly pages = ref(0)
  readonly page = ref(1)
  /** 1 is the printed size. */
  readonly scale = ref(1)
  readonly fitsWidth = ref(true)
  readonly matches = shallowRef<Matches>(noMatches)
  readonly error = shallowRef<ReportError | null>(null)
  #viewer: PDFViewer | undefined
  #events: EventBus | undefined
  #opening: OpeningReport | undefined
  /** True once the pages have their places. */
  #hasPages = false
  /** Opened as soon as the pages have their places. */
  #target: ReportTarget | null = null

  /** Shows the report at an address in `container`, or none. `isCurrent` is false once another one is to be shown. */
  async show(container: HTMLDivElement | null, url: string | null, isCurrent: () => boolean): Promise<void> {
    this.#closeDocument()
    this.error.value = null
    if (container === null || url === null) return
    try {
      const { library, viewer } = await this.#createViewer(container)
      if (!isCurrent()) return
      const opening = (this.#opening = openReport(library, url))
      const opened = await opening.document
      if (opening !== this.#opening) return
      viewer.setDocument(opened)
      // The link service needs the document as well.
      viewer.linkService?.setDocument(opened, null)
      this.document.value = opened
      this.pages.value = opened.numPages
      this.page.value = 1
      opening.lost.catch((thrown: unknown) => this.#onLost(opening, url, thrown))
    } catch (thrown) {
      const error = await reportError(url, thrown)
      if (isCurrent()) this.error.value = error
    }
  }

  /** Shows why the other pages of an open report cannot be read: they would stay blank. */
  async #onLost(opening: OpeningReport, url: string, thrown: unknown): Promise<void> {
    const { kind, message } = await reportError(url, thrown)
    if (opening !== this.#opening) return
    this.#closeDocument()
    // It was readable: a drive that is back already had been out of reach.
    this.error.value = { kind: kind === 'unreadable' ? 'unreachable' : kind, message }
  }

  close(): void {
    this.#closeDocument()
    this.#viewer?.cleanup()
  }

  goTo(page: number): void {
    if (this.#viewer !== undefined) this.#viewer.currentPageNumber = Math.min(this.pages.value, Math.max(1, page))
  }

  /** Opens a page at the first of its texts, now or once the report is loaded. */
  open(target: ReportTarget): void {
    this.#target = target
    if (!this.#hasPages) return
    this.#target = null
    this.goTo(target.page)
    // The search starts at the page in view.
    if (target.words.length > 0) this.find(target.words)
  }

  zoom(direction: 1 | -1): void {
    this.fitsWidth.value = false
    const next = this.scale.value * (direction === 1 ? zoomStep : 1 / zoomStep)
    if (this.#viewer !== undefined) this.#viewer.currentScale = Math.min(maxScale, Math.max(minScale, next))
  }

  fitWidth(): void {
    this.fitsWidth.value = true
    if (this.#viewer !== undefined) this.#viewer.currentScaleValue = 'page-width'
  }

  /** Searches for a text or any of several, or goes to the next or previous match. An empty text ends the search. */
  find(text: string | readonly string[], step?: 'next' | 'previous'): void {
    if (text === '') this.matches.value = noMatches
    this.#events?.dispatch('find', {
      source: null,
      type: step === undefined ? '' : 'again',
      query: text,
      caseSensitive: false,
      entireWord: false,
      highlightAll: true,
      matchDiacritics: false,
      findPrevious: step === 'previous',
    })
  }

  /** Called after the width of the pane changed. */
  resized(): void {
    if (this.#viewer === undefined || this.pages.value === 0) return
    if (this.fitsWidth.value) this.#viewer.currentScaleValue = 'page-width'
    this.#viewer.update()
  }

  #closeDocument(): void {
    const { value: shown } = this.document
    const opening = this.#opening
    const close = () => opening?.close()
    if (shown === null) close()
    else {
      const near = pagesNear(this.page.value, this.pages.value)
      this.#viewer?.setDocument(null)
      // The viewer logs an error if the document is closed before it has the pages that it is about to draw.
      // `async`: a document that is closed already throws instead of rejecting.
      void Promise.allSettled(near.map(async (page) => shown.getPage(page))).then(close)
    }
    this.#opening = undefined
    this.#hasPages = false
    this.document.value = null
    this.pages.value = 0
    this.matches.value = noMatches
  }

  async #createViewer(container: HTMLDivElement) {
    const { library, viewer: parts } = await loadPdfJs()
    if (this.#viewer === undefined) {
      const eventBus = (this.#events = new parts.EventBus())
      const linkService = new parts.PDFLinkService({ eventBus })
      // External links in a report are disabled: nothing may leave this window.
      linkService.externalLinkEnabled = false
      const findController = new parts.PDFFindController({ eventBus, linkService })
      this.#viewer = new parts.PDFViewer({
        container,
        eventBus,
        linkService,
        findController,
        annotationMode: library.AnnotationMode.ENABLE,
        imageResourcesPath: runtimeFile('web/images/'),
        enableAutoLinking: false,
        removePageBorders: true,
      })
      linkService.setViewer(this.#viewer)
      this.#listen(eventBus, container)
    }
    return { library, viewer: this.#viewer }
  }

  #listen(eventBus: EventBus, container: HTMLDivElement): void {
    eventBus.on('pagesinit', () => {
      // PDF.js labels its pages a frame or more later; until then, screen readers would find unnamed regions.
      for (const sheet of container.querySelectorAll<HTMLElement>('.page')) {
        sheet.ariaLabel = `Page ${sheet.dataset.pageNumber}`
      }
      if (this.#viewer === undefined) return
      this.#viewer.currentScaleValue = this.fitsWidth.value ? 'page-width' : String(this.scale.value)
      this.#hasPages = true
      if (this.#target !== null) this.open(this.#target)
    })
    eventBus.on('pagechanging', ({ pageNumber }: { pageNumber: number }) => (this.page.value = pageNumber))
    eventBus.on('scalechanging', ({ scale }: { scale: number }) => (this.scale.value = scale))
    const count = ({ matchesCount }: { matchesCount: { current: number; total: number } }, isSearching: boolean) =>
      (this.matches.value = { ...matchesCount, isSearching })
    eventBus.on('updatefindmatchescount', (event: Parameters<typeof count>[0]) => count(event, false))
    // State 3: still searching (FindState.PENDING).
    eventBus.on('updatefindcontrolstate', (event: Parameters<typeof count>[0] & { state: number }) =>
      count(event, event.state === 3),
    )
  }
}

/** Shows the report at `url` in `container` until the component is unmounted; none if `url` is `null`. */
export function useReport(container: Readonly<Ref<HTMLDivElement | null>>, url: () => string | null): Report {
  const report = new Report()
  watch(
    [container, url],
    ([element, address]) => report.show(element, address, () => element === container.value && address === url()),
    { immediate: true, flush: 'post' },
  )
  onScopeDispose(() => report.close())
  return report
}
