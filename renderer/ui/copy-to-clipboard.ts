/**
 * Copies a text after a click. Answers whether that worked. Browsers give the clipboard's own interface to secure pages with a
 * permission only: an office server is often reached without TLS, and the installed app grants no permission at all. What a
 * person could do with the keyboard, the older way does for both.
 */
export async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

function copySelected(text: string): boolean {
  const copy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', copy, { capture: true, once: true })
  try {
    return document.execCommand('copy')
  } finally {
    document.removeEventListener('copy', copy, { capture: true })
  }
}
