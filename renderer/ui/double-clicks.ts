const controls = 'a, button, input, label, select, summary, textarea, [role="row"], [role="option"], [role^="menuitem"]'

function controlAt(target: EventTarget | null): Element | null {
  return target instanceof Element ? (target.closest(controls) ?? target) : null
}

/** A label clicks its control. */
const isLabelOf = (one: Element, other: Element) => one instanceof HTMLLabelElement && one.control === other

/**
 * Ignores the second click of a double click on something else than the first one: that may have opened a page, removed
 * its row, or replaced its button, as Sync now is replaced by Stop.
 */
export function ignoreClicksOnSuccessors(): void {
  let first: Element | null = null
  document.addEventListener(
    'click',
    (event) => {
      const now = controlAt(event.target)
      if (event.detail === 1) first = now
      // A key has no count of clicks.
      if (event.detail < 2 || first === null || now === null) return
      if (first.contains(now) || now.contains(first) || isLabelOf(first, now) || isLabelOf(now, first)) return
      event.preventDefault()
      event.stopImmediatePropagation()
    },
    { capture: true },
  )
}
