import { useEventListener, useRafFn } from '@vueuse/core'
import { onScopeDispose, type Ref } from 'vue'
import { panCamera, zoomCamera, type MapCamera, type MapSize, type Pixels } from './map-camera.ts'

/** Zoom of one press of a button or key. */
export const zoomStep = 1.6
/** A notch of a wheel is 100 to 120 pixels; a touchpad sends a few pixels at a time. */
const zoomPerWheelPixel = 0.002
const maxWheelPixels = 240
const keyPanPx = 80
/** A press that moves less is a click. */
const dragFromPx = 4
const moveMs = 220

const keyPans: Readonly<Record<string, Pixels>> = {
  ArrowLeft: { x: keyPanPx, y: 0 },
  ArrowRight: { x: -keyPanPx, y: 0 },
  ArrowUp: { x: 0, y: keyPanPx },
  ArrowDown: { x: 0, y: -keyPanPx },
}
const keyZooms: Readonly<Record<string, number>> = { '+': zoomStep, '=': zoomStep, '-': 1 / zoomStep }

interface MapGestureOptions {
  readonly size: () => MapSize
  /** Called when the user begins to move the map. */
  readonly onMove: () => void
}

/** Zoom and pan of a map by mouse, touch, and keyboard. */
export function useMapGestures(
  element: Ref<HTMLElement | null>,
  camera: Ref<MapCamera>,
  { size, onMove }: MapGestureOptions,
) {
  const moves = useSmoothMoves(camera)
  const begin = () => {
    moves.stop()
    onMove()
  }
  const zoomAt = (anchor: Pixels, factor: number) => {
    begin()
    camera.value = zoomCamera(camera.value, factor, { anchor, size: size() })
  }
  const middle = (): Pixels => ({ x: size().width / 2, y: size().height / 2 })
  useWheel(element, zoomAt)
  useDrags(element, camera, { size, onMove: begin })

  return {
    /** Zooms around the middle. */
    zoom: (factor: number) => {
      onMove()
      moves.moveTo(zoomCamera(moves.destination(), factor, { anchor: middle(), size: size() }))
    },
    /** Moves smoothly, unless the user prefers less motion. */
    moveTo: moves.moveTo,
    /** Handles the arrow keys, plus, and minus. Returns true if the key was one of them. */
    handleKey({ key }: KeyboardEvent) {
      const [pan, zoom] = [keyPans[key], keyZooms[key]]
      if (pan !== undefined) {
        begin()
        camera.value = panCamera(camera.value, pan)
      } else if (zoom !== undefined) zoomAt(middle(), zoom)
      return pan !== undefined || zoom !== undefined
    },
  }
}

/** Calls `zoomAt` with the position of the pointer. */
function useWheel(element: Ref<HTMLElement | null>, zoomAt: (anchor: Pixels, factor: number) => void): void {
  useEventListener(
    element,
    'wheel',
    (event: WheelEvent) => {
      event.preventDefault()
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 40
      const limited = Math.min(maxWheelPixels, Math.max(-maxWheelPixels, pixels))
      // Browsers send pinches on a touchpad as small steps of the wheel with Ctrl.
      zoomAt(positionIn(element, event), Math.exp(-limited * zoomPerWheelPixel * (event.ctrlKey ? 4 : 1)))
    },
    { passive: false },
  )
}

/** Moves the camera as the mouse or one finger does, and zooms with two fingers. */
function useDrags(element: Ref<HTMLElement | null>, camera: Ref<MapCamera>, { size, onMove }: MapGestureOptions): void {
  const pointers = new Map<number, Pixels>()
  let isDragging = false

  useEventListener(element, 'pointerdown', (event: PointerEvent) => {
    if (event.button !== 0 || (event.target as Element).closest('[data-map-control]') !== null) return
    pointers.set(event.pointerId, positionIn(element, event))
    isDragging = pointers.size > 1
  })
  useEventListener(element, 'pointermove', (event: PointerEvent) => {
    const before = pointers.get(event.pointerId)
    if (before === undefined) return
    // The button was released outside, where nothing reports it before a drag has begun.
    if (event.buttons === 0) {
      pointers.delete(event.pointerId)
      return
    }
    const now = positionIn(element, event)
    const moved = { x: now.x - before.x, y: now.y - before.y }
    if (!isDragging && Math.hypot(moved.x, moved.y) < dragFromPx) return
    if (!isDragging) {
      isDragging = true
      onMove()
    }
    element.value?.setPointerCapture(event.pointerId)
    const [other] = [...pointers].flatMap(([id, position]) => (id === event.pointerId ? [] : [position]))
    pointers.set(event.pointerId, now)
    camera.value =
      other === undefined ? panCamera(camera.value, moved) : pinchCamera(camera.value, { other, before, now }, size())
  })
  useEventListener(element, ['pointerup', 'pointercancel'], (event: PointerEvent) => {
    pointers.delete(event.pointerId)
    // A click follows at once, if there is one.
    if (pointers.size === 0) setTimeout(() => (isDragging = pointers.size > 1))
  })
  // The end of a drag is not a click on the mark below.
  useEventListener(
    element,
    'click',
    (event: MouseEvent) => {
      if (!isDragging) return
      isDragging = false
      event.stopPropagation()
    },
    { capture: true },
  )
}

function positionIn(element: Ref<HTMLElement | null>, { clientX, clientY }: MouseEvent): Pixels {
  const { left = 0, top = 0 } = element.value?.getBoundingClientRect() ?? {}
  return { x: clientX - left, y: clientY - top }
}

/** One of two fingers moved: the ground below both of them stays there. */
function pinchCamera(
  camera: MapCamera,
  { other, before, now }: Readonly<Record<'other' | 'before' | 'now', Pixels>>,
  size: MapSize,
): MapCamera {
  const distance = (finger: Pixels) => Math.max(1, Math.hypot(finger.x - other.x, finger.y - other.y))
  const panned = panCamera(camera, { x: (now.x - before.x) / 2, y: (now.y - before.y) / 2 })
  const anchor = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
  return zoomCamera(panned, distance(now) / distance(before), { anchor, size })
}

/** Moves the camera over some frames, unless the user prefers less motion. */
function useSmoothMoves(camera: Ref<MapCamera>) {
  let move: { readonly from: MapCamera; readonly to: MapCamera; readonly startMs: number } | null = null
  const frames = useRafFn(
    () => {
      if (move === null) return stop()
      const { from, to, startMs } = move
      const part = Math.min(1, (performance.now() - startMs) / moveMs)
      const eased = 1 - (1 - part) ** 3
      camera.value = part === 1 ? to : between(from, to, eased)
      if (part === 1) stop()
    },
    { immediate: false },
  )
  function stop(): void {
    move = null
    frames.pause()
  }
  onScopeDispose(stop)

  function moveTo(to: MapCamera): void {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      camera.value = to
      return
    }
    move = { from: camera.value, to, startMs: performance.now() }
    frames.resume()
  }

  /** Returns where the camera is once the move has ended. */
  const destination = () => move?.to ?? camera.value
  return { moveTo, stop, destination }
}

/** Returns the camera during a move: zoom grows by equal factors in equal times. */
function between(from: MapCamera, to: MapCamera, part: number): MapCamera {
  const mix = (one: number, other: number) => one + (other - one) * part
  return {
    center: { east: mix(from.center.east, to.center.east), north: mix(from.center.north, to.center.north) },
    pixelsPerMeter: from.pixelsPerMeter * (to.pixelsPerMeter / from.pixelsPerMeter) ** part,
  }
}
