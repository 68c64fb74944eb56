/** Shortcuts use Command on Apple systems and Control elsewhere. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Downloads a text as a CSV file. Call it after a click. */
export function saveTextFile(name: string, text: string): void {
  // Spreadsheets detect UTF-8 by the byte order mark.
  const url = URL.createObjectURL(new Blob(['\uFEFF', text.replace(/^\uFEFF/, '')], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download starts after this task.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
