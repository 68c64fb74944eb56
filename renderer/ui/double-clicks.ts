const controls = 'a, button, input, label, select, summary, textarea, [role="row"], [role="option"], [role^="menuitem"]'

function controlAt(target: EventTarget | null): Element | null {
  return target instanceof Element ? (target.closest(controls) ?? target) : null
}

/**
 * Ignores the second click of a double click on something else than the first one: that may have opened a page, removed
 * its row, or replaced its button, as Sync now is replaced by Stop.
 */
export function ignoreClicksOnSuccessors(): void {
  let pressed: Element | null = null
  const captured = { capture: true }
  document.addEventListener('mousedown', ({ detail, target }) => detail < 2 && (pressed = controlAt(target)), captured)
  document.addEventListener(
    'click',
    (event) => {
      const now = controlAt(event.target)
      if (event.detail < 2 || pressed === null || now === null) return
      // A label clicks its control.
      const isOfLabel = pressed instanceof HTMLLabelElement && pressed.control === now
      if (isOfLabel || pressed.contains(now) || now.contains(pressed)) return
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    captured,
  )
}
