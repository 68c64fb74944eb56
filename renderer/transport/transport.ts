import type { CallInput, CallOutput, EventMessage } from '../../shared/contract.ts'
import type { CallName } from '../../shared/channel-names.ts'
import type { Answer } from '../../shared/envelope.ts'

/**
 * The way to the host: `lost` comes back by itself; `refused` does not: the host was started anew and lets this browser in
 * only by the address that it printed.
 */
export type HostLink = 'open' | 'lost' | 'refused'

/** What a transport tells of the way to the host. */
export interface TransportListener {
  onEvent(message: EventMessage): void
  /** Events were missed, or nobody knows: what is shown has to be fetched again. */
  onResync(): void
  onLink(link: HostLink): void
}

/** The way to the engine's host: HTTP in a browser, IPC in the installed app. The app above does not know which. */
export interface Transport {
  /** Sends a call as it is; rejects only when the host cannot be reached. */
  send(name: CallName, input: unknown): Promise<Answer<unknown>>
  /** Listens until what it answers is called. */
  listen(listener: TransportListener): () => void
  /** Where the bytes of an archived file are. Another version has another address: what was shown of the old is not shown again. */
  fileUrl(assetId: number, version: string | null): string
  thumbnailUrl(assetId: number, version: string | null): string
  /** Called while a drag starts: drags the file itself to another program or folder. Undefined: it cannot be done from here. */
  readonly dragFile: ((assetId: number) => void) | undefined
}

/** The host gives the present file whatever it says; it is for what the page keeps of pictures. */
export function versionPart(version: string | null): string {
  return version === null ? '' : `?v=${encodeURIComponent(version)}`
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
export interface Client extends Pick<Transport, 'listen' | 'fileUrl' | 'thumbnailUrl' | 'dragFile'> {
  /** Rejects with a CallError. */
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>>
}

export function createClient(transport: Transport): Client {
  return {
    listen: (listener) => transport.listen(listener),
    fileUrl: (assetId, version) => transport.fileUrl(assetId, version),
    thumbnailUrl: (assetId, version) => transport.thumbnailUrl(assetId, version),
    dragFile: transport.dragFile,
    async call<Name extends CallName>(name: Name, input: CallInput<Name>) {
      const answer = await transport.send(name, input).catch((error: unknown) => {
        throw new CallError('unreachable', 'Solarchive does not answer. It may have been stopped.', {
          cause: String(error),
        })
      })
      if (!answer.ok) throw new CallError(answer.error.code, answer.error.message, answer.error.details)
      // The host answers by the same declaration; a test walks every call of it.
      return answer.value as CallOutput<Name>
    },
  }
}
