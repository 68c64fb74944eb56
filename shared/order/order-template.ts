import { fieldOf, orderFieldNames, type OrderFieldName, type OrderTexts } from './order-fields.ts'

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

/** What has a default is left empty: a preset fills in what a row leaves empty. */
function exampleOf(name: OrderFieldName): string {
  return (exampleTexts as OrderTexts)[name] ?? usualTexts[name] ?? ''
}

/** What the JSON to fill in asks for, where there is no default: what most orders want. */
const usualTarget: OrderTexts = { tierLevel: 'maxFill', sizedForCategory: 'consumption', sizedForValue: '100' }

/**
 * An order's JSON to fill in, as the service takes it: the defaults, and empty texts where a person has to say something. Its
 * project is not in it: it is said beside it.
 */
export function orderTemplateJson(): string {
  const template: JsonObject = {}
  for (const name of orderFieldNames) {
    const { path } = fieldOf(name)
    if (name === 'projectId') continue
    let holder = template
    for (const key of path.slice(0, -1)) holder = (holder[key] ??= {}) as JsonObject
    holder[path.at(-1) ?? name] = jsonOf(name)
  }
  return `${JSON.stringify(template, null, 2)}\n`
}

interface JsonObject {
  [key: string]: JsonObject | string | boolean | null
}

function jsonOf(name: OrderFieldName): string | boolean | null {
  const { rule, default: initial } = fieldOf(name)
  if (rule.kind === 'yes-no') return initial === 'yes'
  if (rule.kind === 'tolerance') return null
  return initial ?? usualTarget[name] ?? ''
}

/** Quoted where it has to be. */
export function csvCell(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
