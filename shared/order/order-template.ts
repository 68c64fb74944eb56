import { csvText } from '../csv.ts'
import { fieldOf, orderFieldNames, type OrderFieldName, type OrderTexts } from './order-fields.ts'

/** The template's example row. A list that still contains these texts was not filled in and must not be ordered. */
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
 * Returns a CSV list of orders to fill in: the header with every field in the form's order, and one example, which is
 * refused until its project, homeowner, and address are replaced.
 */
export function orderTemplateCsv(): string {
  return csvText([orderFieldNames, orderFieldNames.map((name) => exampleOf(name))])
}

/** Returns whether a field still has the value of the template's example, ignoring case. */
export function isExampleText(name: OrderFieldName, text: string): boolean {
  const example: string | undefined = (exampleTexts as OrderTexts)[name]
  return example !== undefined && text.trim().toLowerCase() === example.toLowerCase()
}

/** Fields with a default stay empty, so that a preset can fill them. */
function exampleOf(name: OrderFieldName): string {
  return (exampleTexts as OrderTexts)[name] ?? usualTexts[name] ?? ''
}

/** Common values for required fields of the JSON template. */
const usualTarget: OrderTexts = { tierLevel: 'maxFill', sizedForCategory: 'consumption', sizedForValue: '100' }

/**
 * Returns an order's JSON to fill in: the defaults, and empty texts for required fields. The project is left out: it is
 * named on the command line.
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
