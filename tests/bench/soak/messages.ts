/** Messages between the processes of the soak bench. */

/** Task of the engine's process. */
export interface SoakTask {
  readonly url: string
  readonly token: string
  readonly projectIds: readonly string[]
  readonly folder: string
  /** Speed of the engine's clock, as a multiple of real time. */
  readonly speed: number
}

/** Sent by the engine's process every few seconds. */
export interface SoakSample {
  readonly kind: 'sample'
  readonly rssMegabytes: number
  /** Number of failures emitted since the last sample, by code. */
  readonly failures: Readonly<Record<string, number>>
}

/** Sent by the engine's process after it was asked to end and had time to recover. */
export interface SoakEnd {
  readonly kind: 'end'
  /** Number of files that still fail, by code. */
  readonly failing: Readonly<Record<string, number>>
  readonly gaps: readonly string[]
  readonly missing: number
  readonly changed: number
  readonly hashes: readonly string[]
}

/** Sent by the service's process when it was asked to end the faults. */
export interface SoakServed {
  readonly faults: Readonly<Record<string, number>>
  readonly changes: number
  readonly apiCalls: number
  readonly fileRequests: number
  /** Hashes of all files that are served now. */
  readonly hashes: readonly string[]
}
