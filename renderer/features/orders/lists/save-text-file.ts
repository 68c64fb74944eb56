/** Lets the person save a text that the page holds, after a click: the browser or the installed app asks where to. */
export function saveTextFile(name: string, text: string): void {
  // Spreadsheets take a file for UTF-8 when it begins with this mark.
  const address = URL.createObjectURL(new Blob(['\uFEFF', text.replace(/^\uFEFF/, '')], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download begins after this task.
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
