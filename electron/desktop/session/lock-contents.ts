import { app, type WebContents } from 'electron'
import { openExternal } from './open-external.ts'

/** Keeps every page where it is: it navigates nowhere, opens no window and holds no other page. */
export function lockEveryContents(): void {
  app.on('web-contents-created', (_event, contents) => lockContents(contents))
}

function lockContents(contents: WebContents): void {
  contents.on('will-navigate', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-redirect', (event) => event.preventDefault())
  contents.on('will-attach-webview', (event) => event.preventDefault())
  // Connections between pages pass by everything that a session refuses: they take the way of the session's proxy, which leads nowhere.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  contents.setWindowOpenHandler(({ url }) => {
    void openExternal(url)
    return { action: 'deny' }
  })
}
