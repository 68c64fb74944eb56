/**
 * Tells the styles how wide a scrollbar is: `--scrollbar-width`, in pixels, 0 where scrollbars lie over what they scroll. Again
 * whenever the page is zoomed, which shows as another size of the window.
 */
export function tellScrollbarWidth(): void {
  measure()
  addEventListener('resize', measure)
}

function measure(): void {
  const probe = document.createElement('div')
  probe.className = 'invisible fixed w-12 overflow-y-scroll'
  document.body.append(probe)
  const width = probe.offsetWidth - probe.clientWidth
  probe.remove()
  document.documentElement.style.setProperty('--scrollbar-width', `${width}px`)
}
