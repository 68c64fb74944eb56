/** Texts that could run in a page, escape from it, reverse its writing direction, or break its layout. */
const payloads = [
  '<img src=x onerror="owned=1">',
  '<script>owned=1</script>',
  '"><svg onload=owned=1><a href="javascript:owned=1">link</a>',
  "{{ constructor.constructor('owned=1')() }} ${owned=1}",
  'javascript:owned=1//',
  '</title></textarea><iframe srcdoc="<script>parent.owned=1</script>">',
  '\u202Egnp.live\u2066\u2067 \u0000\u0007\r\n\t end',
  'W'.repeat(300),
] as const

/** Longer than any real title. */
const longest = 10_000

let turn = 0

/** Returns all payloads, each time with another one first, 10,000 characters long. */
export function hostileText(): string {
  const first = turn++ % payloads.length
  const all = [...payloads.slice(first), ...payloads.slice(0, first)].join(' ')
  return all.padEnd(longest, ' endless')
}

/** Prefix of ids, which return in the URLs of later calls. */
const idPayload = '../%2e%2e/<img src=x onerror=owned=1>?#'
const idLength = 24

export const hostileId = (id: string) => `${idPayload}${id}`

/** Returns the sample service's id of an id from `hostileId`. */
export const trueId = (id: string) => (id.startsWith(idPayload) ? id.slice(-idLength) : id)

/**
 * A one-page PDF covered by a link, with a script that runs when it is opened, a form, and a file to start. Readers
 * find its objects without a cross-reference table.
 */
export const hostileReport = Buffer.from(
  [
    '%PDF-1.7',
    '1 0 obj <</Type/Catalog /Pages 2 0 R /OpenAction 5 0 R /AcroForm <</Fields [7 0 R]>> /AA <</WC 5 0 R>>>> endobj',
    '2 0 obj <</Type/Pages /Kids [3 0 R] /Count 1>> endobj',
    '3 0 obj <</Type/Page /Parent 2 0 R /MediaBox [0 0 300 300] /Annots [4 0 R 6 0 R 7 0 R 9 0 R] /Contents 8 0 R',
    '  /Resources <</Font <</F <</Type/Font /Subtype/Type1 /BaseFont/Helvetica>>>>>>>> endobj',
    '4 0 obj <</Type/Annot /Subtype/Link /Rect [0 150 300 300] /A <</S/URI /URI (http://elsewhere.example/)>>>> endobj',
    '5 0 obj <</S/JavaScript /JS (globalThis.owned = 1; app.alert\\(1\\);)>> endobj',
    '6 0 obj <</Type/Annot /Subtype/Link /Rect [0 50 300 150] /A <</S/URI /URI (javascript:owned=1)>>>> endobj',
    '7 0 obj <</Type/Annot /Subtype/Widget /FT/Btn /T (b) /Ff 65536 /Rect [0 0 300 50] /A 5 0 R',
    '  /MK <</CA (Press)>>>> endobj',
    '8 0 obj <</Length 70>> stream',
    'BT /F 12 Tf 20 160 Td (<img src=x onerror=owned=1> <b>report</b>) Tj ET '.padEnd(70),
    'endstream endobj',
    '9 0 obj <</Type/Annot /Subtype/Text /Rect [10 10 40 40] /T (<img src=x onerror=owned=1>)',
    '  /Contents (<img src=x onerror=owned=1>) /RC (<body><img src="x" onerror="owned=1"/></body>)>> endobj',
    'trailer <</Root 1 0 R /Size 10>>',
    '%%EOF\n',
  ].join('\n'),
)
