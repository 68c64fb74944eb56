import { shallowRef, type InjectionKey } from 'vue'

/** A native menu to show at a point of the window, in CSS pixels; a line separates its groups. */
export interface PopupMenu {
  readonly groups: readonly (readonly { readonly label: string; readonly isEnabled: boolean }[])[]
  readonly x: number
  readonly y: number
}

/** Shows a native menu. Resolves to the index of the chosen item among all items, or to null. Never rejects. */
export type ShowNativeMenu = (menu: PopupMenu) => Promise<number | null>

/** Provided in the installed app; in a browser, menus are part of the page. */
export const nativeMenuKey: InjectionKey<ShowNativeMenu> = Symbol('native menu')

/** An item of a menu. The icon and the color are shown in browsers only. */
export interface RowMenuItem {
  readonly label: string
  readonly icon: string
  readonly color?: 'error'
  readonly disabled?: boolean
  readonly onSelect: () => unknown
}

/** Returns an item of a menu. */
export const menuItem = (
  label: string,
  icon: string,
  onSelect: () => unknown,
  more: Pick<RowMenuItem, 'color' | 'disabled'> = {},
): RowMenuItem => ({ label, icon, onSelect, ...more })

/** Groups of items; `false` is none. */
export type MenuGroups = readonly (readonly (RowMenuItem | false)[])[]

/** Returns the groups that have items. */
const shownGroups = (groups: MenuGroups): RowMenuItem[][] =>
  groups.map((items) => items.filter((item) => item !== false)).filter(({ length }) => length > 0)

/** A point of the window, in CSS pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The point of the right click that is being handled. */
let handled: Point | undefined

/** Returns the point of the right click (or of the menu key) that is being handled; `undefined` for other events. */
export function rightClickPoint(): Point | undefined {
  return handled
}

/** A menu that is open. */
export interface ContextMenu {
  /** The element that gets the focus when the menu closes. */
  readonly button: HTMLElement
  readonly items: RowMenuItem[][]
}

/** The open menu. The frame of the app shows it: one per row would be slow. */
export const contextMenu = shallowRef<ContextMenu | null>(null)

/** Opens a menu below its button, or at the right click that is being handled. */
export function openRowMenu(button: HTMLElement, items: MenuGroups): void {
  contextMenu.value = { button, items: shownGroups(items) }
}

/**
 * Opens the menu of something that has no button for it, in a handler of `contextmenu`: at the right click, or at the
 * focused element by the menu key and Shift+F10. Does nothing if an element inside opened its own menu, and for fields
 * and selected text. `items` is called only if the menu opens.
 */
export function openContextMenu(event: MouseEvent, items: () => MenuGroups): void {
  if (event.defaultPrevented || rightClickPoint() === undefined) return
  event.preventDefault()
  const { activeElement } = document
  openRowMenu(activeElement instanceof HTMLElement ? activeElement : document.body, items())
}

/**
 * Opens a row's menu by a right click, the menu key, or Shift+F10, as its button does. Rows are `role="row"` or have
 * `data-index`; their button has `aria-haspopup="menu"`. Other elements call `openContextMenu`. Fields and selected
 * text keep the system's menu.
 */
export function followRightClicks(): void {
  // Captured, so that the handlers of the page find the point.
  document.addEventListener(
    'contextmenu',
    (event) => {
      const { target } = event
      if (!(target instanceof Element) || hasTextMenu(target)) return
      handled = { x: event.clientX, y: event.clientY }
      // Menus open in a microtask of this event.
      setTimeout(() => (handled = undefined))
      const button = target
        .closest('[role="row"], [data-index]')
        ?.querySelector<HTMLElement>('button[aria-haspopup="menu"]')
      if (button == null) return
      event.preventDefault()
      button.click()
    },
    { capture: true },
  )
}

function hasTextMenu(target: Element): boolean {
  if (target.closest('input:not([type="checkbox"], [type="radio"]), textarea, [contenteditable]') !== null) return true
  const selection = getSelection()
  return selection !== null && !selection.isCollapsed && selection.containsNode(target, true)
}
