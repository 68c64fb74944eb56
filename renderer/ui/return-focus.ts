const layers = '[role="dialog"], [role="menu"], [role="listbox"]'

/**
 * Returns the focus when a dialog closes and what opened it is gone, such as an item of a menu: to the last element
 * that had it outside of dialogs and menus, or if that is gone as well, to the page.
 */
export function returnFocus(): void {
  let last: HTMLElement | null = null
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && target.closest(layers) === null) last = target
  })
  // A click beside all controls takes the focus away.
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (target === last && relatedTarget === null) last = null
  })

  function restore(): void {
    const isLost = document.activeElement === document.body
    if (!isLost || document.querySelector('[role="dialog"]:not([data-state="closed"])') !== null) return
    last?.focus({ preventScroll: true })
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true })
  }
  // Sent by the kit as it removes the element. It does not bubble.
  document.addEventListener(
    'focusScope.autoFocusOnUnmount',
    ({ target }) => {
      if (target instanceof Element && target.matches('[role="dialog"]')) setTimeout(restore)
    },
    { capture: true },
  )
}
