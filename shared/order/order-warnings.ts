import {
  choiceLabel,
  knownChoice,
  orderFields,
  setbackNames,
  type FieldNote,
  type OrderFieldName,
  withUnit,
} from './order-fields.ts'
import type { Order } from './order-schema.ts'
import { setbackDefaults } from './setback-defaults.ts'

/**
 * Returns the unit of a target by its category, as typed, or null for a category that the specification does not
 * define.
 */
export function targetUnit(category: string): { readonly unit: string; readonly label: string } | null {
  switch (knownChoice(category, orderFields.sizedForCategory.rule.known)) {
    case 'consumption':
      return { unit: '%', label: 'Percent of consumption to offset' }
    case 'production':
      return { unit: 'kWh', label: 'Annual production' }
    case 'systemSize':
      return { unit: 'kW', label: 'System size' }
    default:
      return null
  }
}

/** Returns `100%` or `9000 kWh`; the number alone for an unknown category, empty text for no value. */
export function describeTarget(category: string, value: string): string {
  return value === '' ? '' : withUnit(value, targetUnit(category)?.unit ?? null)
}

/**
 * Fire codes permit less than this only if modules leave much of the roof free; the service's defaults are allowed.
 * Inches.
 */
const fullRoofRidge = 36
const unusualSpacing = 4
/** Inches. */
const unusualSetback = 120
const unusualTolerance = 100
const usualTargets: Readonly<Record<string, readonly [number, number]>> = {
  consumption: [20, 200],
  production: [500, 500_000],
  systemSize: [1, 500],
}

/** Returns warnings about values that are permitted but rarely intended. Unreadable fields are skipped. */
export function orderWarnings(order: Partial<Order>): FieldNote[] {
  const notes: FieldNote[] = []
  const warn = (field: OrderFieldName, message: string) => void notes.push({ field, message })

  for (const name of [...setbackNames.fire, ...setbackNames.obstruction]) {
    const inches = order[name]
    if (inches === 0) warn(name, '0 in leaves no setback at all.')
    if (typeof inches === 'number' && inches > unusualSetback) warn(name, 'More than 10 ft is unusual.')
  }
  for (const name of ['homeownerName', 'projectAddress', 'designOneModule'] as const) {
    if (order[name]?.includes('\u{FFFD}') === true) {
      warn(name, 'Letters were lost in an earlier conversion (shown as \u{FFFD}). Type them again.')
    }
  }
  for (const name of ['tierLevel', 'sizedForCategory'] as const) {
    const { known }: { readonly known: readonly string[] } = orderFields[name].rule
    const value = order[name]
    if (value !== undefined && !known.includes(value)) {
      warn(
        name,
        `Not one of the values that are known (${known.map(choiceLabel).join(', ')}). Check that the service has it.`,
      )
    }
  }
  const { ridge, sizedForCategory: category = '', sizedForValue, tierLevel } = order
  const isDefault = Object.values(setbackDefaults.ridge).some((inches) => inches === ridge)
  if (typeof ridge === 'number' && ridge > 0 && ridge < fullRoofRidge && !isDefault && tierLevel === 'maxFill') {
    warn('ridge', `${ridge} in at the ridge of a full roof: many fire codes ask for 36 in (3 ft) there.`)
  }
  for (const name of ['moduleSpacingLong', 'moduleSpacingShort'] as const) {
    if (Number(order[name]) < 0) warn(name, 'Less than 0 in between modules is unusual.')
    if (Number(order[name]) > unusualSpacing) warn(name, `More than ${unusualSpacing} in between modules is unusual.`)
  }
  for (const name of ['negativeTolerance', 'positiveTolerance'] as const) {
    const tolerance = order[name] ?? 0
    if (tolerance < 0) warn(name, 'A tolerance below 0 is unusual.')
    if (tolerance > unusualTolerance) warn(name, `A tolerance above ${unusualTolerance} is unusual.`)
  }
  const { azimuthRangeStart: start, azimuthRangeEnd: end } = order
  if (start !== undefined && end !== undefined && Number(start) >= Number(end)) {
    const meaning =
      Number(start) === Number(end) ? 'is a single direction' : `goes through north, from ${start}° to ${end}°`
    warn('azimuthRangeEnd', `The range ${meaning}. Check both ends.`)
  }
  const usual = usualTargets[category]
  const unit = targetUnit(category)?.unit
  if (usual !== undefined && sizedForValue !== undefined && unit !== undefined) {
    const [low, high] = usual
    const number = Number(sizedForValue)
    if (number < low || number > high) {
      warn(
        'sizedForValue',
        `${number.toLocaleString('en-US')} ${unit} is unusual. Check the number and what it is sized for.`,
      )
    }
  }
  return notes
}
