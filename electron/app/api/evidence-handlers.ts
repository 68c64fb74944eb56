import type { EngineHolder } from '../engine-holder.ts'
import type { Handlers } from './create-api.ts'

export interface EvidenceHandlersDeps {
  readonly engines: EngineHolder
  /** Throws while the archive is being moved and may only be read. */
  readonly requireWritableArchive: () => void
  /** Aborts when Solarchive ends. */
  readonly signal: AbortSignal
}

/** Returns the handlers of the calls about trusted time stamps. */
export function createEvidenceHandlers({
  engines,
  requireWritableArchive,
  signal,
}: EvidenceHandlersDeps): Handlers<'evidence.state' | 'evidence.stampNow'> {
  return {
    'evidence.state': () => engines.require().evidenceState(),
    'evidence.stampNow'() {
      const engine = engines.require()
      requireWritableArchive()
      return engine.stampEvidence({ signal })
    },
  }
}
