/**
 * Returns the Content-Security-Policy of the app's pages: they load only what their host serves, run no inline script,
 * and cannot be framed. `fileSource` is the origin of archived files, such as `archive:`, if it is not the pages' own.
 */
export function pagePolicy(fileSource = ''): string {
  const self = `'self'${fileSource && ` ${fileSource}`}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${self} data: blob:`,
    "font-src 'self'",
    `connect-src ${self}`,
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * Policy of archived files, which are untrusted: opened directly they run nothing, load nothing, and have no origin.
 */
export const filePolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"
