import { countOf, formatDateTime, formatDuration } from '../../../shared/format.ts'
import { choiceLabel, orderFields } from '../../../shared/order/order-fields.ts'
import type { OrderCandidate, OrderDetail } from '../../../shared/order/order-views.ts'
import { orderStatus } from '../../../shared/status-text.ts'

const dayMs = 24 * 60 * 60_000

type Asked = NonNullable<OrderDetail['asked']>

/** Returns the result of looking up an unconfirmed order in the service's list, to follow a time. */
export function lastCheckSentence({ outcome, candidates }: Asked): string {
  switch (outcome) {
    case 'listed':
      return 'the service lists it.'
    case 'similar':
      return candidates.length === 1
        ? 'the service lists an order that may be this one. Compare them below.'
        : 'the service lists orders that may be this one. Compare them below.'
    case 'not-listed':
      return 'the service does not list it. An answer in flight may still change that.'
    case 'cannot-say':
      return (
        'unknown: the service did not send its list, or it may not be complete. Check its own page, or ask its ' +
        'support.'
      )
  }
}

/** Returns what arrived instead of the answer. The messages of these errors suggest a retry, which is wrong here. */
export function problemSentence({ code, message }: NonNullable<OrderDetail['problem']>): string {
  switch (code) {
    case 'unreachable-reset':
      return 'The connection broke before the answer was complete.'
    case 'unreachable-timeout':
      return 'The service did not answer in time.'
    case 'service-error':
      return 'The service answered with an error.'
    case 'unreadable-answer':
      return 'The service answered something that cannot be read.'
    case 'cancelled':
      return 'Solarchive ended while the order was being sent.'
    default:
      return message
  }
}

/** A row of the comparison: the value that was sent, and those of the candidates; `null` if unknown. */
export interface ComparedRow {
  readonly label: string
  readonly sent: string | null
  readonly cells: readonly { readonly text: string | null; readonly differs: boolean }[]
}

/** Compares an order that was sent with orders of the service that may be the same one. */
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
  const listed = (label: string, read: (candidate: OrderCandidate) => string | null) => row(label, null, read)
  return [
    row('Tier', payload && choiceLabel(payload.tierLevel), ({ tierLevel }) => tierLevel && choiceLabel(tierLevel)),
    row('Expedited', payload && yesNo(payload.isExpedited), ({ isExpedited }) => yesNo(isExpedited)),
    {
      label: 'Sent or created',
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
    listed('Status', ({ status }) => orderStatus(status)),
    listed('Provider', ({ providerName }) => providerName),
  ]
}

function yesNo(value: boolean | null): string | null {
  return value === null ? null : value ? 'Yes' : 'No'
}

/** Returns the distance from the time of sending. The two times are from two clocks. */
function distance(iso: string, sentAt: string | null): string {
  const deltaMs = new Date(iso).getTime() - new Date(sentAt ?? '').getTime()
  if (Number.isNaN(deltaMs)) return iso
  const distanceMs = Math.abs(deltaMs)
  if (distanceMs < 5_000) return 'When it was sent'
  const text = distanceMs < dayMs ? formatDuration(distanceMs) : countOf(Math.round(distanceMs / dayMs), 'day')
  return `${text} ${deltaMs < 0 ? 'before' : 'after'} it was sent`
}
