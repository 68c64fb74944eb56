import { describeTarget, targetUnit } from '../../../shared/order/order-warnings.ts'
import {
  fieldOf,
  isDefaultSetback,
  setbackNames,
  type OrderFieldName,
  type OrderTexts,
  type SetbackName,
} from '../../../shared/order/order-fields.ts'
import type { OrderBatch, OrderPage, OrderSummary } from '../../../shared/order/order-views.ts'
import { describeDefaultSetback, describeInches, type SetbackRegion } from '../../../shared/order/setback-defaults.ts'
import type { StatusLook } from '../../labels/status-labels.ts'
import { formatCount } from '../../labels/format-numbers.ts'

/** What an order is called where one is told from others. */
export function orderTitle({
  homeownerName,
  projectName,
  orderId,
}: Pick<OrderSummary, 'homeownerName' | 'projectName' | 'orderId'>): string {
  return homeownerName.trim() || projectName || `Order ${orderId}`
}

/** "Max fill, 100%": what tells orders of one house from each other. Empty while nothing of it is known. */
export function orderDesign({
  tierLevel,
  sizedForCategory,
  sizedForValue,
}: Pick<OrderSummary, 'tierLevel' | 'sizedForCategory' | 'sizedForValue'>): string {
  return [choiceLabel(tierLevel), describeTarget(sizedForCategory, sizedForValue)]
    .filter((text) => text !== '')
    .join(', ')
}

/** The service's status; one that is not known, as the service says it. */
export function orderStatus(status: string): string {
  return status === 'ordered' ? 'Ordered' : status
}

type Standing = Pick<OrderSummary, 'state' | 'status' | 'problem'>

/** How an order stands: its state here, and once it is placed the service's status. */
export function lookOfOrder({ state, status, problem }: Standing): StatusLook {
  switch (state) {
    case 'draft':
      return problem === null
        ? { label: 'Draft', icon: 'i-lucide-pencil-line', tone: 'neutral' }
        : { label: 'Not placed', icon: 'i-lucide-circle-x', tone: 'error' }
    case 'submitting':
      return { label: 'On its way', icon: 'i-lucide-send', tone: 'info' }
    case 'unconfirmed':
      return { label: 'Unconfirmed', icon: 'i-lucide-circle-question-mark', tone: 'warning' }
    case 'placed':
      return { label: status === null ? 'Placed' : orderStatus(status), icon: 'i-lucide-file-check', tone: 'success' }
  }
}

export const orderFilterLabels = {
  all: 'All',
  drafts: 'Drafts',
  'not-placed': 'Not placed',
  unconfirmed: 'Unconfirmed',
  placed: 'Placed',
} as const
export type OrderFilter = keyof typeof orderFilterLabels

/** How many orders a filter shows. */
export function countOfFilter(filter: OrderFilter, counts: OrderPage['counts']): number {
  return counts[filter === 'not-placed' ? 'notPlaced' : filter]
}

export function isOrderFilter(text: unknown): text is OrderFilter {
  return typeof text === 'string' && Object.hasOwn(orderFilterLabels, text)
}

/** How a list of orders stands. One that is done is only green when all of it was placed. */
export function lookOfBatch({ state, counts }: Pick<OrderBatch, 'state' | 'counts'>): StatusLook {
  switch (state) {
    case 'waiting':
      return { label: 'Not started', icon: 'i-lucide-clock-3', tone: 'neutral' }
    case 'running':
      return { label: 'Placing', icon: 'i-lucide-send', tone: 'info' }
    case 'stopped':
      return { label: 'Stopped', icon: 'i-lucide-circle-pause', tone: 'warning' }
    case 'done': {
      const { placed, refused, unconfirmed, total } = counts
      if (placed === total) return { label: 'Done', icon: 'i-lucide-circle-check-big', tone: 'success' }
      const open = [
        ...(unconfirmed > 0 ? [`${formatCount(unconfirmed)} unconfirmed`] : []),
        ...(refused > 0 ? [`${formatCount(refused)} not placed`] : []),
      ]
      return {
        label: ['Done', ...(open.length > 0 ? open : ['not all placed'])].join(', '),
        icon: 'i-lucide-triangle-alert',
        tone: 'warning',
      }
    }
  }
}

/** The fields of an order in groups, as a person reads them. */
export const orderFieldGroups: readonly { readonly title: string; readonly fields: readonly OrderFieldName[] }[] = [
  {
    title: 'Design',
    fields: [
      'tierLevel',
      'sizedForCategory',
      'sizedForValue',
      'negativeTolerance',
      'positiveTolerance',
      'isExpedited',
      'upgrade',
      'newBuildPlansRequired',
      'isCommercialZone',
    ],
  },
  {
    title: 'Modules',
    fields: [
      'designOneModule',
      'moduleOrientation',
      'mixedOrientation',
      'moduleSpacingLong',
      'moduleSpacingShort',
      'azimuthRangeStart',
      'azimuthRangeEnd',
    ],
  },
  { title: 'Fire setbacks', fields: setbackNames.fire },
  { title: 'Obstruction setbacks', fields: setbackNames.obstruction },
]

const knownValues: Readonly<Record<string, string>> = {
  maxFill: 'Max fill',
  consumption: 'Consumption',
  production: 'Production',
  systemSize: 'System size',
  portrait: 'Portrait',
  landscape: 'Landscape',
  yes: 'Yes',
  no: 'No',
}

/** A value that is chosen, in a contractor's words; one that is not known, as it is. */
export function choiceLabel(value: string): string {
  return knownValues[value] ?? value
}

/** A field's value as it is read; null where it has to be filled in and is not. */
export function describeField(name: OrderFieldName, texts: OrderTexts, region: SetbackRegion | null): string | null {
  const { rule, default: initial } = fieldOf(name)
  const text = (texts[name] ?? '').trim() || (initial ?? '')
  switch (rule.kind) {
    case 'setback':
      return isDefaultSetback(text)
        ? `Default: ${describeDefaultSetback(name as SetbackName, region)}`
        : describeSetback(text)
    case 'tolerance':
      return text === '' ? 'None' : text
    case 'number':
      return text === '' ? null : withUnit(text, name === 'sizedForValue' ? unitOf(texts) : rule.unit)
    default:
      return text === '' ? null : choiceLabel(text)
  }
}

function describeSetback(text: string): string {
  return /^\d+(\.\d+)?$/.test(text) ? describeInches(Number(text)) : text
}

function unitOf(texts: OrderTexts): string | null {
  return targetUnit(texts.sizedForCategory ?? '')?.unit ?? null
}

/** `24 in`, `90°` */
export function withUnit(text: string, unit: string | null): string {
  if (unit === null) return text
  return unit === '°' || unit === '%' ? `${text}${unit}` : `${text} ${unit}`
}
