import { onKeyStroke } from '@vueuse/core'
import { ref, watch } from 'vue'
import { useRouter } from 'vue-router'
import { useExport } from '../stores/export-store.ts'
import { usePackets } from '../stores/packets-store.ts'
import { areLetterKeysOn } from '../ui/letter-keys.ts'
import { pageCommand } from '../ui/page-commands.ts'
import { isApple } from '../ui/platform.ts'
import { appPages } from './palette-commands.ts'

const command = isApple ? '⌘' : 'Ctrl'

/** All shortcuts of the app, as the dialog opened by `?` lists them. Those of the window's menu are shown there. */
export const shortcuts = [
  {
    group: 'Everywhere',
    keys: [
      { keys: [command, 'K'], description: 'Search everything' },
      { keys: ['?'], description: 'Show these shortcuts' },
      ...appPages.flatMap(({ key, label }) =>
        key === undefined ? [] : [{ keys: ['g', key], description: `Go to ${label}` }],
      ),
      { keys: ['g', 'd'], description: 'Start a new order' },
      { keys: ['Esc'], description: 'Close a dialog, menu, or photo' },
    ],
  },
  {
    group: 'Orders',
    keys: [
      { keys: [command, 'Enter'], description: 'Review the order' },
      { keys: ['Esc'], description: 'Back to the form' },
    ],
  },
  {
    group: 'Lists',
    keys: [
      { keys: ['/'], description: 'Search in the list' },
      { keys: ['↑', '↓'], description: 'Move between rows; from the search with ↓' },
      { keys: ['Page Up', 'Page Down'], description: 'Move by a page' },
      { keys: ['Home', 'End'], description: 'First and last row' },
      { keys: ['Enter'], description: 'Open the row (in project search, the first match)' },
      ...(isApple ? [] : [{ keys: ['Shift', 'F10'], description: 'Open the menu of the row' }]),
      { keys: ['Space'], description: 'Select the row' },
      { keys: ['Shift', '↑', '↓'], description: 'Select several rows' },
      { keys: [command, 'A'], description: 'Select all rows' },
    ],
  },
  {
    group: 'Photos and reports',
    keys: [
      { keys: ['←', '→'], description: 'Previous and next photo' },
      { keys: ['Enter'], description: 'Open the photo' },
      { keys: ['z'], description: 'Toggle zoom' },
      { keys: ['+', '−'], description: 'Zoom in and out' },
      { keys: ['r'], description: 'Rotate the photo on screen' },
      { keys: ['Shift', 'R'], description: 'Rotate it the other way' },
      { keys: ['i'], description: 'Show photo details' },
      { keys: ['n'], description: 'Go to the next missing photos' },
      { keys: ['0'], description: 'Show all photos on the map' },
      { keys: ['Space'], description: 'Select a photo' },
      { keys: ['Shift', '↑ ↓ ← →'], description: 'Select several photos' },
      { keys: [command, 'A'], description: 'Select all photos' },
      { keys: ['Esc'], description: 'Clear the selection' },
      { keys: ['0'], description: 'Fit compared photos' },
      { keys: ['↑ ↓ ← →'], description: 'Move compared photos' },
      { keys: [command, 'F'], description: 'Search in the report' },
      { keys: ['Enter'], description: 'Next match; with Shift the previous one' },
      { keys: ['←', '→'], description: 'Resize panes, on their divider' },
      { keys: ['+', '−', '0'], description: 'Compare versions: zoom in, out, and fit' },
      { keys: ['↑ ↓ ← →'], description: 'Compare versions: move both' },
    ],
  },
]

/** Time allowed between `g` and the next key, by when they were pressed: a busy page handles keys later. */
const chordMs = 1_200

/** Handles the global shortcuts; most are inactive while the user types. */
export function useShortcuts() {
  const router = useRouter()
  const isPaletteOpen = ref(false)
  const areShortcutsOpen = ref(false)
  let goUntilMs = 0

  onKeyStroke(true, (event) => {
    // The lightbox is above everything, and keeps the focus.
    if (document.querySelector('.pswp--open') !== null) return
    if (event.key.toLowerCase() === 'k' && (isApple ? event.metaKey : event.ctrlKey)) {
      event.preventDefault()
      isPaletteOpen.value = !isPaletteOpen.value
      return
    }
    if (isPaletteOpen.value) return
    if (moveIntoList(event)) return event.preventDefault()
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen()) return
    if (!areLetterKeysOn.value) return
    if (event.key === '?') {
      event.preventDefault()
      areShortcutsOpen.value = true
    } else if (event.key === '/') {
      const search = document.querySelector<HTMLInputElement>(
        'main input[type="search"], main input[aria-keyshortcuts="/"]',
      )
      if (search !== null) {
        event.preventDefault()
        search.focus()
      }
    } else if (event.key === 'g') {
      goUntilMs = event.timeStamp + chordMs
    } else if (event.timeStamp < goUntilMs) {
      goUntilMs = 0
      const path = event.key === 'd' ? '/orders/new' : appPages.find(({ key }) => key === event.key)?.to
      if (path !== undefined) void router.push(path)
    }
  })

  // The menu bar works while they are open: two dialogs must not be above each other. A view may take a moment to load:
  // what is opened meanwhile stays.
  router.beforeEach((to, from) => {
    if (to.fullPath === from.fullPath) return
    isPaletteOpen.value = false
    areShortcutsOpen.value = false
  })
  const exporting = useExport()
  const packets = usePackets()
  // The message of an end opens them also above the palette, which would take their keys.
  watch([() => exporting.isOpen, () => packets.isOpen], (areOpen) => {
    if (!areOpen.includes(true)) return
    isPaletteOpen.value = false
    areShortcutsOpen.value = false
  })
  watch(pageCommand, (command) => {
    if (isDialogOpen()) return
    if (command?.name === 'search') isPaletteOpen.value = true
    else exporting.openPage()
  })

  return { isPaletteOpen, areShortcutsOpen }
}

/**
 * The arrow keys go to the list of the page if nothing has the focus, and ↓ from its search. Returns true if they did.
 */
function moveIntoList({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isDialogOpen() || !(target instanceof HTMLElement)) return false
  const isFromSearch = target.matches('main input[type="search"][aria-keyshortcuts]')
  const isFromPage = target === document.body || target.id === 'main'
  if (!(key === 'ArrowDown' && (isFromSearch || isFromPage)) && !(key === 'ArrowUp' && isFromPage)) return false
  const row = document.querySelector<HTMLElement>('main [data-index][tabindex="0"], main [data-index] [tabindex="0"]')
  row?.focus()
  return row !== null
}

function isTyping(target: EventTarget | null): boolean {
  // A dialog that has just been closed keeps the focus while it fades out.
  if (!(target instanceof HTMLElement) || target.closest('[role="dialog"][data-state="closed"]') !== null) return false
  // Letters choose an item of an open list or menu.
  if (target.closest(':is([role="listbox"], [role="menu"]):not([data-state="closed"])') !== null) return true
  return target.isContentEditable || target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select')
}

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"]:not([data-state="closed"])') !== null
}
