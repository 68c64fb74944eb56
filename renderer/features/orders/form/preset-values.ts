import {
  choiceLabel,
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
import { targetUnit } from '../../../../shared/order/order-warnings.ts'
import type { OrderPreset } from '../../../../shared/order/order-views.ts'
import type { SetbackRegion } from '../../../../shared/order/setback-defaults.ts'

/** A value that a preset would change, as displayed; '' if empty. */
export interface PresetChange {
  readonly label: string
  readonly from: string
  readonly to: string
}

const readable = (name: OrderFieldName, text: string) =>
  isSetback(name)
    ? isDefaultSetback(text)
      ? 'default'
      : `${text} in`.replace(/(ft|in|['"′″]) in$/, '$1')
    : choiceLabel(text)

/** Returns what applying a preset would change in a form. */
export function presetChanges(
  preset: OrderPreset,
  { textOf, region }: { textOf: (name: OrderFieldName) => string; region: SetbackRegion | null },
): PresetChange[] {
  const changes = orderFieldNames.flatMap((name) => {
    const text = preset.texts[name]
    if (text === undefined) return []
    const [from, to] = [readable(name, textOf(name)), readable(name, text)]
    return from === to ? [] : [{ label: fieldOf(name).label, from, to }]
  })
  if (preset.region === null || preset.region === region) return changes
  return [...changes, { label: 'Show defaults for', from: region ?? '', to: preset.region }]
}

/**
 * Returns the values of a form that a preset saves. A jurisdiction's preset: all setbacks, including defaults. A
 * company's: all filled-in values that are not specific to one house; a target only if it is a percentage.
 */
export function presetTexts(kind: OrderPreset['kind'], textOf: (name: OrderFieldName) => string): OrderTexts {
  if (kind === 'jurisdiction') {
    return Object.fromEntries(
      Object.values(setbackNames)
        .flat()
        .map((name) => [name, textOf(name) || defaultSetback]),
    )
  }
  const isPercent = targetUnit(textOf('sizedForCategory'))?.unit === '%'
  return Object.fromEntries(
    orderFieldNames
      .filter((name) => !isSiteField(name) && textOf(name).trim() !== '' && (name !== 'sizedForValue' || isPercent))
      .map((name) => [name, textOf(name)]),
  )
}
