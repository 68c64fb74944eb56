import { app, type Session, type WebContents } from 'electron'
import { showCommandFailure } from './failures.ts'
import { isLoadable, pageOrigin } from './origins.ts'

/** Proxy that leads nowhere (RFC 6761 reserves the name), for network access that is not a request of the session. */
const deadProxy = 'http://solarchive.invalid:1'

/**
 * Keeps every page where it is: it navigates nowhere, opens no window, and holds no other page. Addresses that start
 * with `about:` cannot be prevented (electron/electron#21136); `AppWindow` brings its page back.
 */
export function confineAllContents(): void {
  app.on('web-contents-created', (_event, contents) => confineContents(contents))
}

function confineContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  // WebRTC bypasses the session's request filter: it has to go through the session's proxy, which leads nowhere.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  // The app links to no other site, so nothing is opened in the system's browser either.
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
}

/** Takes everything from the session that the app's pages do not need: permissions, devices, downloads, the network. */
export async function confineSession(session: Session): Promise<void> {
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.setDisplayMediaRequestHandler((_request, callback) => callback({}))
  // Its dictionaries would be downloaded.
  session.setSpellCheckerEnabled(false)
  // Files are shown in the file manager, and the app itself writes support bundles. What the page made, such as the
  // result of an order list or a template of packets, is saved where the user says.
  session.on('will-download', (event, item) => {
    const isOwn = item.getURL().startsWith(`blob:${pageOrigin}/`) && /\.(?:csv|json)$/.test(item.getFilename())
    if (!isOwn) return event.preventDefault()
    // What the page made cannot be resumed, so that a failure ends it.
    item.once('done', (_done, state) => {
      if (state !== 'interrupted') return
      void showCommandFailure(`${item.getFilename()} could not be saved. Choose another folder.`)
    })
  })
  session.webRequest.onBeforeRequest(({ url }, callback) => callback({ cancel: !isLoadable(url) }))
  await session.setProxy({ proxyRules: deadProxy, proxyBypassRules: '<-loopback>' })
}
