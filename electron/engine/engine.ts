import type { Project, StatusReport, SyncReport, VerifyReport } from '../../shared/domain.ts'
import type { EngineEvents } from './events.ts'

/** A project to archive, as a person or a list gives it. */
export interface NewProject {
  readonly id: string
  readonly name?: string | undefined
  readonly address?: string | undefined
}

export interface EngineSettings {
  /** The service's address, with or without a trailing `/` or `/api/v1`. */
  readonly serviceUrl: string
  /** Absolute path of the data folder: database, settings, logs. */
  readonly homeFolder: string
  /** Absolute path of the archive's root. */
  readonly archiveFolder: string
  /** API calls in any 60 seconds; 0 lifts the limit. Default 60. */
  readonly apiCallsPerMinute?: number
  /** Files downloaded at the same time. Default 8. */
  readonly concurrency?: number
}

/** What the hosts see of the engine. Every rejection is an AppError. */
export interface Engine {
  readonly events: EngineEvents
  readonly projects: {
    /** Adds or completes projects; a known one keeps what is not given again. Answers those named, as they are now. */
    add(projects: readonly NewProject[]): Project[]
    list(): Project[]
    /** Stops archiving a project; its files and its records stay. Throws `not-found` when it is not in the list. */
    remove(projectId: string): Project
    /** Adds every project that the service's project call lists. Throws `not-found` when the service has no such call. */
    discover(signal?: AbortSignal): Promise<{ found: number; added: Project[] }>
  }
  /** One pass over all or the named projects, downloads included. */
  sync(options?: { projectIds?: readonly string[]; signal?: AbortSignal }): Promise<SyncReport>
  /** Throws `archive-unavailable` when files are archived and their folders are not there. */
  status(): Promise<StatusReport>
  /** Projects that no pass has worked off yet, or that the last one could not: nothing certain is known of them. */
  unsynced(): Project[]
  /** Re-hashes every archived file. */
  verify(options?: { signal?: AbortSignal }): Promise<VerifyReport>
  /** Stops what runs, waits for it (at most about a second), and lets go of the data folder. */
  close(): Promise<void>
}
