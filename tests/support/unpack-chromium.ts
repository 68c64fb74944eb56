/**
 * Vitest's global setup: unpacks the packaged Chromium to the system's folder for temporary files, before several
 * processes would do it at the same time.
 */
export default async function unpackChromium(): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return
  const { default: packaged } = await import('@sparticuz/chromium')
  packaged.setGraphicsMode = false
  await packaged.executablePath()
}
