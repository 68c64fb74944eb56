import { formatCount } from '../../../shared/format.ts'
import { describeTarget, targetUnit } from '../../../shared/order/order-warnings.ts'
import {
  choiceLabel,
  fieldOf,
  isDefaultSetback,
  setbackNames,
  type OrderFieldName,
  type OrderTexts,
  type SetbackName,
  withUnit,
} from '../../../shared/order/order-fields.ts'
import type { OrderBatch, OrderPage, OrderSummary } from '../../../shared/order/order-views.ts'
import { describeDefaultSetback, describeInches, type SetbackRegion } from '../../../shared/order/setback-defaults.ts'
import { orderStatus } from '../../../shared/status-text.ts'
import type { StatePresentation } from '../../labels/status-labels.ts'

/** Returns the title of an order in lists. */
export function orderTitle({
  homeownerName,
  projectName,
  orderId,
}: Pick<OrderSummary, 'homeownerName' | 'projectName' | 'orderId'>): string {
  return homeownerName.trim() || projectName || `Order ${orderId}`
}

/** Returns the design of an order, "Max fill, 100%", or '' if unknown. It distinguishes orders of the same house. */
export function orderDesign({
  tierLevel,
  sizedForCategory,
  sizedForValue,
}: Pick<OrderSummary, 'tierLevel' | 'sizedForCategory' | 'sizedForValue'>): string {
  return [choiceLabel(tierLevel), describeTarget(sizedForCategory, sizedForValue)]
    .filter((text) => text !== '')
    .join(', ')
}

/** Returns true if an order is expedited or automated. */
export function hasMarks({ isExpedited, isAutomated }: Pick<OrderSummary, 'isExpedited' | 'isAutomated'>): boolean {
  return isExpedited || isAutomated === true
}

type OrderState = Pick<OrderSummary, 'state' | 'status' | 'problem'> & Partial<Pick<OrderSummary, 'waitsInList'>>

/** Returns the state of an order; once it is placed, the service's status. */
export function orderPresentation({ state, status, problem, waitsInList }: OrderState): StatePresentation {
  switch (state) {
    case 'draft':
      if (waitsInList === true) return { label: 'Waiting', icon: 'i-lucide-clock-3', tone: 'neutral' }
      return problem === null
        ? { label: 'Draft', icon: 'i-lucide-pencil-line', tone: 'neutral' }
        : { label: 'Not placed', icon: 'i-lucide-circle-x', tone: 'error' }
    case 'submitting':
      return { label: 'Sending', icon: 'i-lucide-send', tone: 'info' }
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

/** Returns how many orders a filter shows. */
export function countOfFilter(filter: OrderFilter, counts: OrderPage['counts']): number {
  return counts[filter === 'not-placed' ? 'notPlaced' : filter]
}

export function isOrderFilter(text: unknown): text is OrderFilter {
  return typeof text === 'string' && Object.hasOwn(orderFilterLabels, text)
}

/** Returns the state of an order list. Green only if all of its orders were placed. */
export function batchPresentation({ state, counts }: Pick<OrderBatch, 'state' | 'counts'>): StatePresentation {
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

/** Fields of an order in groups, in reading order. */
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

/** Returns a field's value for display, or `null` if a required value is missing. */
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
    case 'yes-no':
    case 'choice':
    case 'open-choice':
      return text === '' ? null : choiceLabel(text)
    default:
      return text || null
  }
}

function describeSetback(text: string): string {
  return /^\d+(\.\d+)?$/.test(text) ? describeInches(Number(text)) : text
}

function unitOf(texts: OrderTexts): string | null {
  return targetUnit(texts.sizedForCategory ?? '')?.unit ?? null
}
