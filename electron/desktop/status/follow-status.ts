import type { CallOutput, EventMessage } from '../../../shared/contract.ts'
import type { Answer } from '../../../shared/envelope.ts'
import type { Bridge } from '../../app/api/create-api.ts'
import { afterEvent, type AppStatus, unknownStatus } from './app-status.ts'

/** Progress comes five times a second; nobody reads a tray or a taskbar so often. */
const tellMs = 1_000

/** What needs attention is counted by the database: of a large archive not more often than this. */
const countMs = 5_000

/** After these the number of what needs attention may be another one. */
const mayChangeCounts: ReadonlySet<EventMessage['name']> = new Set<EventMessage['name']>([
  ...(['setup-state', 'watch-state', 'sync-state', 'verify-state'] as const),
  ...(['activity', 'project-synced', 'sync-failure', 'finding'] as const),
])

/** Tells `onStatus` how the engine is, at most once a second, until what it answers is called. */
export function followStatus(bridge: Bridge, onStatus: (status: AppStatus) => void): () => void {
  let status = unknownStatus
  let telling: NodeJS.Timeout | undefined
  let counting: NodeJS.Timeout | undefined
  let isEnded = false

  function tellSoon(): void {
    telling ??= setTimeout(() => {
      telling = undefined
      onStatus(status)
    }, tellMs)
  }

  async function count(): Promise<void> {
    const answer = (await bridge.call('overview', {})) as Answer<CallOutput<'overview'>>
    if (isEnded) return
    // Without an engine there is nothing to count.
    const attention = answer.ok ? countOf(answer.value) : 0
    if (attention !== status.attention) tellSoon()
    status = { ...status, attention }
  }

  function countSoon(): void {
    counting ??= setTimeout(() => {
      counting = undefined
      void count()
    }, countMs)
  }

  const unsubscribe = bridge.subscribe((message) => {
    status = afterEvent(status, message)
    tellSoon()
    if (mayChangeCounts.has(message.name)) countSoon()
  })
  // At the start at once: the tray has nothing to show yet.
  onStatus(status)
  void count()
  return () => {
    isEnded = true
    unsubscribe()
    clearTimeout(telling)
    clearTimeout(counting)
  }
}

function countOf({ counts, damagedFiles }: CallOutput<'overview'>): number {
  return counts.filesFailed + counts.projectsWithProblem + counts.troubledChecklists + damagedFiles
}
