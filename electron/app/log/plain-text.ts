/** Line breaks and tabs: what a person would have meant as a space. */
const breaks = /[\t\n\v\f\r\u0085\u2028\u2029]+/g

/**
 * What must not reach a terminal from the service's own text: control characters (they move the cursor, change the
 * title, answer for the user), and the bidirectional marks that make a text read as another one.
 */
const unsafe = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]|\p{Cs}/gu

/** Text from outside, safe to print on one line of a terminal: breaks become spaces, control characters `�`. */
export function plainText(text: string): string {
  return text.replace(breaks, ' ').replace(unsafe, '\uFFFD').trim()
}
