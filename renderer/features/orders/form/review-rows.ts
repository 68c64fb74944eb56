import {
  defaultSetback,
  fieldOf,
  type OrderFieldName,
  isSetback,
  setbackNames,
} from '../../../../shared/order/order-fields.ts'
import { type OrderPayload, readOrderJson } from '../../../../shared/order/order-payload.ts'
import { describeDefaultSetback, type SetbackRegion } from '../../../../shared/order/setback-defaults.ts'
import { describeField } from '../order-labels.ts'

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
  { title: 'Fire setbacks', names: setbackNames.fire },
  { title: 'Obstruction setbacks', names: setbackNames.obstruction },
  { title: 'Azimuth range', names: ['azimuthRangeStart', 'azimuthRangeEnd'] },
  { title: 'Options', names: ['isExpedited', 'upgrade', 'newBuildPlansRequired', 'isCommercialZone'] },
]

/** Returns what will be sent, in groups for display. Every field is in one of them. */
export function reviewGroups(payload: OrderPayload, region: SetbackRegion | null) {
  const { texts } = readOrderJson(payload)
  const row = (name: OrderFieldName): ReviewRow => {
    const isDefault = isSetback(name) && texts[name] === defaultSetback
    return {
      name,
      label: fieldOf(name).label,
      value: isDefault ? 'Default:' : (describeField(name, texts, region) ?? ''),
      meaning: isDefault
        ? `${describeDefaultSetback(name, region)}${region === null ? '' : `, region\u00A0${region}`}`
        : null,
    }
  }
  return groups.map(({ title, names, isWide = false }) => ({ title, isWide, rows: names.map(row) }))
}
