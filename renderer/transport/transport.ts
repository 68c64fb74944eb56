import type { CallInput, CallOutput, EventMessage } from '../../shared/contract.ts'
import type { CallName } from '../../shared/channel-names.ts'
import type { Answer } from '../../shared/envelope.ts'

/** What a transport tells of the way to the host. */
export interface TransportListener {
  onEvent(message: EventMessage): void
  /** Events were missed, or nobody knows: what is shown has to be fetched again. */
  onResync(): void
  /** Whether the host can be reached now. */
  onLink(isConnected: boolean): void
}

/** The way to the engine's host: HTTP in a browser, IPC in the installed app. The app above does not know which. */
export interface Transport {
  /** Sends a call as it is; rejects only when the host cannot be reached. */
  send(name: CallName, input: unknown): Promise<Answer<unknown>>
  /** Listens until what it answers is called. */
  listen(listener: TransportListener): () => void
  /** Where the bytes of an archived file are. */
  fileUrl(assetId: number): string
  thumbnailUrl(assetId: number): string
}

/** A call's `ok: false` answer, or that the host could not be reached (`code` `unreachable`). */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly code: string
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: string, message: string, details?: Readonly<Record<string, unknown>>) {
    super(message)
    this.code = code
    this.details = details
  }
}

/** What the views use: every call typed by the contract. */
export interface Client extends Pick<Transport, 'listen' | 'fileUrl' | 'thumbnailUrl'> {
  /** Rejects with a CallError. */
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>>
}

export function createClient(transport: Transport): Client {
  return {
    listen: (listener) => transport.listen(listener),
    fileUrl: (assetId) => transport.fileUrl(assetId),
    thumbnailUrl: (assetId) => transport.thumbnailUrl(assetId),
    async call<Name extends CallName>(name: Name, input: CallInput<Name>) {
      const answer = await transport.send(name, input).catch((error: unknown) => {
        throw new CallError(
          'unreachable',
          'Solarchive does not answer. It may have been stopped; this window reconnects by itself.',
          { cause: String(error) },
        )
      })
      if (!answer.ok) throw new CallError(answer.error.code, answer.error.message, answer.error.details)
      // The host answers by the same declaration; a test walks every call of it.
      return answer.value as CallOutput<Name>
    },
  }
}
