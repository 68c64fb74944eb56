import { orderFields } from '../../shared/order/order-fields.ts'
import type { BatchPreview, OrderBatch } from '../../shared/order/order-views.ts'
import type { StatusLook } from '../words/status-words.ts'
import { countOf, formatCount } from './format-numbers.ts'

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
  return [
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
