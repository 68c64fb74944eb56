import {
  choiceLabel,
  defaultSetback,
  fieldOf,
  type OrderFieldName,
  isSetback,
} from '../../../../shared/order/order-fields.ts'
import type { OrderPayload } from '../../../../shared/order/order-payload.ts'
import { targetUnit } from '../../../../shared/order/order-warnings.ts'
import {
  describeDefaultSetback,
  describeInches,
  type SetbackRegion,
} from '../../../../shared/order/setback-defaults.ts'
import { withUnit } from '../order-labels.ts'

export interface ReviewRow {
  readonly name: OrderFieldName
  readonly label: string
  readonly value: string
  /** The service's value for a default; it is not sent. */
  readonly meaning: string | null
}

const groups: readonly {
  readonly title: string
  readonly names: readonly OrderFieldName[]
  /** True for groups of long texts. */
  readonly isWide?: boolean
}[] = [
  { title: 'Project and site', names: ['projectId', 'homeownerName', 'projectAddress'], isWide: true },
  {
    title: 'Design target',
    names: ['tierLevel', 'sizedForCategory', 'sizedForValue', 'negativeTolerance', 'positiveTolerance'],
  },
  {
    title: 'Modules',
    names: ['designOneModule', 'moduleOrientation', 'mixedOrientation', 'moduleSpacingLong', 'moduleSpacingShort'],
  },
  { title: 'Fire setbacks', names: ['ridge', 'eave', 'rake', 'valley', 'hip'] },
  { title: 'Obstruction setbacks', names: ['vents', 'exhaust', 'skylights', 'parapet', 'general'] },
  { title: 'Azimuth range', names: ['azimuthRangeStart', 'azimuthRangeEnd'] },
  { title: 'Options', names: ['isExpedited', 'upgrade', 'newBuildPlansRequired', 'isCommercialZone'] },
]

/** Returns what will be sent, in groups for display. Every field is in one of them. */
export function reviewGroups(payload: OrderPayload, region: SetbackRegion | null) {
  const row = (name: OrderFieldName): ReviewRow => {
    const sent = valueAt(payload, fieldOf(name).path)
    const isDefault = isSetback(name) && sent === defaultSetback
    return {
      name,
      label: fieldOf(name).label,
      value: isDefault ? 'Default:' : textOf(name, sent, payload.form.sizedForCategory),
      meaning: isDefault
        ? `${describeDefaultSetback(name, region)}${region === null ? '' : `, region\u00A0${region}`}`
        : null,
    }
  }
  return groups.map(({ title, names, isWide = false }) => ({ title, isWide, rows: names.map(row) }))
}

type Sent = string | number | boolean | null

function valueAt(payload: OrderPayload, path: readonly string[]): Sent {
  return path.reduce<unknown>((holder, key) => (holder as Readonly<Record<string, unknown>>)[key], payload) as Sent
}

function textOf(name: OrderFieldName, value: Sent, category: string): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (value === null) return 'None'
  if (isSetback(name)) return describeInches(Number(value))
  const { rule } = fieldOf(name)
  if (rule.kind === 'choice' || rule.kind === 'open-choice') return choiceLabel(String(value))
  const unit = name === 'sizedForValue' ? targetUnit(category)?.unit : rule.kind === 'number' ? rule.unit : null
  return withUnit(String(value), unit ?? null)
}
