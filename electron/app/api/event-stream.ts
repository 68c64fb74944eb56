import { stickyEventNames, type EventName } from '../../../shared/contract/channel-names.ts'
import type { EventMessage, EventValue } from '../../../shared/contract/events.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import { toEnvelope } from './error-envelope.ts'
import type { ScrubFinding } from '../../engine/lib/events.ts'

/** Called synchronously with every event; must not throw. */
export type Subscriber = (message: EventMessage) => void

type StickyName = (typeof stickyEventNames)[number]
export type States = { readonly [Name in StickyName]: () => EventValue<Name> }

/** Numbers the events of the engine and the app, and sends them to all subscribers. */
export class EventStream {
  readonly #states: States
  readonly #subscribers = new Set<Subscriber>()
  #stopListening: () => void = () => undefined
  #stopActivity: () => void = () => undefined
  #revision = 0

  constructor(states: States) {
    this.#states = states
  }

  /**
   * Forwards the events of this engine from now on, instead of those of the engine before it. While there is none, the
   * activity of the engine before is still forwarded: it emits the last entries when it closes.
   */
  follow(engine: Engine | undefined): void {
    this.#stopListening()
    this.#stopListening = engine === undefined ? () => undefined : this.#listen(engine)
    if (engine !== undefined) {
      this.#followActivity(engine)
      // Pages that were opened while there was no engine show the setup.
      this.publishState('setup-state')
      // After the sample, the orders are those of another data folder.
      this.publish('orders-changed', { orderId: null, batchId: null })
    }
    this.publishState('watch-state')
    this.publishState('evidence-state')
  }

  /** Publishes the current value of a state. */
  publishState(name: StickyName): void {
    this.publish(name, this.#states[name]())
  }

  /** Number of events so far. */
  get revision(): number {
    return this.#revision
  }

  publish<Name extends EventName>(name: Name, value: EventValue<Name>): void {
    this.#revision += 1
    const message = this.#message(name, value)
    for (const subscriber of this.#subscribers) subscriber(message)
  }

  /** Sends the current states first, all with the current revision. Returns a function that unsubscribes. */
  subscribe(subscriber: Subscriber): () => void {
    for (const name of stickyEventNames) {
      subscriber(this.#message(name, this.#states[name]()))
    }
    this.#subscribers.add(subscriber)
    return () => {
      this.#subscribers.delete(subscriber)
    }
  }

  close(): void {
    this.#stopListening()
    this.#stopActivity()
    this.#subscribers.clear()
  }

  #message<Name extends EventName>(name: Name, value: EventValue<Name>): EventMessage {
    // TypeScript does not assign a generic member to its union.
    return { name, revision: this.#revision, value } as EventMessage
  }

  #followActivity({ events }: Engine): void {
    this.#stopActivity()
    this.#stopActivity = events.listen({ activity: (value) => this.publish('activity', value) })
  }

  #listen({ events }: Engine): () => void {
    return events.listen({
      'watch-state': () => this.publishState('watch-state'),
      'sync-progress': (value) => this.publish('sync-progress', value),
      downloads: (files) => this.publish('downloads', { files: [...files] }),
      'project-synced': (value) => this.publish('project-synced', value),
      'sync-failure': (value) => this.publish('sync-failure', value),
      'verify-progress': (value) => this.publish('verify-progress', value),
      finding: (value) => this.publish('finding', toFinding(value)),
      'evidence-state': () => this.publishState('evidence-state'),
      'orders-changed': (value) => this.publish('orders-changed', value),
      'files-read': () => this.publish('files-read', {}),
    })
  }
}

function toFinding({ projectId, path, state, outcome }: ScrubFinding): EventValue<'finding'> {
  return { projectId, path, state, problem: outcome instanceof AppError ? toEnvelope(outcome) : null }
}
