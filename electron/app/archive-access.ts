import type { CallInput, ParsedInput } from '../../shared/contract/calls.ts'
import type { Project } from '../../shared/domain.ts'
import { toAppError } from '../../shared/errors.ts'
import type { OrderTexts } from '../../shared/order/order-fields.ts'
import { cutOrderTexts, type OrderDetail, type OrderReview } from '../../shared/order/order-views.ts'
import type { ApiBudget } from '../../shared/views.ts'
import type { ArchiveReader, Engine, NewProject } from '../engine/engine.ts'
import type { OwnerClient } from './api/owner-client.ts'

type MaybePromise<T> = T | Promise<T>

/**
 * The part of an archive that changing commands use. They work the same with an engine of their own and with
 * that of another process.
 */
export interface ArchiveAccess extends Pick<ArchiveReader, 'status' | 'unsynced' | 'rebuilt' | 'failures' | 'presets'> {
  readonly projects: Pick<ArchiveReader['projects'], 'list'> & {
    add(projects: readonly NewProject[]): MaybePromise<Project[]>
    remove(projectId: string): MaybePromise<Project>
    /** See `Engine`. */
    discover: Engine['projects']['discover']
  }
  apiBudget(): MaybePromise<ApiBudget>
  /** See `Engine`. */
  sync: Engine['sync']
  /** See `Engine`. */
  readNewFiles: Engine['readNewFiles']
  /** See `Engine`. */
  verify: Engine['verify']
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
export type VerifyAccess = Pick<ArchiveAccess, 'verify'> & {
  readonly projects: Pick<ArchiveAccess['projects'], 'list'>
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
  return {
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
    sync: ({ projectIds, signal, onProgress } = {}) =>
      client.call('sync.run', projectIds === undefined ? {} : { projectIds: [...projectIds] }, {
        signal,
        onEvent: (event) => {
          if (event.event === 'sync-progress') onProgress?.(event.value)
        },
      }),
    // The owner does so.
    readNewFiles: () => Promise.resolve(),
    verify: ({ projectIds = [], repair = false, signal, onProgress } = {}) =>
      client.call(
        'verify.run',
        { projectIds: [...projectIds], repair },
        {
          signal,
          onEvent: (event) => {
            if (event.event === 'verify-progress') onProgress?.(event.value)
          },
        },
      ),
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
      preview: (texts) => client.call('orders.preview', { texts: cutOrderTexts(texts) }),
      review: (orderId, signal) => client.call('orders.review', { orderId }, { signal }),
      async place(input, signal) {
        // Only its successor opens the database of an owner that was killed.
        const records = reader()
        // Numbers of removed drafts are reused, so `createdAt` identifies this one.
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
