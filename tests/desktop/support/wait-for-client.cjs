// Runs in Electron before the app: holds it until Playwright is connected, which then calls this function. A window
// that is created while it connects is never reported to it.
const { app } = /** @type {typeof import('electron')} */ (module.require('electron'))

if (process.env.WAIT_FOR_CLIENT !== undefined) {
  // The app that this one starts again has no client.
  delete process.env.WAIT_FOR_CLIENT
  const ready = app.whenReady()
  const connected = new Promise((resolve) => {
    globalThis.__playwright_run = () => resolve(undefined)
  })
  app.whenReady = () => Promise.all([ready, connected]).then(() => undefined)
}
