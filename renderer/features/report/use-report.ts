import type { PDFDocumentProxy } from 'pdfjs-dist'
import type { EventBus, PDFViewer } from 'pdfjs-dist/web/pdf_viewer.mjs'
import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { whyNotShown } from '../../transport/why-not-shown.ts'
import { loadPdfJs, openReport, runtimeFile, type OpeningReport } from './open-report.ts'

/** What a search found. `current` counts from 1; 0 while it is not known. */
export interface Matches {
  readonly current: number
  readonly total: number
  readonly isSearching: boolean
}

const noMatches: Matches = { current: 0, total: 0, isSearching: false }
const leastScale = 0.25
const mostScale = 5
const zoomStep = 1.2

/** Why a report cannot be shown: `gone` from the disk, or what PDF.js says of it. */
export interface ReportError {
  readonly kind: 'gone' | 'unreadable'
  readonly message: string
}

export interface Report {
  readonly document: ShallowRef<PDFDocumentProxy | null>
  readonly pages: Ref<number>
  readonly page: Ref<number>
  /** 1: as large as it is printed. */
  readonly scale: Ref<number>
  readonly fitsWidth: Ref<boolean>
  readonly matches: ShallowRef<Matches>
  readonly error: ShallowRef<ReportError | null>
  goTo(page: number): void
  zoom(direction: 1 | -1): void
  fitWidth(): void
  /** Searches, or goes on to the next or previous place of what was searched. An empty text ends it. */
  find(text: string, step?: 'next' | 'previous'): void
  /** The pane became wider or narrower. */
  resized(): void
}

/** A report in its pane: PDF.js's viewer draws pages as they come into view. `url` null: none is shown. */
export function useReport(container: Readonly<Ref<HTMLDivElement | null>>, url: () => string | null): Report {
  const document = shallowRef<PDFDocumentProxy | null>(null)
  const pages = ref(0)
  const page = ref(1)
  const scale = ref(1)
  const fitsWidth = ref(true)
  const matches = shallowRef<Matches>(noMatches)
  const error = shallowRef<ReportError | null>(null)
  let viewer: PDFViewer | undefined
  let events: EventBus | undefined
  let opening: OpeningReport | undefined

  async function createViewer(element: HTMLDivElement) {
    const { library, viewer: parts } = await loadPdfJs()
    if (viewer === undefined) {
      const eventBus = (events = new parts.EventBus())
      const linkService = new parts.PDFLinkService({ eventBus })
      // What a report links to elsewhere is text here: nothing leaves this window.
      linkService.externalLinkEnabled = false
      const findController = new parts.PDFFindController({ eventBus, linkService })
      viewer = new parts.PDFViewer({
        container: element,
        eventBus,
        linkService,
        findController,
        annotationMode: library.AnnotationMode.ENABLE,
        imageResourcesPath: runtimeFile('web/images/'),
        enableAutoLinking: false,
        removePageBorders: true,
      })
      linkService.setViewer(viewer)
      listen(eventBus)
    }
    return { library, viewer }
  }

  function listen(eventBus: EventBus): void {
    eventBus.on('pagesinit', () => {
      // PDF.js translates the names of its pages a frame or more later. Until then a screen reader would have regions without one.
      for (const sheet of container.value?.querySelectorAll<HTMLElement>('.page') ?? []) {
        sheet.ariaLabel = `Page ${sheet.dataset.pageNumber}`
      }
      if (viewer !== undefined) viewer.currentScaleValue = fitsWidth.value ? 'page-width' : String(scale.value)
    })
    eventBus.on('pagechanging', ({ pageNumber }: { pageNumber: number }) => (page.value = pageNumber))
    eventBus.on('scalechanging', ({ scale: now }: { scale: number }) => (scale.value = now))
    const count = ({ matchesCount }: { matchesCount: { current: number; total: number } }, isSearching: boolean) =>
      (matches.value = { ...matchesCount, isSearching })
    eventBus.on('updatefindmatchescount', (event: Parameters<typeof count>[0]) => count(event, false))
    // State 3: still searching (FindState.PENDING).
    eventBus.on('updatefindcontrolstate', (event: Parameters<typeof count>[0] & { state: number }) =>
      count(event, event.state === 3),
    )
  }

  function close(): void {
    opening?.close()
    opening = undefined
    document.value = null
    pages.value = 0
    matches.value = noMatches
  }

  watch(
    [container, url],
    async ([element, address]) => {
      close()
      error.value = null
      if (element === null || address === null) return
      try {
        const { library, viewer: shown } = await createViewer(element)
        if (address !== url()) return
        const mine = (opening = openReport(library, address))
        const opened = await mine.document
        if (mine !== opening) return
        shown.setDocument(opened)
        // The services of the viewer's making know of the document by their own call.
        shown.linkService?.setDocument(opened, null)
        document.value = opened
        pages.value = opened.numPages
        page.value = 1
      } catch (thrown) {
        const message = thrown instanceof Error ? thrown.message : ''
        const kind = await whyNotShown(address)
        if (address === url() && element === container.value) error.value = { kind, message }
      }
    },
    { immediate: true, flush: 'post' },
  )
  onScopeDispose(() => {
    close()
    viewer?.cleanup()
  })

  return {
    ...{ document, pages, page, scale, fitsWidth, matches, error },
    goTo(number) {
      if (viewer !== undefined) viewer.currentPageNumber = Math.min(pages.value, Math.max(1, number))
    },
    zoom(direction) {
      fitsWidth.value = false
      const next = scale.value * (direction === 1 ? zoomStep : 1 / zoomStep)
      if (viewer !== undefined) viewer.currentScale = Math.min(mostScale, Math.max(leastScale, next))
    },
    fitWidth() {
      fitsWidth.value = true
      if (viewer !== undefined) viewer.currentScaleValue = 'page-width'
    },
    find(text, step) {
      if (text === '') matches.value = noMatches
      events?.dispatch('find', {
        source: null,
        type: step === undefined ? '' : 'again',
        query: text,
        caseSensitive: false,
        entireWord: false,
        highlightAll: true,
        matchDiacritics: false,
        findPrevious: step === 'previous',
      })
    },
    resized() {
      if (viewer === undefined || pages.value === 0) return
      if (fitsWidth.value) viewer.currentScaleValue = 'page-width'
      viewer.update()
    },
  }
}
