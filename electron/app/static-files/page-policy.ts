/**
 * What the app's pages may load: nothing but what their host sends, no inline script, nobody's frame. `fileSource` is
 * where archived files come from when that is not the pages' own origin, such as `archive:`.
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

/** What is archived came from elsewhere: opened by itself it runs nothing, embeds nothing and has no origin. */
export const filePolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"
