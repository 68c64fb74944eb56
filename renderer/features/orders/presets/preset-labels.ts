import { countOf } from '../../../../shared/format.ts'
import { orderFields, type OrderFieldName, type OrderTexts } from '../../../../shared/order/order-fields.ts'
import type { OrderPreset } from '../../../../shared/order/order-views.ts'
import { orderSchema } from '../../../../shared/order/order-schema.ts'
import { describeField, orderFieldGroups } from '../order-labels.ts'

/** Fields that a preset can set, in reading order. */
export const presetFields = orderFieldGroups.flatMap(({ fields }) => fields)

export const presetKindLabels: Readonly<Record<OrderPreset['kind'], string>> = {
  company: 'Company',
  jurisdiction: 'Jurisdiction',
}

/** Returns the problems of a preset's values by field. Empty values have none. */
export function presetProblems(texts: OrderTexts): ReadonlyMap<OrderFieldName, string> {
  const problems = new Map<OrderFieldName, string>()
  for (const [name, text] of Object.entries(texts) as [OrderFieldName, string][]) {
    if (text.trim() === '') continue
    const message = orderSchema.shape[name].safeParse(text).error?.issues[0]?.message
    if (message !== undefined) problems.set(name, message)
  }
  return problems
}

/** Returns the first values of a preset, and the number of further ones. */
export function presetSummary({ texts, region }: Pick<OrderPreset, 'texts' | 'region'>, max = 3): string {
  const set = presetFields
    .filter((name) => (texts[name] ?? '').trim() !== '')
    .map((name) => `${orderFields[name].label}: ${describeField(name, texts, region)}`)
  if (region !== null) set.unshift(`Defaults for ${region}`)
  if (set.length === 0) return 'No values yet'
  const more = set.length - max
  return [...set.slice(0, max), ...(more > 0 ? [`and ${countOf(more, 'more value')}`] : [])].join(' · ')
}
