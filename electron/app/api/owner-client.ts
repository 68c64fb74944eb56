import packageJson from '../../../package.json' with { type: 'json' }
import { randomUUID } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ownerCalls,
  type OwnerCallInput,
  type OwnerCallName,
  type OwnerCallOutput,
  type OwnerEvent,
  ownerHeaders,
  type OwnerLine,
  ownerLineSchema,
} from '../../../shared/contract/owner-calls.ts'
import type { OwnerFacts } from '../../../shared/contract/owner-facts.ts'
import { AppError } from '../../../shared/errors.ts'
import { findOwner, lockedBy } from '../../engine/store/data-folder-lock.ts'
import { findLiveOwner, type LiveOwner, ownerNotReady } from './live-owner.ts'

export interface OwnerCallOptions {
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: OwnerEvent) => void) | undefined
}

/** Result of looking for an owner. `not-ready`: it is starting or ending; `pid` is known if it has written it. */
export type FoundOwner =
  | { readonly kind: 'none' }
  | { readonly kind: 'connected'; readonly client: OwnerClient }
  | { readonly kind: 'not-ready'; readonly pid: number | undefined }

/** Time in which a live owner answers, and sends a sign of life. */
const maxSilenceMs = 10_000

/** Time between the end of an owner's connections and that of its lock, if it is killed. */
const maxEndingMs = 2_000

/** More than the paths of a verify that finds a million files missing. */
const maxLineLength = 512 * 1024 * 1024

/**
 * Looks for the owner of a data folder, and connects to it. Throws `data-folder-locked` with a message for a user if it
 * belongs to another user, is another version, or does not answer within 10 seconds.
 */
export async function connectToOwner(homeFolder: string): Promise<FoundOwner> {
  const owner = findLiveOwner(homeFolder)
  if (owner === undefined) return { kind: 'none' }
  const { pid, facts } = owner
  if (facts === undefined) return { kind: 'not-ready', pid }
  requireSameVersion(facts)
  const attached = await attach(facts)
  return attached === undefined
    ? { kind: 'not-ready', pid }
    : { kind: 'connected', client: new OwnerClient(homeFolder, facts, attached) }
}

/**
 * Makes one call that an ending owner need not wait for. Throws the owner's error, and `data-folder-locked` if it
 * cannot be reached.
 */
export async function askOwner<Name extends OwnerCallName>(
  { pid, facts }: LiveOwner,
  name: Name,
  input: OwnerCallInput<Name>,
): Promise<OwnerCallOutput<Name>> {
  if (facts === undefined) throw ownerNotReady(pid)
  requireSameVersion(facts)
  const request = post(facts, `/call/${name}`)
  const timer = setTimeout(() => request.destroy(), maxSilenceMs)
  try {
    const answer = await answerTo(request, facts, name, input)
    if (answer === undefined) throw ownerNotReady(pid)
    return valueOf(name, answer)
  } finally {
    clearTimeout(timer)
    request.destroy()
  }
}

/** Sentences about an owner that cannot be asked; each says what that means and what to do. */
const problems = {
  otherVersion: (version: string) =>
    `is version ${version}, and this is version ${packageJson.version}. Nothing was changed. Restart the older one.`,
  silent: (known: string) =>
    `does not answer. ${known}. If the process is stopped or hangs, end it, then run the command again.`,
  ended: (safe: string) => `ended while it worked on this command; ${safe}. Run the command again.`,
  orderNotSent: 'ended before it sent the order: the service does not have it. Run the command again.',
  lostOrder: (how: 'ended' | 'stopped answering') =>
    `${how} while it placed the order, so it is not known whether the service has it. Nothing is sent again by ` +
    'itself: "orders list" shows the order, and "orders check" asks the service for it.',
} as const

/** Returns what is certain if an owner did not finish a call, other than `orders.place`. */
export function safeAfter(name: string): string {
  // It is about an order that was sent before.
  if (name === 'orders.check') return 'nothing was sent now'
  // Another command, for which this one waits, may have sent the same order.
  return name.startsWith('orders.') ? 'this command sent no order' : 'what is archived so far is safe'
}

/** Returns the error for a call to an owner that ended, or stopped answering. */
function lostCall({ pid }: OwnerFacts, name: OwnerCallName, how: 'silent' | 'ended'): AppError {
  const isSilent = how === 'silent'
  if (name === 'orders.place') return lockedBy(pid, problems.lostOrder(isSilent ? 'stopped answering' : 'ended'))
  const safe = safeAfter(name)
  return lockedBy(pid, isSilent ? problems.silent(`Nothing is known about the command; ${safe}`) : problems.ended(safe))
}

/** Throws `data-folder-locked` for an owner of another version. */
export function requireSameVersion({ pid, version }: OwnerFacts): void {
  if (version !== packageJson.version) throw lockedBy(pid, problems.otherVersion(version))
}

/**
 * Connects a process to its owner for the time of a command. Returns `undefined` if nobody listens, or the owner is
 * ending. Throws `data-folder-locked` if it does not answer.
 */
async function attach(facts: OwnerFacts): Promise<IncomingMessage | undefined> {
  const request = post(facts, '/attach')
  request.end()
  const silent = lockedBy(facts.pid, problems.silent('Nothing was changed'))
  const response = await responseOf(request, silent)
  if (response === undefined) return undefined
  const isAttached = Promise.withResolvers<boolean>()
  // The first line of an attached connection is empty; otherwise it is an answer.
  response.once('data', (chunk: Buffer) => isAttached.resolve(chunk[0] === 0x0a))
  response.once('close', () => isAttached.resolve(false))
  const timer = setTimeout(() => isAttached.reject(silent), maxSilenceMs)
  let isKept = false
  try {
    isKept = await isAttached.promise
    return isKept ? response : undefined
  } finally {
    clearTimeout(timer)
    if (!isKept) request.destroy()
  }
}

/** Returns `undefined` if nobody listens. Throws `silent` if the owner does not answer in time. */
function responseOf(request: ClientRequest, silent: AppError): Promise<IncomingMessage | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage | undefined>()
  const timer = setTimeout(() => {
    reject(silent)
    request.destroy()
  }, maxSilenceMs)
  request.once('response', resolve)
  request.on('error', () => resolve(undefined))
  return promise.finally(() => clearTimeout(timer))
}

/**
 * Sends the input of a call. Returns its answer, or `undefined` if the owner ends before it. Throws
 * `data-folder-locked` if the owner does not respond in time.
 */
async function answerTo(
  request: ClientRequest,
  facts: OwnerFacts,
  name: OwnerCallName,
  input: unknown,
  onEvent?: OwnerCallOptions['onEvent'],
): Promise<Answer | undefined> {
  request.end(JSON.stringify(input))
  const response = await responseOf(request, lostCall(facts, name, 'silent'))
  return response && readAnswer(response, onEvent)
}

function post({ address, key }: OwnerFacts, path: string, id: string = randomUUID()): ClientRequest {
  return startRequest({
    socketPath: address,
    method: 'POST',
    path,
    agent: false,
    headers: {
      'Content-Type': 'application/json',
      [ownerHeaders.key]: key,
      [ownerHeaders.version]: packageJson.version,
      [ownerHeaders.request]: id,
    },
  })
}

/** A connection to the owner of a data folder, for one command. */
export class OwnerClient {
  readonly facts: OwnerFacts
  readonly #homeFolder: string
  readonly #attached: IncomingMessage
  readonly #requests = new Set<ClientRequest>()
  #silence: NodeJS.Timeout
  #problem: 'silent' | 'ended' | undefined

  constructor(homeFolder: string, facts: OwnerFacts, attached: IncomingMessage) {
    this.facts = facts
    this.#homeFolder = homeFolder
    this.#attached = attached
    this.#silence = this.#waitForLife()
    attached.on('data', () => {
      clearTimeout(this.#silence)
      this.#silence = this.#waitForLife()
    })
    attached.on('error', () => undefined)
    // Calls that are answered at the same time still arrive.
    attached.once('close', () => (this.#problem ??= 'ended'))
  }

  #waitForLife(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#problem = 'silent'
      for (const request of this.#requests) request.destroy()
    }, maxSilenceMs).unref()
  }

  /**
   * Makes a call. An abort of the signal cancels it at the owner, and the call ends as it would there. Rejects with the
   * owner's error, and with `data-folder-locked` if the owner ends or stops answering.
   */
  async call<Name extends OwnerCallName>(
    name: Name,
    input: OwnerCallInput<Name>,
    { signal, onEvent }: OwnerCallOptions = {},
  ): Promise<OwnerCallOutput<Name>> {
    signal?.throwIfAborted()
    const id = randomUUID()
    const request = post(this.facts, `/call/${name}`, id)
    // A cancel that arrives before its call has no effect.
    const hasArrived = new Promise((resolve) => request.once('response', resolve))
    const cancel = () => void hasArrived.then(() => this.#cancel(id))
    signal?.addEventListener('abort', cancel, { once: true })
    this.#requests.add(request)
    try {
      const answer = await answerTo(request, this.facts, name, input, onEvent)
      if (answer === undefined) throw lostCall(this.facts, name, this.#problem ?? 'ended')
      return valueOf(name, answer)
    } finally {
      signal?.removeEventListener('abort', cancel)
      this.#requests.delete(request)
      request.destroy()
    }
  }

  #cancel(id: string): void {
    const request = post(this.facts, '/cancel', id)
    request.on('error', () => undefined)
    request.once('response', (response) => response.resume())
    request.end()
  }

  /**
   * Resolves to whether the owner is certainly gone, and with it all its work. Waits a moment for one that is ending.
   */
  async hasEnded(): Promise<boolean> {
    const untilMs = performance.now() + maxEndingMs
    while (!this.#isGone()) {
      if (performance.now() >= untilMs) return false
      await sleep(50)
    }
    return true
  }

  /** Returns false also if it is unknown which process owns the data folder. */
  #isGone(): boolean {
    try {
      const owner = findOwner(this.#homeFolder)
      return owner === undefined || (owner.pid !== undefined && owner.pid !== this.facts.pid)
    } catch {
      return false
    }
  }

  /** Returns the error for an order that an owner had not sent when it ended. */
  orderNotSent(): AppError {
    return lockedBy(this.facts.pid, problems.orderNotSent)
  }

  close(): void {
    clearTimeout(this.#silence)
    this.#attached.destroy()
    for (const request of this.#requests) request.destroy()
  }
}

type Answer = Extract<OwnerLine, { answer: unknown }>['answer']

/** Returns the value of an answer. Throws the owner's error. */
function valueOf<Name extends OwnerCallName>(name: Name, answer: Answer): OwnerCallOutput<Name> {
  if (!answer.ok) {
    const { code, message, details } = answer.error
    throw new AppError(code, message, details === undefined ? {} : { details })
  }
  ownerCalls[name].output.parse(answer.value)
  // Not the parsed value, whose keys are in another order: orders are printed as they are sent.
  return answer.value as OwnerCallOutput<Name>
}

/** Reads the lines of a response. Returns the answer, or `undefined` if the owner ended before it. */
async function readAnswer(
  response: IncomingMessage,
  onEvent: OwnerCallOptions['onEvent'],
): Promise<Answer | undefined> {
  let begun: string[] = []
  let length = 0
  try {
    response.setEncoding('utf8')
    for await (const chunk of response) {
      const [first = '', ...others] = String(chunk).split('\n')
      begun.push(first)
      length += first.length
      if (length > maxLineLength) return undefined
      if (others.length === 0) continue
      const lines = [begun.join(''), ...others]
      begun = [lines.pop() ?? '']
      length = begun[0]?.length ?? 0
      for (const text of lines) {
        const line = text === '' ? undefined : ownerLineSchema.safeParse(JSON.parse(text)).data
        if (line === undefined) continue
        if ('answer' in line) return line.answer
        onEvent?.(line)
      }
    }
  } catch {
    // The connection broke.
  }
  return undefined
}
