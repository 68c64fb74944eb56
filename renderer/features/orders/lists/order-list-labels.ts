import { orderFields } from '../../../../shared/order/order-fields.ts'
import type { BatchPreview, BatchReview, OrderBatch, OrderLines } from '../../../../shared/order/order-views.ts'
import type { StatusLook } from '../../../labels/status-labels.ts'
import { countOf, formatCount } from '../../../labels/format-numbers.ts'

type Row = BatchPreview['rows'][number]

/** What would become of a row. */
export const rowLooks: Readonly<Record<Row['state'], StatusLook>> = {
  ready: { label: 'Ready', icon: 'i-lucide-check', tone: 'success' },
  double: { label: 'Double', icon: 'i-lucide-copy', tone: 'warning' },
  wrong: { label: 'Wrong', icon: 'i-lucide-triangle-alert', tone: 'error' },
}

/** What a person should know of a row, field by field: what is wrong first. */
export function notesOfRow({ state, problems, warnings }: Row) {
  const label = (field: keyof typeof orderFields | null) => (field === null ? null : orderFields[field].label)
  const same = { label: null, message: 'The same order is placed, on its way, or in a line above.', isProblem: false }
  return [
    ...(state === 'double' ? [same] : []),
    ...problems.map(({ field, message }) => ({ label: label(field), message, isProblem: state === 'wrong' })),
    ...warnings.map(({ field, message }) => ({ label: label(field), message, isProblem: false })),
  ]
}

/** "12 orders ready · 2 doubles · 1 row is wrong". */
export function previewSentence({ ready, double, wrong }: BatchPreview['counts']): string {
  return [
    `${countOf(ready, 'order')} ready`,
    ...(double > 0 ? [countOf(double, 'double')] : []),
    ...(wrong > 0 ? [`${countOf(wrong, 'row')} ${wrong === 1 ? 'is' : 'are'} wrong`] : []),
  ].join(' · ')
}

/** "10 placed · 1 unconfirmed · 1 not placed · 3 waiting"; what is none is left out, but for what is placed. */
export function batchSentence({ placed, unconfirmed, refused, waiting }: OrderBatch['counts']): string {
  return [
    `${formatCount(placed)} placed`,
    ...(unconfirmed > 0 ? [`${formatCount(unconfirmed)} unconfirmed`] : []),
    ...(refused > 0 ? [`${formatCount(refused)} not placed`] : []),
    ...(waiting > 0 ? [`${formatCount(waiting)} waiting`] : []),
  ].join(' · ')
}

/** What a person looks at once more before a list is placed, a sentence each. */
export function reviewSentences({ unusual, unsettled, sameProject }: BatchReview): string[] {
  const say = (orders: OrderLines, one: string, many: string) =>
    orders.count === 0
      ? []
      : [`${countOf(orders.count, 'order')} ${orders.count === 1 ? one : many} (${linesOf(orders)}).`]
  const unknown = 'for a project with an order outside this list of which it is not known whether the service has it'
  return [
    ...say(
      unsettled,
      `is ${unknown}: it is not sent before that is known`,
      `are ${unknown}: they are not sent before that is known`,
    ),
    ...say(sameProject, 'is for a project with more in this list', 'are for projects with more than one in this list'),
    ...say(unusual, 'has something unusual in it', 'have something unusual in them'),
  ]
}

/** "lines 2, 3, 7 and 4 more" */
function linesOf({ count, lines }: OrderLines): string {
  const rest = count - lines.length
  const told = lines.map((line) => formatCount(line)).join(', ')
  return `${count === 1 ? 'line' : 'lines'} ${told}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`
}
