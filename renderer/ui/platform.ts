/** Shortcuts use Command on Apple systems and Control elsewhere. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Downloads a text as a CSV file. Call it after a click. */
export function saveTextFile(name: string, text: string): void {
  // Spreadsheets detect UTF-8 by the byte order mark.
  saveBlob(name, new Blob(['\uFEFF', text.replace(/^\uFEFF/, '')], { type: 'text/csv' }))
}

/** Downloads a value as a JSON file. Call it after a click. */
export function saveJsonFile(name: string, value: unknown): void {
  saveBlob(name, new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: 'application/json' }))
}

function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download starts after this task.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
