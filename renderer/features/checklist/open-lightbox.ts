import PhotoSwipe, { type SlideData } from 'photoswipe'
import 'photoswipe/style.css'
import type { FoundWord } from '../../../shared/search.ts'
import { fileAvailability } from '../../transport/transport.ts'
import { goneFromDisk, unreachableNow } from '../../labels/verify-labels.ts'
import type { OpenablePhoto } from './photo-rows.ts'
import './lightbox.css'

/** A photo. `preview` is its thumbnail, probably loaded already, or `null`. */
export interface LightboxSlide {
  readonly source: string
  readonly preview: string | null
  readonly alt: string
}

/** Methods of PhotoLightbox. */
export interface LightboxActions {
  /** `find`: texts that are outlined on the photos. */
  readonly open: (
    photos: readonly OpenablePhoto[],
    index: number,
    firstPreview: HTMLImageElement | null,
    find?: readonly string[],
  ) => void
}

export interface LightboxOptions {
  readonly slides: readonly LightboxSlide[]
  readonly index: number
  /** Thumbnail of the first photo. Its aspect ratio is used until the photo is loaded, so that nothing moves. */
  readonly firstPreview: HTMLImageElement | null
  /** Returns the width in pixels that the panel takes at the right. */
  readonly panelWidth: () => number
  /** Called with an empty element above the photos, within the dialog. */
  readonly onOpen: (overlay: HTMLElement) => void
  readonly onChange: (index: number) => void
  readonly onKey: (key: string) => boolean
  /** Called with the index of the last photo. */
  readonly onClose: (index: number) => void
}

/** Why a photo is not shown. */
export const unshownSentences = {
  gone: goneFromDisk,
  unreachable: unreachableNow,
  unreadable: 'This photo cannot be shown here. The file is in the archive: open or download it.',
} as const

const zoomStep = 1.5
const zoomKeys: Readonly<Record<string, number>> = { '+': zoomStep, '=': zoomStep, '-': 1 / zoomStep }
const zoomMs = 150
/** Longest time between the two clicks of a double click, as most systems have it. */
const doubleClickMs = 500

/** Only the aspect ratio of this size matters; the real size is known once the photo is loaded. */
const nominalWidth = 4000
const nominalAspect = 4 / 3

export type Lightbox = ReturnType<typeof openLightbox>

/** Opens the photos above everything. */
export function openLightbox(options: LightboxOptions) {
  const prefersReducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches
  const aspects = new Map<number, number>()
  const turns = new Map<number, number>()
  const outlined = new Map<number, readonly FoundWord[]>()
  const turnsOf = (index: number) => turns.get(index) ?? 0
  const { firstPreview } = options
  if (firstPreview !== null && firstPreview.naturalWidth > 0) {
    aspects.set(options.index, firstPreview.naturalWidth / firstPreview.naturalHeight)
  }

  const lightbox = createPhotoSwipe(options, prefersReducedMotion)
  lightbox.addFilter('itemData', (item, index) => {
    const aspect = aspects.get(index) ?? nominalAspect
    return { ...item, width: item.width ?? nominalWidth, height: item.height ?? Math.round(nominalWidth / aspect) }
  })
  lightbox.addFilter('contentErrorElement', (element, content) => {
    element.setAttribute('role', 'status')
    void fileAvailability(String(content.data.src)).then((reason) => (element.textContent = unshownSentences[reason]))
    return element
  })
  lightbox.on('contentLoadImage', ({ content }) => {
    const onLoad = () => {
      setRealSize(content, turnsOf(content.index))
      // Its size on screen may be the nominal one already.
      drawOutlines(content, outlined.get(content.index) ?? [], turnsOf(content.index))
    }
    content.element?.addEventListener('load', onLoad, { once: true })
  })
  lightbox.on('imageSizeChange', ({ content, width, height }) => {
    turnElement(content.element, turnsOf(content.index), { width, height })
    drawOutlines(content, outlined.get(content.index) ?? [], turnsOf(content.index))
  })
  // The keyboard works from here on.
  lightbox.on('bindEvents', () => {
    const overlay = document.createElement('div')
    lightbox.element?.setAttribute('aria-label', 'Photos')
    lightbox.element?.append(overlay)
    options.onOpen(overlay)
  })
  lightbox.on('change', () => options.onChange(lightbox.currIndex))
  lightbox.on('keydown', (event) => {
    const { originalEvent } = event
    // Keys are those of the menu while it is open.
    if (lightbox.element?.querySelector('[role="menu"]') != null) return event.preventDefault()
    if (originalEvent.ctrlKey || originalEvent.metaKey || originalEvent.altKey) return
    const step = zoomKeys[originalEvent.key]
    if (step !== undefined) zoomBy(lightbox, step, prefersReducedMotion ? 0 : zoomMs)
    if (step !== undefined || options.onKey(originalEvent.key)) event.preventDefault()
  })
  lightbox.on('destroy', () => options.onClose(lightbox.currIndex))
  const openedMs = performance.now()
  for (const action of ['imageClickAction', 'bgClickAction', 'tapAction'] as const) {
    lightbox.on(action, (event) => {
      // The second click of a double click on the tile would zoom into the photo, or close it. Handled late by a busy
      // page, it is still the second one.
      if (event.originalEvent.timeStamp - openedMs < doubleClickMs) event.preventDefault()
    })
  }
  lightbox.init()
  return {
    element: lightbox.element,
    close: () => lightbox.close(),
    destroy: () => lightbox.destroy(),
    /** To be called after the width of the panel changed. */
    resized: () => lightbox.updateSize(true),
    /** Turns the photo on screen clockwise, until the lightbox is closed. Its file stays as it is. */
    turn(quarterTurns: 1 | -1) {
      const { currIndex, currSlide } = lightbox
      turns.set(currIndex, (turnsOf(currIndex) + quarterTurns + 4) % 4)
      if (currSlide === undefined) return
      setRealSize(currSlide.content, turnsOf(currIndex))
      currSlide.zoomAndPanToInitial()
      currSlide.applyCurrentZoomPan()
      currSlide.updateContentSize(true)
    },
    /** Outlines words on a photo. */
    outline(index: number, words: readonly FoundWord[]) {
      outlined.set(index, words)
      const { currSlide } = lightbox
      if (currSlide?.index === index) drawOutlines(currSlide.content, words, turnsOf(index))
    },
    /** Clockwise quarter turns of the photo on screen, 0 to 3. */
    turns: () => turnsOf(lightbox.currIndex),
  }
}

function createPhotoSwipe({ slides, index, panelWidth }: LightboxOptions, prefersReducedMotion: boolean): PhotoSwipe {
  return new PhotoSwipe({
    dataSource: slides.map(({ source, preview, alt }): SlideData => ({
      src: source,
      alt,
      msrc: preview ?? '',
    })),
    index,
    bgOpacity: 1,
    loop: false,
    // No animation: keys pressed during it would be lost.
    showHideAnimationType: 'none',
    ...(prefersReducedMotion && { zoomAnimationDuration: 0 }),
    returnFocus: false,
    imageClickAction: 'zoom',
    tapAction: 'zoom',
    bgClickAction: 'close',
    preload: [1, 2],
    // Fills the view even with small photos, so that learning the real size later changes nothing.
    initialZoomLevel: ({ panAreaSize, elementSize }) =>
      panAreaSize === null || elementSize === null
        ? 1
        : Math.min(panAreaSize.x / elementSize.x, panAreaSize.y / elementSize.y),
    secondaryZoomLevel: ({ initial }) => Math.max(1, initial * 2.5),
    maxZoomLevel: ({ initial }) => Math.max(4, initial * 8),
    padding: { top: 52, bottom: 68, left: 12, right: 12 },
    getViewportSizeFn: () => ({ x: Math.max(240, window.innerWidth - panelWidth()), y: window.innerHeight }),
    closeTitle: 'Close (Esc)',
    zoomTitle: 'Zoom (z)',
    arrowPrevTitle: 'Previous photo (left arrow)',
    arrowNextTitle: 'Next photo (right arrow)',
    errorMsg: '',
  })
}

/** Turns by a style: the box of the picture has the turned size, and the picture itself is as before. */
function turnElement(
  element: HTMLElement | undefined,
  quarterTurns: number,
  { width, height }: { readonly width: number; readonly height: number },
): void {
  if (element === undefined) return
  const isUpright = quarterTurns % 2 === 0
  element.style.width = `${isUpright ? width : height}px`
  element.style.height = `${isUpright ? height : width}px`
  element.style.transformOrigin = '0 0'
  const moves = ['', 'translateY(-100%)', 'translate(-100%, -100%)', 'translateX(-100%)']
  element.style.transform = quarterTurns === 0 ? '' : `rotate(${quarterTurns * 90}deg) ${moves[quarterTurns]}`
}

/** Draws the outlines of words over a loaded picture, whose place and size they take. */
function drawOutlines({ element, slide }: Content, words: readonly FoundWord[], quarterTurns: number): void {
  slide?.container.querySelector('.photo-words')?.remove()
  if (slide === undefined || words.length === 0) return
  if (!(element instanceof HTMLImageElement) || element.naturalWidth === 0) return
  const layer = document.createElement('div')
  layer.className = 'photo-words'
  for (const { box } of words) {
    const outline = document.createElement('div')
    const [left, top, width, height] = box.map((fraction) => `${fraction * 100}%`)
    Object.assign(outline.style, { left, top, width, height })
    layer.append(outline)
  }
  const [width, height] = [Number.parseFloat(element.style.width), Number.parseFloat(element.style.height)]
  turnElement(layer, quarterTurns, quarterTurns % 2 === 0 ? { width, height } : { width: height, height: width })
  slide.container.append(layer)
}

function zoomBy({ currSlide }: PhotoSwipe, step: number, durationMs: number): void {
  if (currSlide === undefined) return
  const { initial, max } = currSlide.zoomLevels
  currSlide.zoomTo(Math.min(max, Math.max(initial, currSlide.currZoomLevel * step)), undefined, durationMs)
}

type Content = NonNullable<PhotoSwipe['currSlide']>['content']

function setRealSize(content: Content, quarterTurns: number): void {
  const { element, slide } = content
  if (!(element instanceof HTMLImageElement) || element.naturalWidth === 0) return
  const { naturalWidth, naturalHeight } = element
  const [width, height] = quarterTurns % 2 === 0 ? [naturalWidth, naturalHeight] : [naturalHeight, naturalWidth]
  content.width = width
  content.height = height
  content.data.width = content.width
  content.data.height = content.height
  if (slide === undefined) return
  slide.width = content.width
  slide.height = content.height
  slide.resize()
}
