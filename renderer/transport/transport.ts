import { inject, type InjectionKey } from 'vue'
import type { CallInput, CallName, CallOutput } from '../../shared/contract/calls.ts'
import type { EventMessage } from '../../shared/contract/events.ts'
import type { Answer } from '../../shared/envelope.ts'
import type { PhotoView } from '../../shared/views.ts'

/**
 * State of the connection to the host. A `lost` connection is reopened automatically. `refused`: the host was restarted
 * or the browser's session has ended, and the app has to be opened by a new address.
 */
export type HostLink = 'open' | 'lost' | 'refused'

/** Receives events and connection states. */
export interface TransportListener {
  onEvent(message: EventMessage): void
  /**
   * Called when events may have been missed: everything on screen has to be fetched again. `onLink` was called with
   * `open` just before.
   */
  onResync?(): void
  onLink?(link: HostLink): void
}

/** Connection to the engine's host: HTTP in a browser, IPC in the installed app. The pages do not know which. */
export interface Transport {
  /** Sends a call. Rejects only if the host cannot be reached. */
  send(name: CallName, input: unknown): Promise<Answer<unknown>>
  /** Returns a function that stops listening. */
  listen(listener: TransportListener): () => void
  /** Returns the URL of an archived file. A new version has a new URL, so that no cached older version is displayed. */
  fileUrl(assetId: number, version: string | null): string
  thumbnailUrl(assetId: number, version: string | null): string
  /** Returns the URL of a path that the host offers for download. */
  downloadUrl(path: string): string
  /** Returns the URL of an earlier version of a file, by the hash that `files.versions` returned. */
  earlierFileUrl(assetId: number, hash: string): string
  /** Returns the URL of a zip with copies of archived files. `undefined` in the installed app, which has dialogs. */
  readonly copiesUrl: ((assetIds: readonly number[]) => string) | undefined
  /** Returns the URL of what the last export or packet wrote, as a zip. `undefined` in the installed app. */
  readonly lastWrittenUrl: ((kind: 'export' | 'packet') => string) | undefined
  /** Drags files to another program or folder; call it when a drag starts. `undefined` in a browser. */
  readonly dragFiles: ((assetIds: readonly number[]) => void) | undefined
  /** Puts a picture on the clipboard; call it after a click. `undefined` in a browser that does not allow it. */
  readonly copyImage: ((picture: Promise<Blob>) => Promise<void>) | undefined
  /** Ends the sessions of all browsers, this one included. `undefined` in the installed app. */
  readonly logOutEverywhere: (() => Promise<void>) | undefined
}

/** Error of a call, or with the code `unreachable`, of the connection to the host. */
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

/** Transport as the pages use it: every call is typed by the contract. */
export interface Client extends Omit<Transport, 'send'> {
  /** Throws CallError. */
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>>
  /** Returns the URL of a photo's preview; of the photo itself if it has none. */
  previewUrl(photo: PreviewedPhoto): string
}

type PreviewedPhoto = Pick<PhotoView, 'assetId' | 'version' | 'thumbnailAssetId' | 'thumbnailVersion'>

export function createClient(transport: Transport): Client {
  return {
    ...transport,
    previewUrl: ({ assetId, version, thumbnailAssetId, thumbnailVersion }) =>
      thumbnailAssetId === null
        ? transport.fileUrl(assetId, version)
        : transport.thumbnailUrl(thumbnailAssetId, thumbnailVersion),
    async call<Name extends CallName>(name: Name, input: CallInput<Name>) {
      const answer = await transport.send(name, input).catch((error: unknown) => {
        throw new CallError('unreachable', 'Solarchive is not responding. It may have been stopped.', {
          cause: String(error),
        })
      })
      if (!answer.ok) throw new CallError(answer.error.code, answer.error.message, answer.error.details)
      // The host validates against the same contract; a test covers every call.
      return answer.value as CallOutput<Name>
    },
  }
}

/**
 * Returns why an archived file could not be displayed from its URL: `gone` if it is missing or was changed on the disk,
 * `unreachable` if the host or the archive folder does not answer, `unreadable` if this window cannot display it.
 */
export async function fileAvailability(url: string): Promise<'gone' | 'unreachable' | 'unreadable'> {
  const response = await fetch(url, { method: 'HEAD' }).catch(() => undefined)
  if (response === undefined || response.status === 401 || response.status === 503) return 'unreachable'
  return response.status === 404 ? 'gone' : 'unreadable'
}

export const clientKey: InjectionKey<Client> = Symbol('client')

/** Returns the client of the engine. Call in `setup` only, below the app that `main.ts` provides it to. */
export function useClient(): Client {
  const client = inject(clientKey)
  if (client === undefined) throw new Error('No client was provided')
  return client
}
