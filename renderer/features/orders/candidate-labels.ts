import { orderFields } from '../../../shared/order/order-fields.ts'
import type { OrderCandidate, OrderDetail } from '../../../shared/order/order-views.ts'
import { countOf } from '../../labels/format-numbers.ts'
import { formatDateTime, formatDuration } from '../../labels/format-times.ts'
import { choiceLabel, orderStatus } from './order-labels.ts'

const dayMs = 24 * 60 * 60_000

type Asked = NonNullable<OrderDetail['asked']>

/** What the service's list said of an unconfirmed order. */
export function askedSentence({ outcome, candidates }: Asked): string {
  switch (outcome) {
    case 'listed':
      return 'the service lists it.'
    case 'similar':
      return candidates.length === 1
        ? 'the service lists an order that may be this one. Compare them below.'
        : 'the service lists orders that may be this one. Compare them below.'
    case 'not-listed':
      return 'the service does not list it. An answer that is on its way may still change that.'
    case 'cannot-say':
      return 'the service could not say: its list did not come, or may not show every order. Look at its own page, or ask its support.'
  }
}

/** What came in place of the answer. What to do stands beside it: a message that is meant for other calls would say to try again. */
export function metSentence({ code, message }: NonNullable<OrderDetail['problem']>): string {
  switch (code) {
    case 'unreachable-reset':
      return 'The connection broke before the answer was complete.'
    case 'unreachable-timeout':
      return 'The service did not answer in time.'
    case 'service-error':
      return 'The service answered that it is in trouble.'
    case 'unreadable-answer':
      return 'The service answered something that cannot be read.'
    case 'cancelled':
      return 'Solarchive ended while the order was on its way.'
    default:
      return message
  }
}

/** A row of the comparison: what was sent, and what an order of the service's list says. Null: it does not say. */
export interface ComparedRow {
  readonly label: string
  readonly sent: string | null
  readonly cells: readonly { readonly text: string | null; readonly differs: boolean }[]
}

/** An order that was sent beside those that may be it. */
export function compareCandidates(order: OrderDetail, candidates: readonly OrderCandidate[]): ComparedRow[] {
  const { payload, sentAt } = order
  const row = (
    label: string,
    sent: string | null,
    read: (candidate: OrderCandidate) => string | null,
  ): ComparedRow => ({
    label,
    sent,
    cells: candidates.map((candidate) => {
      const text = read(candidate)
      return { text, differs: sent !== null && text !== null && text !== sent }
    }),
  })
  const told = (label: string, read: (candidate: OrderCandidate) => string | null) => row(label, null, read)
  return [
    row('Tier', payload && choiceLabel(payload.tierLevel), ({ tierLevel }) => tierLevel && choiceLabel(tierLevel)),
    row('Expedited', payload && yesNo(payload.isExpedited), ({ isExpedited }) => yesNo(isExpedited)),
    {
      label: 'Created',
      sent: sentAt && formatDateTime(sentAt),
      cells: candidates.map(({ createdAt }) => ({ text: createdAt && distance(createdAt, sentAt), differs: false })),
    },
    {
      label: 'Fields that differ',
      sent: null,
      cells: candidates.map(({ differs }) => ({
        text: differs && (differs.map((name) => orderFields[name].label).join(', ') || 'None'),
        differs: differs !== null && differs.length > 0,
      })),
    },
    told('Status', ({ status }) => orderStatus(status)),
    told('Provider', ({ providerName }) => providerName),
  ]
}

function yesNo(value: boolean | null): string | null {
  return value === null ? null : value ? 'Yes' : 'No'
}

/** How far from the moment of sending, by two clocks. */
function distance(iso: string, sentAt: string | null): string {
  const deltaMs = new Date(iso).getTime() - new Date(sentAt ?? '').getTime()
  if (Number.isNaN(deltaMs)) return iso
  const farMs = Math.abs(deltaMs)
  if (farMs < 5_000) return 'As it was sent'
  const text = farMs < dayMs ? formatDuration(farMs) : countOf(Math.round(farMs / dayMs), 'day')
  return `${text} ${deltaMs < 0 ? 'before' : 'after'} it was sent`
}
