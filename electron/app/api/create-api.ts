import type { z } from 'zod'
import {
  calls,
  type CallName,
  type CallOutput,
  type ParsedInput,
  readingCalls,
} from '../../../shared/contract/calls.ts'
import type { Answer } from '../../../shared/envelope.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { Log } from '../../engine/lib/ports.ts'
import { callsThatRefuseToken, refuseTokenInCall } from '../token/refuse-token.ts'
import { logUnexpected, toEnvelope } from './error-envelope.ts'
import type { EventStream, Subscriber } from './event-stream.ts'
import type { Handlers } from './handlers.ts'

/** The calls and events of `shared/contract/calls.ts`, for a host to serve to the renderer. */
export interface Api {
  /** Answers a call. Accepts any name and input, and never rejects. */
  call(name: string, input: unknown): Promise<Answer<unknown>>
  /** Resolves once the handlers of all calls so far were called. */
  begun(): Promise<void>
  /** Sends `subscriber` the current states, then every event. Returns a function that unsubscribes. */
  subscribe(subscriber: Subscriber): () => void
  /** The number of events so far. */
  revision(): number
}

export interface ApiDeps {
  readonly handlers: Handlers
  readonly events: EventStream
  readonly log: Log
  /** Returns the access token, if there is one. */
  readonly readToken: () => Promise<string | undefined>
  /** Throws `data-folder-locked` while another process owns the data folder. */
  readonly requireOwn: () => void
}

/** Calls that are answered beside another process that owns the data folder. */
const besideOwner: ReadonlySet<CallName> = new Set([...readingCalls, 'owner.takeOver'])

/** Creates the one API that both hosts use: parses every input and turns every error into an envelope. */
export function createApi({ handlers, events, log, readToken, requireOwn }: ApiDeps): Api {
  const beginning = new Set<Promise<unknown>>()
  async function answer<Name extends CallName>(name: Name, input: unknown): Promise<CallOutput<Name>> {
    const parsed = calls[name].input.safeParse(input)
    if (!parsed.success) throw wrongInput(parsed.error)
    if (!besideOwner.has(name)) requireOwn()
    const handle = () => ({ output: handlers[name](parsed.data as ParsedInput<Name>) })
    if (!callsThatRefuseToken.has(name)) return handle().output
    const begun = refuseTokenInCall(parsed.data, readToken).then(handle)
    beginning.add(begun)
    try {
      return (await begun).output
    } finally {
      beginning.delete(begun)
    }
  }
  return {
    async call(name, input) {
      try {
        if (!isCallName(name)) throw new AppError('wrong-usage', 'Solarchive has no call of this name.')
        return { ok: true, value: await answer(name, input) }
      } catch (thrown) {
        const error = toAppError(thrown)
        if (error.code === 'internal') logUnexpected(log, error)
        return { ok: false, error: toEnvelope(error) }
      }
    },
    begun: async () => void (await Promise.allSettled(beginning)),
    subscribe: (subscriber) => events.subscribe(subscriber),
    revision: () => events.revision,
  }
}

function isCallName(name: string): name is CallName {
  return Object.hasOwn(calls, name)
}

/** Maximum number of reported problems of one input; a list of thousands of projects can have thousands. */
const maxIssues = 20

/** Returns an error with the paths and reasons of an invalid input, but not its values, which may be secret. */
export function wrongInput(error: z.ZodError): AppError {
  const issues = error.issues.slice(0, maxIssues).map(({ path, code, message }) => ({
    path: path.map((key) => (typeof key === 'number' ? key : String(key).slice(0, 100))),
    // zod names the unknown keys of the input.
    problem: code === 'unrecognized_keys' ? 'has fields that are not known' : message,
  }))
  return new AppError('wrong-usage', 'Solarchive does not understand this request. Nothing was changed.', {
    details: { issues },
  })
}
