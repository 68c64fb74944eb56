import { countOf, formatCount } from '../../../../shared/format.ts'
import { choiceLabel, orderFields, type OrderFieldName, withUnit } from '../../../../shared/order/order-fields.ts'
import type {
  BatchPreview,
  BatchReview,
  OrderBatch,
  OrderLines,
  OrderValues,
} from '../../../../shared/order/order-views.ts'
import type { StatePresentation } from '../../../labels/status-labels.ts'

type Row = BatchPreview['rows'][number]

const rowPresentations: Readonly<Record<Row['state'], StatePresentation>> = {
  ready: { label: 'Ready', icon: 'i-lucide-check', tone: 'success' },
  duplicate: { label: 'Duplicate', icon: 'i-lucide-copy', tone: 'warning' },
  wrong: { label: 'Error', icon: 'i-lucide-triangle-alert', tone: 'error' },
}
const unusualRow: StatePresentation = { label: 'Check values', icon: 'i-lucide-triangle-alert', tone: 'warning' }

/** Returns how a row's result is displayed. A row is plainly ready only without warnings. */
export function rowPresentation({ state, warnings }: Pick<Row, 'state' | 'warnings'>): StatePresentation {
  return state === 'ready' && warnings.length > 0 ? unusualRow : rowPresentations[state]
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
export function previewSentence({ ready, duplicate, wrong }: BatchPreview['counts']): string {
  return [
    `${countOf(ready, 'order')} ready`,
    ...(duplicate > 0 ? [countOf(duplicate, 'duplicate')] : []),
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
export function reviewSentences({
  notes,
  moreNotes,
  unconfirmed,
  sameProject,
}: Pick<BatchReview, 'notes' | 'moreNotes' | 'unconfirmed' | 'sameProject'>): string[] {
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
    ...notes.map(
      ({ field, message, orders }) => `${orderFields[field].label}: ${describeValues(field, orders)}. ${message}`,
    ),
    ...(moreNotes > 0 ? [`And ${countOf(moreNotes, 'more unusual value')}.`] : []),
  ]
}

/** Returns "lines 2, 3, 7 and 4 more". */
function linesOf({ count, lines }: OrderLines): string {
  const rest = count - lines.length
  const named = lines.map((line) => formatCount(line)).join(', ')
  return `${count === 1 ? 'line' : 'lines'} ${named}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}`
}

/** Rows that a sentence names; the preview and the table show the others. */
const maxNamedRows = 4

/**
 * Returns "150 in, line 3, Luis Delgado" for one row; of further rows "150 in, line 3, Luis Delgado; 0 in, line 5,
 * Ada".
 */
export function describeValues(field: OrderFieldName, { count, rows }: OrderValues): string {
  const named = rows.slice(0, maxNamedRows).map(({ line, homeownerName, value }) => {
    // Users recognize the homeowner, not the project ID.
    const text = field === 'projectId' || value === '' ? [] : [describeValue(field, value)]
    return [...text, `line ${formatCount(line)}`, ...(homeownerName === '' ? [] : [homeownerName])].join(', ')
  })
  const rest = count - named.length
  return named.join('; ') + (rest > 0 ? `; and ${countOf(rest, 'more row')}` : '')
}

function describeValue(field: OrderFieldName, value: string): string {
  const { rule } = orderFields[field]
  const unit = rule.kind === 'setback' ? 'in' : rule.kind === 'number' ? rule.unit : null
  return unit !== null && /^-?\d+(\.\d+)?$/.test(value) ? withUnit(value, unit) : choiceLabel(value)
}
