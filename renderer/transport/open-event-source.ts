import { eventNames, type EventName } from '../../shared/channel-names.ts'
import type { EventMessage, EventValue } from '../../shared/contract.ts'
import type { Hear } from './event-hub.ts'
import type { HostLink } from './transport.ts'

/** The browser tries again by itself unless the server refused it; then this does, so often. */
const reopenMs = 2_000

/** The server's stream of events, opened again whenever it breaks, until what this answers is called. */
export function openEventSource(hear: Hear): () => void {
  let source: EventSource | undefined
  let reopening: ReturnType<typeof setTimeout> | undefined
  let link: HostLink | undefined

  function tell(now: HostLink): void {
    link = now
    hear({ kind: 'link', link })
  }

  function open(): void {
    const mine = (source = new EventSource('/api/events'))
    mine.addEventListener('hello', (event) => {
      const { resync } = JSON.parse((event as MessageEvent<string>).data) as { resync: boolean }
      tell('open')
      if (resync) hear({ kind: 'resync' })
    })
    for (const name of eventNames) {
      mine.addEventListener(name, (event) => {
        hear({ kind: 'event', message: read(name, (event as MessageEvent<string>).data) })
      })
    }
    mine.addEventListener('error', () => {
      if (mine.readyState !== EventSource.CLOSED) return tell('lost')
      reopening = setTimeout(open, reopenMs)
      // Once refused it stays refused until the stream opens, or nobody answers.
      if (link !== 'refused') {
        void isRefused().then((refused) => {
          if (mine === source) tell(refused ? 'refused' : 'lost')
        })
      }
    })
  }

  open()
  return () => {
    clearTimeout(reopening)
    source?.close()
    source = undefined
  }
}

/** A stream does not tell why it was not opened; a call does. */
async function isRefused(): Promise<boolean> {
  const call = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }
  const response = await fetch('/api/call/watch.state', call).catch(() => undefined)
  return response?.status === 401
}

function read<Name extends EventName>(name: Name, data: string): EventMessage<Name> {
  const { revision, value } = JSON.parse(data) as { revision: number; value: EventValue<Name> }
  return { name, revision, value }
}
