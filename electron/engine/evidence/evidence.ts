import { createHash } from 'node:crypto'
import { type ErrorCode, errorPolicy } from '../../../shared/error-policy.ts'
import type { EvidenceState, StampedEvidence } from '../../../shared/evidence.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { evidenceFolder } from '../archive/layout.ts'
import type { AddressPolicy } from '../service/address-policy.ts'
import { toEngineError } from '../lib/engine-error.ts'
import { jitterOf } from '../lib/jitter.ts'
import type { Clock, Logger } from '../lib/ports.ts'
import { dayMs, hourMs } from '../lib/time.ts'
import type { Outbound } from '../service/outbound.ts'
import type { Store } from '../store/create-store.ts'
import { installationId } from '../store/meta-store.ts'
import { askAuthority, authorityPolicy, typedAuthorityPolicy } from './ask-authority.ts'
import {
  evidenceName,
  hasFile,
  isIncomplete,
  listEvidence,
  manifestName,
  pathOf,
  readInside,
  removeIncomplete,
  stampName,
} from './evidence-folders.ts'
import { createEvidenceRecord, readEvidenceState } from './evidence-record.ts'
import { buildManifest, nothingArchived, type RootManifest, writeEvidence } from './write-evidence.ts'

export interface EvidenceSettings {
  /** Stamp the archive once a day. */
  readonly isDaily: boolean
  /** Addresses of authorities; the second one is asked if the first one fails. */
  readonly authorities: readonly string[]
}

export interface EvidenceDeps {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly outbound: Outbound
  readonly serviceUrl: URL
  readonly settings: EvidenceSettings
  /** Opens the archive again if it was mounted again. Throws `archive-unavailable` if the folder is not the archive. */
  readonly requireArchive: (signal: AbortSignal) => Promise<void>
  /** Looks for files that are missing or have another size, and records them. */
  readonly recordMissing: (signal: AbortSignal) => Promise<unknown>
  readonly onState: (state: EvidenceState) => void
}

/** Addresses to ask, one after the other until one returns a stamp. */
interface Authorities {
  readonly addresses: readonly string[]
  readonly policy: AddressPolicy
}

/** Root manifests have a line for each project. */
const maxManifestBytes = 64 * 1024 * 1024
/** Like `maxResponseBytes`, whose module is loaded only where a stamp is read. */
const maxStampBytes = 64 * 1024

/** Installations ask at different times of the night, UTC: authorities are asked by everybody at midnight. */
const spreadMs = 4 * hourMs

/** Rest between two requests to an authority. */
const paceMs = 15_000

/** Evidence of earlier days is stamped late for this long. */
const retryDays = 30

/** Evidence of an archive: see docs/archive-format.md, "Evidence". One stamp is made at a time. */
export class Evidence {
  readonly #deps: EvidenceDeps
  readonly #ofSettings: Authorities
  readonly #record: ReturnType<typeof createEvidenceRecord>
  #isStamping = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: EvidenceDeps) {
    this.#deps = deps
    this.#ofSettings = { addresses: deps.settings.authorities, policy: authorityPolicy(deps.serviceUrl) }
    this.#record = createEvidenceRecord(deps.store, deps.clock)
    if (!deps.settings.isDaily) this.#record.forgetProblem()
  }

  state(): EvidenceState {
    const { store, clock, settings } = this.#deps
    return readEvidenceState(store, clock, { isDaily: settings.isDaily, isStamping: this.#isStamping })
  }

  /**
   * Writes evidence of the archive as it is now and has it stamped, by the authorities of the settings or by
   * `authority`. Evidence that is the same as that of today is not stamped again. Then stamps that of earlier days
   * without a stamp; a failure of these is only logged. Throws `wrong-settings` without an authority, `wrong-usage` if
   * nothing is archived, disk errors, `stamp-refused`, and the errors of connections.
   */
  stampNow({ authority }: { readonly authority?: string | undefined }, signal: AbortSignal): Promise<StampedEvidence> {
    const authorities =
      authority === undefined ? this.#ofSettings : { addresses: [authority], policy: typedAuthorityPolicy }
    return this.#exclusively(() => this.#explained(() => this.#stampBy(authorities, signal)))
  }

  /**
   * Stamps today's evidence, and that of earlier days without a stamp, if that is due. Returns the milliseconds until
   * it may be due again. Records failures and retries later; rejects with errors of the database and the signal's
   * reason.
   */
  async stampDue(signal: AbortSignal): Promise<number> {
    const { store, clock, settings, onState } = this.#deps
    if (!settings.isDaily) return dayMs
    const waitMs = this.#record.waitMs()
    if (waitMs > 0) return waitMs
    // Without a file there is nothing to stamp, and nothing wrong.
    const today = evidenceName(clock.nowMs())
    if (store.assets.foldersInUse().length === 0 || !this.#isDue(today)) return hourMs
    try {
      await this.#exclusively(() => this.#explained(() => this.#stampToday(today, signal)))
      this.#record.done(today)
    } catch (thrown) {
      signal.throwIfAborted()
      const error = toAppError(thrown)
      if (errorPolicy[error.code].scope === 'database') throw error
      this.#record.failed(error)
    }
    onState(this.state())
    return Math.max(this.#record.waitMs(), paceMs)
  }

  /**
   * Returns whether the stamp of a day is still to be made. Does not touch the disk of the archive, which may sleep.
   */
  #isDue(today: string): boolean {
    const { store, clock } = this.#deps
    if (clock.nowMs() < Date.parse(today) + jitterOf(installationId(store)) * spreadMs) return false
    return this.#record.hasProblem() || !this.#record.isDone(today)
  }

  async #stampBy(authorities: Authorities, signal: AbortSignal): Promise<StampedEvidence> {
    const { folders, store, clock, logger } = this.#deps
    if (authorities.addresses.length === 0) throw noAuthority()
    await this.#deps.requireArchive(signal)
    const today = evidenceName(clock.nowMs())
    const now = await buildManifest(store, signal)
    if (now.projects === 0) throw nothingArchived()
    const { folder, isWritten } = await this.#folderForNow(now.text)
    const manifest = isWritten ? now : await writeEvidence(folders, store, folder, signal)
    const known = await this.#stampOf(folder)
    const { at, signedBy } = known ?? (await this.#stamp(folder, authorities, signal))
    try {
      await this.#stampPending(authorities, signal, { hasAsked: known === undefined })
      this.#record.done(today)
    } catch (thrown) {
      signal.throwIfAborted()
      const error = toEngineError(thrown, 'write the evidence')
      if (errorPolicy[error.code].scope === 'database') throw error
      logger.warn('Evidence of earlier days was not stamped', { code: error.code })
    }
    const damaged = await this.#countDamaged(signal)
    return { ...describe(folder, manifest), stampedAt: at, signedBy, damaged, created: known === undefined }
  }

  /** Writes today's evidence, and stamps what is due. */
  async #stampToday(today: string, signal: AbortSignal): Promise<void> {
    const { folders, store, settings } = this.#deps
    await this.#deps.requireArchive(signal)
    if (settings.authorities.length === 0) throw noAuthority()
    if (!(await hasFile(folders.root, today, manifestName))) await writeEvidence(folders, store, today, signal)
    await this.#stampPending(this.#ofSettings, signal, { hasAsked: false })
    const folder = `${evidenceFolder}/${today}`
    if (this.state().last?.folder === folder) return
    // The database was lost, or another installation has stamped.
    const known = await this.#stampOf(today)
    if (known !== undefined) this.#record.found({ folder, stampedAt: known.at, signedBy: known.signedBy })
  }

  /**
   * Stamps the folders of the last days that have no stamp, the newest first, with rests between the requests. Removes
   * folders of earlier days that were never completed.
   */
  async #stampPending(
    authorities: Authorities,
    signal: AbortSignal,
    { hasAsked }: { readonly hasAsked: boolean },
  ): Promise<void> {
    const { folders, clock } = this.#deps
    const { root } = folders
    const nowMs = clock.nowMs()
    const oldest = evidenceName(nowMs - retryDays * dayMs)
    // Another installation may still be writing one shortly after midnight.
    const current = evidenceName(nowMs - hourMs)
    let mustRest = hasAsked
    for (const folder of (await listEvidence(root, evidenceFolder)).toReversed()) {
      if (folder < current && isIncomplete(root, folder)) await removeIncomplete(root, folder)
      if (folder < oldest || !(await hasFile(root, folder, manifestName))) continue
      if (await hasFile(root, folder, stampName)) continue
      if (mustRest) await clock.sleep(paceMs, signal)
      await this.#stamp(folder, authorities, signal)
      mustRest = true
    }
  }

  /** Has the root manifest of a folder stamped by the first authority that does. Throws the error of the last one. */
  async #stamp(folder: string, { addresses, policy }: Authorities, signal: AbortSignal) {
    const { folders, clock, logger, outbound } = this.#deps
    const data = await this.#readManifest(folder)
    if (data === undefined) throw new AppError('disk-error', `The root manifest of ${folder} is gone.`)
    let problem: AppError | undefined
    for (const authority of addresses) {
      try {
        const { stamp, bytes } = await askAuthority({ outbound, policy, clock }, authority, data, signal)
        await folders.write(pathOf(folder, stampName), bytes)
        this.#record.stamped({ folder: `${evidenceFolder}/${folder}`, stampedAt: stamp.at, signedBy: stamp.signedBy })
        logger.info('The archive was stamped', { folder, authority: hostOf(authority) })
        return stamp
      } catch (thrown) {
        signal.throwIfAborted()
        problem = toEngineError(thrown, 'write the time stamp')
        const facts = { authority: hostOf(authority), code: problem.code }
        // The error of the last one says it to the user.
        if (authority === addresses.at(-1)) logger.info('A time-stamping authority returned no time stamp', facts)
        else logger.warn('A time-stamping authority returned no time stamp, and the next one is asked', facts)
        // The next authority would meet the same disk.
        if (!isOfAuthority(problem)) throw problem
      }
    }
    if (problem === undefined) throw noAuthority()
    const { code, message, details } = problem
    const kept = `The evidence is kept in ${evidenceFolder}/${folder}, and is stamped with the next time stamp.`
    throw new AppError(code, `${message} ${kept}`, { ...(details !== undefined && { details }), cause: problem })
  }

  /** Returns the folder for a stamp now: today's, or one of its own if today's has other contents. */
  async #folderForNow(text: string): Promise<{ readonly folder: string; readonly isWritten: boolean }> {
    const { folders, clock } = this.#deps
    const today = evidenceName(clock.nowMs())
    const written = await this.#readManifest(today)
    if (written === undefined) return { folder: today, isWritten: false }
    if (written.toString() === text) return { folder: today, isWritten: true }
    const earlier = (await listEvidence(folders.root, evidenceFolder))
      .filter((name) => name.startsWith(today))
      .toReversed()
    for (const folder of earlier)
      if ((await this.#readManifest(folder))?.toString() === text) return { folder, isWritten: true }
    return { folder: evidenceName(clock.nowMs(), { withTime: true }), isWritten: false }
  }

  /** Returns the checked stamp of a folder, or undefined if there is none. */
  async #stampOf(folder: string) {
    const data = await this.#readManifest(folder)
    const bytes = await this.#read(folder, stampName, maxStampBytes).catch(undefinedIfTooLarge)
    if (data === undefined || bytes === undefined) return undefined
    const { readTimeStamp } = await import('./time-stamp.ts')
    return readTimeStamp(bytes, data, undefined).catch(() => undefined)
  }

  #readManifest(folder: string) {
    return this.#read(folder, manifestName, maxManifestBytes)
  }

  #read(folder: string, name: typeof manifestName | typeof stampName, maxBytes: number) {
    return readInside(this.#deps.folders.root, pathOf(folder, name).split('/'), maxBytes)
  }

  /** Returns how many files are damaged, also those that no check has found yet and only the disk shows. */
  async #countDamaged(signal: AbortSignal): Promise<number> {
    const { store, logger, recordMissing } = this.#deps
    try {
      await recordMissing(signal)
    } catch (thrown) {
      signal.throwIfAborted()
      const error = toEngineError(thrown, 'look for archived files')
      if (errorPolicy[error.code].scope === 'database') throw error
      // The stamp is made: it holds whatever the disk says.
      logger.warn('It is not known whether all archived files are there', { code: error.code })
    }
    return store.findings.count().damaged
  }

  /** Runs one piece of work at a time, and reports its beginning and its end. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const { onState } = this.#deps
    const mine = this.#last.then(async () => {
      this.#isStamping = true
      try {
        onState(this.state())
        return await work()
      } finally {
        this.#isStamping = false
        onState(this.state())
      }
    })
    this.#last = mine.catch(() => undefined)
    return mine
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      if (thrown instanceof AppError) throw thrown
      throw await this.#deps.folders.explain(toEngineError(thrown, 'write the evidence'), 'write the evidence')
    }
  }
}

function describe(folder: string, { text, projects, files }: RootManifest) {
  return {
    folder: `${evidenceFolder}/${folder}`,
    manifest: pathOf(folder, manifestName),
    stamp: pathOf(folder, stampName),
    sha256: sha256Of(text),
    projects,
    files,
  }
}

const answersOfAuthority: ReadonlySet<ErrorCode> = new Set(['stamp-refused', 'link-unsafe', 'unreadable-answer'])

/** Returns whether another authority may answer differently. */
function isOfAuthority({ code }: AppError): boolean {
  return code.startsWith('unreachable-') || answersOfAuthority.has(code)
}

function noAuthority(): AppError {
  return new AppError(
    'wrong-settings',
    'No time-stamping authority is named, so nothing was stamped. Name one, or set "stampAuthority" in the settings.',
  )
}

/** Returns what the log may have of an address. */
const hostOf = (address: string) => (URL.canParse(address) ? new URL(address).host : '')

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')

/** No time stamp is that large. */
function undefinedIfTooLarge(error: unknown): undefined {
  if (!(error instanceof RangeError)) throw error
}
