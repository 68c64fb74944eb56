import { onKeyStroke } from '@vueuse/core'
import { ref } from 'vue'
import { useRouter } from 'vue-router'
import { isApple } from '../ui/platform.ts'

/** Every shortcut of the app, as the dialog under `?` lists them. Views add none of their own that collide. */
export const shortcuts = [
  {
    group: 'Everywhere',
    keys: [
      { keys: [isApple ? '⌘' : 'Ctrl', 'K'], does: 'Search projects and commands' },
      { keys: ['?'], does: 'Show these shortcuts' },
      { keys: ['g', 'o'], does: 'Go to Overview' },
      { keys: ['g', 'p'], does: 'Go to Projects' },
      { keys: ['g', 'r'], does: 'Go to Orders' },
      { keys: ['g', 'd'], does: 'Begin a new order' },
      { keys: ['g', 'n'], does: 'Go to what needs attention' },
      { keys: ['g', 'a'], does: 'Go to Activity' },
      { keys: ['g', 's'], does: 'Go to Settings' },
    ],
  },
  {
    group: 'Lists',
    keys: [
      { keys: ['/'], does: 'Search in the list' },
      { keys: ['↑', '↓'], does: 'Move between rows' },
      { keys: ['Enter'], does: 'Open the row' },
    ],
  },
  {
    group: 'Photos and reports',
    keys: [
      { keys: ['←', '→'], does: 'Previous and next photo' },
      { keys: ['z'], does: 'Zoom the photo in or out again' },
      { keys: ['+', '−'], does: 'Zoom in and out' },
      { keys: ['i'], does: 'Show what is known of the photo' },
      { keys: ['Esc'], does: 'Close' },
    ],
  },
] as const

const places: Readonly<Record<string, string>> = {
  o: '/',
  p: '/projects',
  r: '/orders',
  d: '/orders/new',
  n: '/attention',
  a: '/activity',
  s: '/settings',
}

/** After `g` the next key has this long to come. */
const chordMs = 1_200

/** The keys that work everywhere, but not while something is typed. */
export function useShortcuts() {
  const router = useRouter()
  const isPaletteOpen = ref(false)
  const areShortcutsOpen = ref(false)
  let goUntilMs = 0

  onKeyStroke(true, (event) => {
    // Photos are above everything, and keep the focus.
    if (document.querySelector('.pswp--open') !== null) return
    if (event.key.toLowerCase() === 'k' && (isApple ? event.metaKey : event.ctrlKey)) {
      event.preventDefault()
      isPaletteOpen.value = !isPaletteOpen.value
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen()) return
    if (event.key === '?') {
      event.preventDefault()
      areShortcutsOpen.value = true
    } else if (event.key === '/') {
      const search = document.querySelector<HTMLInputElement>('main input[type="search"]')
      if (search !== null) {
        event.preventDefault()
        search.focus()
      }
    } else if (event.key === 'g') {
      goUntilMs = performance.now() + chordMs
    } else if (performance.now() < goUntilMs) {
      goUntilMs = 0
      const place = places[event.key]
      if (place !== undefined) void router.push(place)
    }
  })

  return { isPaletteOpen, areShortcutsOpen }
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]') !== null
}
