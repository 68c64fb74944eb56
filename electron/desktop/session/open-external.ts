import { shell } from 'electron'

/** Opens an address in the person's browser, if it is one of the web over TLS. Answers whether it was. */
export async function openExternal(url: string): Promise<boolean> {
  if (!isSafeExternal(url)) return false
  await shell.openExternal(new URL(url).href).catch(() => undefined)
  return true
}

/** Other schemes start programs with arguments that a page has chosen. */
function isSafeExternal(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return protocol === 'https:' && username === '' && password === ''
}
