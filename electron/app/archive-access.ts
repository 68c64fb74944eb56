import type { OwnerEvent } from '../../shared/contract/owner-calls.ts'
import type { CallInput, ParsedInput } from '../../shared/contract/calls.ts'
import type { Project } from '../../shared/domain.ts'
import { toAppError } from '../../shared/errors.ts'
import type { OrderTexts } from '../../shared/order/order-fields.ts'
import { maxOrderTextLength, type OrderDetail, type OrderReview } from '../../shared/order/order-views.ts'
import type { ApiBudget } from '../../shared/views.ts'
import type { ArchiveReader, Engine, NewProject, SyncResult, VerifyQuery, VerifyResult } from '../engine/engine.ts'
import { EngineEvents } from '../engine/lib/events.ts'
import type { OwnerClient } from './api/owner-client.ts'

type MaybePromise<T> = T | Promise<T>

/**
 * The part of an archive that changing commands use. They work the same with an engine of their own and with
 * that of another process.
 */
export interface ArchiveAccess extends Pick<ArchiveReader, 'status' | 'unsynced' | 'rebuilt' | 'failures' | 'presets'> {
  /** Progress of the work of this command alone. */
  readonly events: Pick<EngineEvents, 'listen'>
  readonly projects: Pick<ArchiveReader['projects'], 'list'> & {
    add(projects: readonly NewProject[]): MaybePromise<Project[]>
    remove(projectId: string): MaybePromise<Project>
    /** See `Engine`. */
    discover: Engine['projects']['discover']
  }
  apiBudget(): MaybePromise<ApiBudget>
  sync(options?: { projectIds?: readonly string[]; signal?: AbortSignal }): Promise<SyncResult>
  /** See `Engine`. */
  readNewFiles: Engine['readNewFiles']
  verify(options?: Omit<VerifyQuery, 'onProgress'>): Promise<VerifyResult>
  /** See `Engine`. */
  stampEvidence: Engine['stampEvidence']
  readonly orders: ArchiveReader['orders'] & {
    /** See `Orders`. */
    withDraft: Engine['orders']['withDraft']
    preview(texts: OrderTexts): MaybePromise<OrderReview>
    review(orderId: number, signal?: AbortSignal): Promise<OrderReview>
    place(input: CallInput<'orders.place'>, signal?: AbortSignal): Promise<OrderDetail>
    check(orderId: number, signal?: AbortSignal): Promise<OrderDetail>
    resolve(decision: ParsedInput<'orders.settle'>): MaybePromise<OrderDetail>
  }
}

/** The part of an archive that `verify` uses. */
export type VerifyAccess = Pick<ArchiveAccess, 'events' | 'verify'> & {
  readonly projects: Pick<ArchiveAccess['projects'], 'list'>
}

/** Returns the access for a verify that only reads, beside the owner of the data folder. */
export function accessBeside(reader: ArchiveReader): VerifyAccess {
  const events = new EngineEvents()
  return {
    events,
    projects: reader.projects,
    verify: (options) =>
      reader.verify({ ...options, onProgress: (progress) => void events.emit('verify-progress', progress) }),
  }
}

/** Returns the access to an engine of this process. */
export function accessTo(engine: Engine): ArchiveAccess {
  const events = new EngineEvents()
  return {
    ...engine,
    events,
    sync: (options) =>
      engine.sync({ ...options, onProgress: (progress) => void events.emit('sync-progress', progress) }),
    verify: (options) =>
      engine.verify({ ...options, onProgress: (progress) => void events.emit('verify-progress', progress) }),
  }
}

function cutTexts(texts: OrderTexts): OrderTexts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.slice(0, maxOrderTextLength)]))
}

const combined = (own: AbortSignal, signal: AbortSignal | undefined) =>
  signal === undefined ? own : AbortSignal.any([own, signal])

/** Returns an order, or undefined if it was a draft that its owner removed when it ended. */
function orderIfKept({ orders }: Pick<ArchiveReader, 'orders'>, orderId: number): OrderDetail | undefined {
  try {
    return orders.get(orderId)
  } catch (error) {
    if (toAppError(error).code === 'not-found') return undefined
    throw error
  }
}

/**
 * Returns the access to the engine of another process: what changes something is a call to it, and what only reads is
 * answered by `reader`, which is opened when it is first needed.
 */
export function accessOver(client: OwnerClient, reader: () => ArchiveReader): ArchiveAccess {
  const events = new EngineEvents()
  const onEvent = (event: OwnerEvent) => {
    if (event.event === 'sync-progress') events.emit(event.event, event.value)
    else if (event.event === 'verify-progress') events.emit(event.event, event.value)
  }
  return {
    events,
    status: (options) => reader().status(options),
    unsynced: () => reader().unsynced(),
    rebuilt: () => reader().rebuilt(),
    failures: (projectIds) => reader().failures(projectIds),
    get presets() {
      return reader().presets
    },
    projects: {
      list: () => reader().projects.list(),
      add: async (projects) => (await client.call('projects.add', { projects: [...projects] })).projects,
      remove: async (projectId) => (await client.call('projects.remove', { projectId })).project,
      discover: (signal) => client.call('projects.discover', {}, { signal }),
    },
    apiBudget: () => client.call('owner.budget', {}),
    sync: ({ projectIds, signal } = {}) =>
      client.call('sync.run', projectIds === undefined ? {} : { projectIds: [...projectIds] }, { signal, onEvent }),
    // The owner does so.
    readNewFiles: () => Promise.resolve(),
    verify: ({ projectIds = [], repair = false, signal } = {}) =>
      client.call('verify.run', { projectIds: [...projectIds], repair }, { signal, onEvent }),
    stampEvidence: ({ authority, signal } = {}) =>
      client.call('evidence.stamp', authority === undefined ? {} : { authority }, { signal }),
    orders: {
      list: (query) => reader().orders.list(query),
      get: (orderId) => reader().orders.get(orderId),
      async withDraft(texts, work, { signal, onWait } = {}) {
        const held = Promise.withResolvers<number>()
        const [done, lost] = [new AbortController(), new AbortController()]
        const holding = client.call(
          'orders.holdDraft',
          { texts },
          {
            signal: combined(done.signal, signal),
            onEvent: (event) => {
              if (event.event !== 'draft') return
              if (event.value.orderId === null) onWait?.()
              else held.resolve(event.value.orderId)
            },
          },
        )
        const orderId = await Promise.race([held.promise, holding.then(() => held.promise)])
        holding.catch((reason: unknown) => lost.abort(reason))
        try {
          return await work(orderId, combined(lost.signal, signal))
        } finally {
          done.abort()
          // It ends once the draft is removed. What the command did says more than an owner that ended.
          await holding.catch(() => undefined)
        }
      },
      // Longer texts are no valid input of the call. They are cut, so that the answer names the field that is too long.
      preview: (texts) => client.call('orders.preview', { texts: cutTexts(texts) }),
      review: (orderId, signal) => client.call('orders.review', { orderId }, { signal }),
      async place(input, signal) {
        // Only its successor opens the database of an owner that was killed.
        const records = reader()
        // A later draft may have the number of one that its owner removed when it ended.
        const { createdAt } = records.orders.get(input.orderId)
        try {
          return await client.call('orders.place', input, { signal })
        } catch (thrown) {
          // The records are final only once the owner is gone.
          if (toAppError(thrown).code !== 'data-folder-locked' || !(await client.hasEnded())) throw thrown
          const order = orderIfKept(records, input.orderId)
          if (order?.createdAt !== createdAt) throw client.orderNotSent()
          if (order.state === 'placed') return order
          throw order.state === 'draft' && order.sentAt === null ? client.orderNotSent() : thrown
        }
      },
      check: (orderId, signal) => client.call('orders.check', { orderId }, { signal }),
      resolve: (decision) => client.call('orders.settle', decision),
    },
  }
}
