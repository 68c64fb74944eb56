import type { Session } from 'electron'
import { fileScheme, pageOrigin, pageScheme } from '../protocol/addresses.ts'

/** What a page may load at all; the page's policy says more precisely what for. */
const ownSchemes: ReadonlySet<string> = new Set([`${pageScheme}:`, `${fileScheme}:`, 'blob:', 'data:', 'devtools:'])

/** A name that nobody will ever have (RFC 6761). What asks for the network without being a request is sent there. */
const nowhere = 'http://solarchive.invalid:1'

/** Takes everything from the session that the app's pages do not need: permissions, devices, downloads, the network. */
export async function lockSession(session: Session): Promise<void> {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}))
  // Its dictionaries would come from the network.
  session.setSpellCheckerEnabled(false)
  // Files are shown in the file manager, and a support bundle is written by the app itself. A table that the page made, such as
  // the result of a list of orders, is saved where the person says.
  session.on('will-download', (event, item) => {
    const isOwnTable = item.getURL().startsWith(`blob:${pageOrigin}/`) && item.getFilename().endsWith('.csv')
    if (!isOwnTable) event.preventDefault()
  })
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isOwn(url) }))
  await session.setProxy({ proxyRules: nowhere, proxyBypassRules: '<-loopback>' })
}

function isOwn(url: string): boolean {
  return URL.canParse(url) && ownSchemes.has(new URL(url).protocol)
}
