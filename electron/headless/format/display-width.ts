const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Scripts and symbols that terminals draw two columns wide: CJK, Hangul, full-width forms, emoji. */
const wide =
  /^[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u

function graphemeWidth(grapheme: string): number {
  return wide.test(grapheme) ? 2 : 1
}

/** How many columns of a terminal a text takes; the text holds no control characters and no colours. */
export function displayWidth(text: string): number {
  let columns = 0
  for (const { segment } of graphemes.segment(text)) columns += graphemeWidth(segment)
  return columns
}

/** The text cut to at most `columns` columns, with `…` where something was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const width = graphemeWidth(segment)
    if (used + width > columns - 1) break
    kept += segment
    used += width
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`
}
