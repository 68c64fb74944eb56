import {
  defaultSetback,
  orderFieldNames,
  fieldOf,
  isDefaultSetback,
  setbackNames,
  type OrderFieldName,
  type OrderTexts,
  isSiteField,
  isSetback,
} from '../../../../shared/order/order-fields.ts'
import type { OrderPreset } from '../../../../shared/order/order-views.ts'
import type { SetbackRegion } from '../../../../shared/order/setback-defaults.ts'
import { choiceLabel } from '../order-labels.ts'

/** A value that a preset would change. Texts as a person reads them; empty: not filled in. */
export interface PresetChange {
  readonly label: string
  readonly now: string
  readonly then: string
}

const readable = (name: OrderFieldName, text: string) =>
  isSetback(name)
    ? isDefaultSetback(text)
      ? 'default'
      : `${text} in`.replace(/(ft|in|['"′″]) in$/, '$1')
    : choiceLabel(text)

/** What applying a preset would change of a form. */
export function presetChanges(
  preset: OrderPreset,
  { textOf, region }: { textOf: (name: OrderFieldName) => string; region: SetbackRegion | null },
): PresetChange[] {
  const changes = orderFieldNames.flatMap((name) => {
    const text = preset.texts[name]
    if (text === undefined) return []
    const [now, then] = [readable(name, textOf(name)), readable(name, text)]
    return now === then ? [] : [{ label: fieldOf(name).label, now, then }]
  })
  if (preset.region === null || preset.region === region) return changes
  return [...changes, { label: 'Defaults of', now: region ?? '', then: preset.region }]
}

/**
 * What of a form a preset keeps. A jurisdiction's: all setbacks, also those left at the default. A company's: what is filled in and
 * is not one order's own; a target only where it is a percentage.
 */
export function presetTexts(kind: OrderPreset['kind'], textOf: (name: OrderFieldName) => string): OrderTexts {
  if (kind === 'jurisdiction') {
    return Object.fromEntries(
      Object.values(setbackNames)
        .flat()
        .map((name) => [name, textOf(name) || defaultSetback]),
    )
  }
  const isPercent = textOf('sizedForCategory').trim() === 'consumption'
  return Object.fromEntries(
    orderFieldNames
      .filter((name) => !isSiteField(name) && textOf(name).trim() !== '' && (name !== 'sizedForValue' || isPercent))
      .map((name) => [name, textOf(name)]),
  )
}
