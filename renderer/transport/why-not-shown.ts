/**
 * Why an archived file could not be shown from its address. `gone`: it is missing, or is not as it was archived; `unreadable`:
 * the archive has it, and this window cannot show it.
 */
export async function whyNotShown(url: string): Promise<'gone' | 'unreadable'> {
  const response = await fetch(url, { method: 'HEAD' }).catch(() => undefined)
  return response?.status === 404 ? 'gone' : 'unreadable'
}
