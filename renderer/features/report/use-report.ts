import type { PDFDocumentProxy } from 'pdfjs-dist'
import type { EventBus, PDFViewer } from 'pdfjs-dist/web/pdf_viewer.mjs'
import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { fileAvailability } from '../../transport/transport.ts'
import { loadPdfJs, openReport, runtimeFile, type OpeningReport } from './open-report.ts'

/** Result of a search. `current` counts from 1, and is 0 while unknown. */
export interface Matches {
  readonly current: number
  readonly total: number
  readonly isSearching: boolean
}

const noMatches: Matches = { current: 0, total: 0, isSearching: false }
const minScale = 0.25
const maxScale = 5
const zoomStep = 1.2

/** Why a report cannot be shown: `gone` from the disk, or `unreadable` with PDF.js's message. */
export interface ReportError {
  readonly kind: 'gone' | 'unreadable'
  readonly message: string
}

export interface Report {
  readonly document: ShallowRef<PDFDocumentProxy | null>
  readonly pages: Ref<number>
  readonly page: Ref<number>
  /** 1 is the printed size. */
  readonly scale: Ref<number>
  readonly fitsWidth: Ref<boolean>
  readonly matches: ShallowRef<Matches>
  readonly error: ShallowRef<ReportError | null>
  goTo(page: number): void
  zoom(direction: 1 | -1): void
  fitWidth(): void
  /** Searches, or goes to the next or previous match. An empty text ends the search. */
  find(text: string, step?: 'next' | 'previous'): void
  /** Call after the width of the pane changed. */
  resized(): void
}

/**
 * Displays a report in `container`: PDF.js's viewer draws pages as they scroll into view. No report if `url` is `null`.
 */
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
      // External links in a report are disabled: nothing may leave this window.
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
      // PDF.js labels its pages a frame or more later; until then, screen readers would find unnamed regions.
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
        const current = (opening = openReport(library, address))
        const opened = await current.document
        if (current !== opening) return
        shown.setDocument(opened)
        // The link service needs the document as well.
        shown.linkService?.setDocument(opened, null)
        document.value = opened
        pages.value = opened.numPages
        page.value = 1
      } catch (thrown) {
        const message = thrown instanceof Error ? thrown.message : ''
        const kind = await fileAvailability(address)
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
      if (viewer !== undefined) viewer.currentScale = Math.min(maxScale, Math.max(minScale, next))
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
