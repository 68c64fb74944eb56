import { orderFieldNames, orderFields, type OrderField, type OrderFieldName, type OrderTexts } from './order-fields.ts'

/**
 * The row of a template that shows what belongs where. A list with these very texts in it was not filled in: it must not be
 * ordered.
 */
const exampleTexts = {
  projectId: 'EXAMPLE-PROJECT-ID',
  homeownerName: 'EXAMPLE Homeowner',
  projectAddress: 'EXAMPLE: 1 Main Street, Springfield, NY 10001',
} as const satisfies OrderTexts

const usualTexts: OrderTexts = {
  tierLevel: 'maxFill',
  sizedForCategory: 'consumption',
  sizedForValue: '100',
  designOneModule: 'REC Alpha Pure-R 430',
  moduleSpacingShort: '1',
}

/**
 * A CSV list of orders to fill in: the header, with every field in the order of the form, and one example, which is refused
 * until its project, homeowner and address are replaced. Lines end as spreadsheets on Windows want them.
 */
export function orderTemplateCsv(): string {
  const example = orderFieldNames.map((name) => exampleOf(name))
  return [orderFieldNames, example].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('')
}

/** Whether a field still says what the template's example says, without regard to case. */
export function isExampleText(name: OrderFieldName, text: string): boolean {
  const example: string | undefined = (exampleTexts as OrderTexts)[name]
  return example !== undefined && text.trim().toLowerCase() === example.toLowerCase()
}

/** A setback's default is written as the word for it: `undefined` looks like a fault in a spreadsheet. */
function exampleOf(name: OrderFieldName): string {
  const field: OrderField = orderFields[name]
  if (field.rule.kind === 'setback') return 'default'
  return (exampleTexts as OrderTexts)[name] ?? usualTexts[name] ?? field.default ?? ''
}

/** Quoted where it has to be. */
export function csvCell(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
