/** Line breaks and tabs, which become spaces. */
const breaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g

/**
 * Characters of the service's texts that must not reach a terminal: control characters, which move the cursor, change
 * the title, or send input, and bidirectional marks, which make text read as something else.
 */
const unsafe = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]|\p{Cs}/gu

/** Returns untrusted text, safe to print on one line of a terminal: breaks become spaces, control characters `�`. */
export function plainText(text: string): string {
  return text.replace(breaks, ' ').replace(unsafe, '\uFFFD').trim()
}
