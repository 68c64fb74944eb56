import { escapeXml } from './geo.ts'
import { ZipWriter } from './zip-writer.ts'

export type Cell = string | number | null

/** A table of at most 26 columns. In its worksheet, texts stay texts: nothing in them is evaluated. */
export interface Sheet {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: () => Iterable<readonly Cell[]>
}

/** Limits of Excel ("Excel specifications and limits", support.microsoft.com). */
const [maxRows, maxCharacters] = [1_048_576, 32_767]

const [moreRows, moreCharacters] = ['(more rows are in the CSV file)', ' (the whole text is in the CSV file)']

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Of all parts: they have no time of their own. */
const modifiedAt = new Date(1980, 0, 1)

/**
 * Returns a workbook (ECMA-376, Office Open XML) with one worksheet per table, whose first row stays visible. Its rows
 * are compressed one after the other: a library would have all cells in memory. Rows and characters beyond Excel's
 * limits are left out; the last row, or the end of the cell, says so.
 */
export async function workbook(sheets: readonly Sheet[]): Promise<Buffer> {
  const numbers = sheets.map((_, index) => index + 1)
  const relation = (id: number, type: string, target: string) =>
    `<Relationship Id="rId${id}" Type="${relationships}/${type}" Target="${target}"/>`
  const relations = (items: readonly string[]) =>
    `${declaration}<Relationships xmlns="${packageNamespace}/relationships">${items.join('')}</Relationships>`
  const part = (path: string, type: string) => `<Override PartName="/xl/${path}" ContentType="${contentType}.${type}"/>`
  const styles = sheets.length + 1
  const files: readonly { readonly path: string; readonly text: Iterable<string> }[] = [
    {
      path: '[Content_Types].xml',
      text: [
        `${declaration}<Types xmlns="${packageNamespace}/content-types">`,
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
        part('workbook.xml', 'sheet.main+xml'),
        part('styles.xml', 'styles+xml'),
        ...numbers.map((number) => part(`worksheets/sheet${number}.xml`, 'worksheet+xml')),
        '</Types>',
      ],
    },
    { path: '_rels/.rels', text: [relations([relation(1, 'officeDocument', 'xl/workbook.xml')])] },
    {
      path: 'xl/workbook.xml',
      text: [
        `${declaration}<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>`,
        ...sheets.map(({ name }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`),
        '</sheets></workbook>',
      ],
    },
    {
      path: 'xl/_rels/workbook.xml.rels',
      text: [
        relations([
          ...numbers.map((number) => relation(number, 'worksheet', `worksheets/sheet${number}.xml`)),
          relation(styles, 'styles', 'styles.xml'),
        ]),
      ],
    },
    { path: 'xl/styles.xml', text: [stylesPart] },
    ...sheets.map((sheet, index) => ({ path: `xl/worksheets/sheet${index + 1}.xml`, text: sheetPart(sheet) })),
  ]
  const bytes: Buffer[] = []
  const zip = new ZipWriter((chunks) => Promise.resolve(void bytes.push(...chunks)))
  for (const { path, text } of files) await zip.addText(path, text, modifiedAt)
  await zip.end()
  return Buffer.concat(bytes)
}

/** Style 1 is bold, for the first row. */
const stylesPart =
  `${declaration}<styleSheet xmlns="${main}"><fonts count="2"><font/><font><b/></font></fonts>` +
  '<fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>' +
  '<cellXfs count="2"><xf xfId="0"/><xf fontId="1" applyFont="1" xfId="0"/></cellXfs></styleSheet>'

function* sheetPart({ columns, rows }: Sheet): Generator<string> {
  yield (
    `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">` +
      '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>'
  )
  yield rowPart(columns, 1, 1)
  let number = 1
  for (const row of rows()) {
    number += 1
    if (number === maxRows) {
      yield rowPart([moreRows], number, 0)
      break
    }
    yield rowPart(row, number, 0)
  }
  yield '</sheetData></worksheet>'
}

function rowPart(cells: readonly Cell[], number: number, style: number): string {
  const parts = cells.map((cell, index) => cellPart(cell, `${columnName(index)}${number}`, style))
  return `<row r="${number}">${parts.join('')}</row>`
}

/** Returns the name of one of the first 26 columns. */
const columnName = (index: number) => String.fromCharCode(65 + index)

/** The underscore of a text that looks like an escaped character, `_x0041_` (ECMA-376, part 1, section 22.9.2.19). */
const escapeLike = /_(?=x[0-9A-Fa-f]{4}_)/g

function cellPart(cell: Cell, reference: string, style: number): string {
  if (cell === null || cell === '') return ''
  if (typeof cell === 'number') return `<c r="${reference}" s="${style}"><v>${cell}</v></c>`
  const text = escapeXml((cell.length > maxCharacters ? cutText(cell) : cell).replaceAll(escapeLike, '_x005F_'))
  return `<c r="${reference}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`
}

const cutText = (text: string) => text.slice(0, maxCharacters - moreCharacters.length) + moreCharacters
