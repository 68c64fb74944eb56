import { stickyEventNames, type EventName } from '../../../shared/channel-names.ts'
import type { EventMessage, EventValue } from '../../../shared/contract.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { toEnvelope } from './error-envelope.ts'
import type { DownloadUnderWay, RollingFinding } from '../../engine/lib/events.ts'

/** Called synchronously with every event; must not throw. */
export type Subscriber = (message: EventMessage) => void

type StickyName = (typeof stickyEventNames)[number]
export type States = { readonly [Name in StickyName]: () => EventValue<Name> }

/** Numbers the events of the engine and of the handlers, and passes them on to whoever subscribed. */
export class BridgeEvents {
  readonly #states: States
  readonly #subscribers = new Set<Subscriber>()
  #stopListening: () => void = () => undefined
  #revision = 0

  constructor(states: States) {
    this.#states = states
  }

  /** From now on the events of this engine are passed on, and no other's. */
  follow(engine: Engine | undefined): void {
    this.#stopListening()
    this.#stopListening = engine === undefined ? () => undefined : this.#listen(engine)
    this.tell('watch-state')
  }

  /** Tells a state as it is now. */
  tell(name: StickyName): void {
    this.publish(name, this.#states[name]())
  }

  /** How many events there were. */
  get revision(): number {
    return this.#revision
  }

  publish<Name extends EventName>(name: Name, value: EventValue<Name>): void {
    this.#revision += 1
    const message: EventMessage = { name, revision: this.#revision, value }
    for (const subscriber of this.#subscribers) subscriber(message)
  }

  /** The present states come first, all under the present revision. */
  subscribe(subscriber: Subscriber): () => void {
    for (const name of stickyEventNames) {
      subscriber({ name, revision: this.#revision, value: this.#states[name]() })
    }
    this.#subscribers.add(subscriber)
    return () => {
      this.#subscribers.delete(subscriber)
    }
  }

  close(): void {
    this.#stopListening()
    this.#subscribers.clear()
  }

  #listen({ events }: Engine): () => void {
    const forward =
      <Name extends EventName>(name: Name) =>
      (value: EventValue<Name>) =>
        this.publish(name, value)
    const watchState = () => this.tell('watch-state')
    const syncProgress = forward('sync-progress')
    const downloads = (files: readonly DownloadUnderWay[]) => this.publish('downloads', { files: [...files] })
    const projectSynced = forward('project-synced')
    const syncFailure = forward('sync-failure')
    const verifyProgress = forward('verify-progress')
    const activity = forward('activity')
    const ordersChanged = forward('orders-changed')
    const finding = (found: RollingFinding) => this.publish('finding', toFinding(found))
    events.on('watch-state', watchState)
    events.on('sync-progress', syncProgress)
    events.on('downloads', downloads)
    events.on('project-synced', projectSynced)
    events.on('sync-failure', syncFailure)
    events.on('verify-progress', verifyProgress)
    events.on('finding', finding)
    events.on('orders-changed', ordersChanged)
    events.on('activity', activity)
    return () => {
      events.off('watch-state', watchState)
      events.off('sync-progress', syncProgress)
      events.off('downloads', downloads)
      events.off('project-synced', projectSynced)
      events.off('sync-failure', syncFailure)
      events.off('verify-progress', verifyProgress)
      events.off('finding', finding)
      events.off('orders-changed', ordersChanged)
      events.off('activity', activity)
    }
  }
}

function toFinding({ projectId, path, state, outcome }: RollingFinding): EventValue<'finding'> {
  return { projectId, path, state, problem: outcome instanceof AppError ? toEnvelope(outcome) : null }
}
