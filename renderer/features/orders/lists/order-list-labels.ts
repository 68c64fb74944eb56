import { countOf, formatCount } from '../../../../shared/format.ts'
import { orderFields } from '../../../../shared/order/order-fields.ts'
import type { BatchPreview, BatchReview, OrderBatch, OrderLines } from '../../../../shared/order/order-views.ts'
import type { StatePresentation } from '../../../labels/status-labels.ts'

type Row = BatchPreview['rows'][number]

/** Display of a row's result. */
export const rowPresentations: Readonly<Record<Row['state'], StatePresentation>> = {
  ready: { label: 'Ready', icon: 'i-lucide-check', tone: 'success' },
  double: { label: 'Duplicate', icon: 'i-lucide-copy', tone: 'warning' },
  wrong: { label: 'Error', icon: 'i-lucide-triangle-alert', tone: 'error' },
}

/** Returns the notes of a row, by field, problems first. */
export function notesOfRow({ state, problems, warnings, sameAs }: Row) {
  const label = (field: keyof typeof orderFields | null) => (field === null ? null : orderFields[field].label)
  return [
    ...(sameAs === null ? [] : [{ label: null, message: sameAs, isProblem: false }]),
    ...problems.map(({ field, message }) => ({ label: label(field), message, isProblem: state === 'wrong' })),
    ...warnings.map(({ field, message }) => ({ label: label(field), message, isProblem: false })),
  ]
}

/** Returns "12 orders ready · 2 duplicates · 1 row with an error". */
export function previewSentence({ ready, double, wrong }: BatchPreview['counts']): string {
  return [
    `${countOf(ready, 'order')} ready`,
    ...(double > 0 ? [countOf(double, 'duplicate')] : []),
    ...(wrong > 0 ? [`${countOf(wrong, 'row')} with ${wrong === 1 ? 'an error' : 'errors'}`] : []),
  ].join(' · ')
}

/** Returns "10 placed · 1 unconfirmed · 1 not placed · 3 waiting". Zeros are omitted, except for placed orders. */
export function batchSentence({ placed, unconfirmed, refused, waiting }: OrderBatch['counts']): string {
  return [
    `${formatCount(placed)} placed`,
    ...(unconfirmed > 0 ? [`${formatCount(unconfirmed)} unconfirmed`] : []),
    ...(refused > 0 ? [`${formatCount(refused)} not placed`] : []),
    ...(waiting > 0 ? [`${formatCount(waiting)} waiting`] : []),
  ].join(' · ')
}

/** Returns remarks to check before a list is placed, one sentence each. */
export function reviewSentences({ notes, moreNotes, unconfirmed, sameProject }: BatchReview): string[] {
  const say = (orders: OrderLines, one: string, many: string) =>
    orders.count === 0
      ? []
      : [`${countOf(orders.count, 'order')} ${orders.count === 1 ? one : many} (${linesOf(orders)}).`]
  const unknown = 'for a project with an unconfirmed order outside this list'
  return [
    ...say(
      unconfirmed,
      `is ${unknown}, and is not sent until that is confirmed`,
      `are ${unknown}, and are not sent until that is confirmed`,
    ),
    ...say(sameProject, 'is for a project with more in this list', 'are for projects with more than one in this list'),
    ...notes.map(({ field, message, orders }) => `${orderFields[field].label}, ${linesOf(orders)}: ${message}`),
    ...(moreNotes > 0 ? [`And ${countOf(moreNotes, 'more unusual value')}.`] : []),
  ]
}

/** Returns "lines 2, 3, 7 and 4 more". */
function linesOf({ count, lines }: OrderLines): string {
  const rest = count - lines.length
  const named = lines.map((line) => formatCount(line)).join(', ')
  return `${count === 1 ? 'line' : 'lines'} ${named}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`
}
