/** What the soak's processes tell each other. */

/** The order to the engine's process. */
export interface SoakTask {
  readonly url: string
  readonly token: string
  readonly projectIds: readonly string[]
  readonly folder: string
  /** How many times as fast as real time the engine's clock goes. */
  readonly speed: number
}

/** From the engine's process, every few seconds. */
export interface SoakSample {
  readonly kind: 'sample'
  readonly rssMegabytes: number
  /** Failures told since the last sample, by their code. */
  readonly failures: Readonly<Record<string, number>>
}

/** From the engine's process, when it was told to end: after it had time to recover from everything. */
export interface SoakEnd {
  readonly kind: 'end'
  /** Files that still fail, by their code. */
  readonly failing: Readonly<Record<string, number>>
  readonly gaps: readonly string[]
  readonly missing: number
  readonly changed: number
  readonly hashes: readonly string[]
}

/** From the service's process, when it was told to end the faults. */
export interface SoakServed {
  readonly faults: Readonly<Record<string, number>>
  readonly changes: number
  readonly apiCalls: number
  readonly fileRequests: number
  /** Of everything that is served now. */
  readonly hashes: readonly string[]
}
