import { type ExitCode, exitCodes } from '../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import {
  defaultSetback,
  fieldOf,
  fieldPath,
  isSetback,
  type OrderFieldName,
  orderFieldNames,
  type OrderTexts,
} from '../../../shared/order/order-fields.ts'
import { formatDateTime } from '../../../shared/format.ts'
import { isNotKept, type OrderDetail, type OrderReview } from '../../../shared/order/order-views.ts'
import type { ArchiveAccess } from '../../app/archive-access.ts'
import { plainText } from '../../app/log/plain-text.ts'
import { refuseToken } from '../../app/token/refuse-token.ts'
import { exitCodeOfError } from '../exit-code-of-report.ts'
import type { Outcome } from '../output/console-output.ts'
import { describeOrder, describeReading, orderDocument } from '../output/describe-orders.ts'
import type { Session } from '../session.ts'
import { sayingWhyItWaits } from '../output/progress.ts'
import type { OrderInput } from './read-order.ts'

const { done, wrongUsage, incomplete } = exitCodes

export interface PlaceFlags {
  readonly project?: string
  /** Path of the order; `-` for standard input. */
  readonly file: string
  readonly preset?: string
  readonly dryRun?: boolean
  /** True to place a second order of the same content. */
  readonly again?: boolean
  /** True to place it although the service's list of orders cannot be read in full. */
  readonly withoutCheck?: boolean
  /** True to order an unknown module without being asked. */
  readonly newModule?: boolean
}

/** Asks a question in a terminal. Resolves to null if there is nobody to ask. */
export type Confirm = (question: string, signal: AbortSignal) => Promise<boolean | null>

/** `orders place` */
export async function placeCommand(
  session: Session<ArchiveAccess>,
  input: OrderInput,
  flags: PlaceFlags,
  confirm: Confirm,
): Promise<Outcome> {
  const { engine } = session
  refuseToken(Object.values(input.texts), await session.readToken())
  // All fields are set, so that the engine adds no defaults of its own.
  const [preset, own] = [presetTexts(session, flags.preset), filled(input.texts)]
  if (flags.preset !== undefined) printPreset(session, preset, own)
  const texts = { ...defaults(), ...preset, ...own }
  const review = await engine.orders.preview(texts)
  if (input.problems.length > 0 || review.payload === null) return wrongOrder(input, review)
  if (flags.dryRun === true) return dryRun(session, review)
  const place = (orderId: number, held: AbortSignal) =>
    sayingWhyItWaits(session, () => placeDraft(session, { orderId, flags, confirm }, held))
  const onWait = () => session.output.note('Another command places the same order. Waiting until it has ended.')
  return engine.orders.withDraft(texts, place, { signal: session.signal, onWait })
}

/** Prints what would be sent, alone on stdout so that it can be piped. */
function dryRun({ output }: Pick<Session, 'output'>, review: OrderReview): Outcome {
  const { payload, warnings, duplicates, notStated } = review
  const unstated = notStated.map((name) => `${fieldOf(name).label} (${fieldPath(name)})`)
  const remarks = [...describeReading(review, []), ...duplicates.slice(0, 1).map(describeDuplicate)]
  if (!output.isJson) {
    for (const remark of remarks) output.warn(remark)
    if (unstated.length > 0) output.note(`Not stated, sent as no: ${unstated.join(', ')}.`)
    output.note('This order has no errors. Nothing was sent.')
  }
  return {
    exitCode: done,
    document: {
      outcome: 'dry-run',
      order: null,
      payload,
      warnings,
      problems: [],
      notStated: notStated.map((name) => fieldPath(name)),
    },
    answer: [JSON.stringify(payload, null, 2)],
    ...(output.isJson && { problems: remarks }),
  }
}

function describeDuplicate({ orderId, state, match }: Duplicate): string {
  if (match === 'similar') {
    return `Order ${orderId} differs only in spaces or capitals: without --again nothing would be sent.`
  }
  const before = `The same order was ${state === 'placed' ? 'placed' : 'sent'} from here before (order ${orderId})`
  return state === 'placed'
    ? `${before}: without --again nothing would be sent.`
    : `${before}, and it is not known whether the service has it: nothing would be sent.`
}

/** Places a draft. `held` aborts when it is lost. */
async function placeDraft(
  session: Session<ArchiveAccess>,
  { orderId, flags, confirm }: { orderId: number; flags: PlaceFlags; confirm: Confirm },
  held: AbortSignal,
): Promise<Outcome> {
  const { again = false, withoutCheck = false, newModule = false } = flags
  const { engine, signal, output } = session
  const { orders } = engine
  // The preview did not read the service's list.
  const checked = await orders.review(orderId, signal)
  const before = await orderedBefore(session, checked, again)
  if (before !== undefined) return before
  const { fingerprint, listProblem, isModuleUnknown } = checked
  if (listProblem !== null && !withoutCheck) return notChecked(checked, listProblem)
  if (listProblem !== null) output.warn(withoutCheckWarning)
  if (fingerprint === null) throw new AppError('internal', 'The order could not be read again.')
  if (isModuleUnknown && !newModule) await confirmModule(session, checked, (question) => confirm(question, held))
  const consent = { again, withoutCheck, newModule: true }
  const placed = await orders.place({ orderId, fingerprint, ...consent }, signal).catch(toAppError)
  if (!(placed instanceof AppError)) return placedOutcome(placed, checked)
  // The review does not wait for the service's rate limit, so only `place` may have read the list.
  const refused = placed.code === 'wrong-usage'
  const known = refused ? await orderedBefore(session, await orders.review(orderId, signal), again) : undefined
  if (known !== undefined) return known
  throw restoredError(placed)
}

/**
 * Returns the outcome if the same order was sent before, undefined if none was. Throws `wrong-usage` for one that may be
 * the same.
 */
async function orderedBefore(
  session: Session<ArchiveAccess>,
  { duplicates, unconfirmed }: OrderReview,
  again: boolean,
): Promise<Outcome | undefined> {
  // While an order is unconfirmed, there is no second one, even with --again.
  const first = again ? undefined : duplicates.find(({ match }) => match === 'same')
  const duplicate = duplicates.find(({ state }) => state !== 'placed') ?? first
  if (duplicate !== undefined) return duplicateOutcome(session, duplicate)
  if (!again && duplicates[0] !== undefined) throw similarError(duplicates[0])
  if (!again && unconfirmed[0] !== undefined) throw unconfirmedError(unconfirmed[0])
  return undefined
}

/** Returns the error, with what confirms an order that may have been placed before the database was restored. */
function restoredError(error: AppError): AppError {
  const { code, message, details, cause } = error
  if (details?.['isRestored'] !== true) return error
  return new AppError(code, `${message} To place it anyway, add --again.`, { details, cause })
}

/**
 * Asks whether the module's name is right. Throws `wrong-usage` if it is not. Without a terminal nobody can be asked,
 * and the warning of the outcome names the module.
 */
async function confirmModule(
  session: Session<ArchiveAccess>,
  review: OrderReview,
  confirm: (question: string) => ReturnType<Confirm>,
): Promise<void> {
  const name = plainText(review.payload?.form.designOneModule ?? '')
  const question = `No earlier order or preset has the module "${name}". It is ordered exactly as written. Order it?`
  const isConfirmed = await confirm(question).catch((stopped: unknown) => {
    session.output.warn('Nothing was sent.')
    throw stopped
  })
  if (isConfirmed !== false) return
  throw new AppError(
    'wrong-usage',
    `The module "${name}" was not confirmed. Nothing was sent. Correct the module, or add --new-module to order it ` +
      'without being asked.',
  )
}

const withoutCheckWarning =
  "The service's list of orders cannot be read in full. The order is placed without this check: if the service has " +
  'it already, placed elsewhere, it then has it twice.'

/** Returns the outcome of an order that is not sent because the service's list cannot be read in full. */
function notChecked({ payload, warnings }: OrderReview, problem: NonNullable<OrderReview['listProblem']>): Outcome {
  return {
    exitCode: exitCodeOfError(problem.code),
    document: { outcome: 'not-checked', order: null, payload, warnings, problems: [], error: problem },
    problems: [
      problem.message,
      'To place it without this check, add --without-check. If the service has the order already, placed elsewhere, ' +
        'it then has it twice.',
    ],
  }
}

function similarError({ orderId, serviceId, at, match }: Duplicate): AppError {
  const name = orderId === null ? `service order ${plainText(serviceId ?? '')}` : `order ${orderId}`
  if (match === 'possible') {
    return new AppError(
      'wrong-usage',
      `This order was sent before, and the service has another order of this project: ${name}. It may be this one, ` +
        'with other values. Nothing was sent. To place it anyway, add --again.',
    )
  }
  return new AppError(
    'wrong-usage',
    `This order differs only in spaces or capitals from ${name}${at === null ? '' : ` of ${formatDateTime(at)}`}. ` +
      'Nothing was sent. To place a second one, add --again.',
  )
}

const unconfirmedError = ({ orderId }: OrderReview['unconfirmed'][number]) =>
  new AppError(
    'wrong-usage',
    `Order ${orderId} of this project was sent before, and it is not known whether the service has it. Nothing was ` +
      `sent now. Check it with "orders check ${orderId}"; to place this one as well, add --again.`,
  )

type Duplicate = OrderReview['duplicates'][number]

/** Returns the outcome of a repeated command: the state of the first order. */
async function duplicateOutcome({ engine, signal }: Session<ArchiveAccess>, duplicate: Duplicate): Promise<Outcome> {
  const { orderId, serviceId } = duplicate
  if (orderId === null) return sameOrder(null, `Service order ID: ${plainText(serviceId ?? '')}.`, duplicate)
  const { orders } = engine
  const known = orders.get(orderId)
  const isKnown = duplicate.state === 'placed' || known.otherService !== null
  const order = isKnown ? known : await orders.check(orderId, signal)
  return sameOrder(order, describeOrder(order).join('\n'), duplicate)
}

const sameOrderText = {
  'already-placed': 'This order is placed already, so nothing was sent. To place a second one, add --again.',
  unconfirmed: 'This order was sent already, and it is not known whether the service has it. Nothing was sent now.',
  'not-placed':
    'This order was sent before, and the service does not have it. Nothing was sent now. Run the command again to ' +
    'place it.',
} as const

function sameOrder(order: OrderDetail | null, detail: string, duplicate: Duplicate): Outcome {
  const state = order?.state ?? duplicate.state
  const outcome = state === 'placed' ? 'already-placed' : state === 'draft' ? 'not-placed' : 'unconfirmed'
  return {
    exitCode: outcome === 'already-placed' ? done : incomplete,
    document: {
      outcome,
      order: order === null ? null : orderDocument(order),
      serviceId: order?.serviceId ?? duplicate.serviceId,
      payload: order?.payload ?? null,
      warnings: [],
      problems: [],
    },
    problems: [sameOrderText[outcome], detail],
  }
}

function placedOutcome(order: OrderDetail, review: OrderReview): Outcome {
  const { problem, fieldProblems, payload } = order
  const { warnings } = review
  const remarks = describeReading(review, [])
  const outcome = order.state === 'draft' ? 'refused' : order.state
  const kept = isNotKept(order) ? null : orderDocument(order)
  const document = { outcome, order: kept, payload, warnings, problems: fieldProblems, error: problem }
  if (order.state === 'placed') return { exitCode: done, document, summary: describeOrder(order), problems: remarks }
  const exitCode: ExitCode = problem === null ? incomplete : exitCodeOfError(problem.code)
  return {
    exitCode: order.state === 'draft' ? exitCode : incomplete,
    document,
    problems: [
      ...(problem === null ? [] : [problem.message]),
      ...describeReading(
        review,
        fieldProblems.map(({ field, message }) => ({ field: field === null ? '' : fieldPath(field), message })),
      ),
      ...(kept === null ? ['Nothing was saved: the order is in its file.'] : describeOrder(order)),
    ],
  }
}

/** Returns the outcome of an order with errors. A field with an error in the file is not also reported as missing. */
function wrongOrder(input: OrderInput, review: OrderReview): Outcome {
  const reported = new Set(input.problems.map(({ path }) => path))
  const problems = [
    ...input.problems.map(({ path, message }) => ({ field: path, message })),
    ...review.problems
      .map(({ field, message }) => ({ field: fieldPath(field), message }))
      .filter(({ field }) => !reported.has(field)),
  ]
  return {
    exitCode: wrongUsage,
    document: { outcome: 'wrong', order: null, payload: null, warnings: review.warnings, problems },
    problems: ['The order has errors. Nothing was sent.', ...describeReading(review, problems)],
  }
}

/** Yes-or-no fields stay empty: the specification has no default for them. */
function defaults(): OrderTexts {
  return Object.fromEntries(
    orderFieldNames.map((name) => {
      const { rule, default: initial = '' } = fieldOf(name)
      return [name, rule.kind === 'yes-no' ? '' : initial]
    }),
  )
}

/**
 * Returns the texts without those that a preset may replace: empty ones, and the service's value for its default.
 */
function filled(texts: OrderTexts): OrderTexts {
  return Object.fromEntries(
    Object.entries(texts).filter(([name, text]) => text.trim() !== '' && !(isSetback(name) && text === defaultSetback)),
  )
}

/** Prints what the preset fills in, and which of its fields the file overrides. */
function printPreset({ output }: Pick<Session, 'output'>, preset: OrderTexts, own: OrderTexts): void {
  if (output.isJson) return
  const names = orderFieldNames.filter((name) => preset[name] !== undefined)
  const labels = (those: readonly OrderFieldName[]) => those.map((name) => fieldOf(name).label).join(', ')
  const [filledIn, kept] = [names.filter((name) => !(name in own)), names.filter((name) => name in own)]
  output.note(filledIn.length === 0 ? 'The preset fills in nothing.' : `The preset fills in: ${labels(filledIn)}.`)
  if (kept.length > 0) output.note(`The file overrides the preset: ${labels(kept)}.`)
}

function presetTexts({ engine }: Session<ArchiveAccess>, name: string | undefined): OrderTexts {
  if (name === undefined) return {}
  const presets = engine.presets.list()
  const preset = presets.find((one) => one.name.toLowerCase() === name.trim().toLowerCase())
  if (preset !== undefined) return preset.texts
  const known = presets.map((one) => `"${plainText(one.name)}"`).join(', ')
  const advice = known === '' ? 'Create presets in the app.' : `Presets: ${known}.`
  throw new AppError('wrong-usage', `There is no preset "${plainText(name)}". ${advice} Nothing was sent.`)
}
