import { createHash } from 'node:crypto'
import { errorPolicy } from '../../../shared/error-policy.ts'
import type { EvidenceState, StampedEvidence } from '../../../shared/evidence.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { evidenceFolder } from '../archive/layout.ts'
import type { LinkPolicy } from '../downloads/link-policy.ts'
import { toEngineError } from '../lib/engine-error.ts'
import { jitterOf } from '../lib/jitter.ts'
import type { Clock, Logger } from '../lib/ports.ts'
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
  /** Throws `archive-unavailable` if the folder is not the archive. */
  readonly requireKnownArchive: () => Promise<void>
  /** Looks for files that are missing or have another size, and records them. */
  readonly recordMissing: (signal: AbortSignal) => Promise<unknown>
  readonly onState: (state: EvidenceState) => void
}

export interface Evidence {
  state(): EvidenceState
  /**
   * Writes evidence of the archive as it is now and has it stamped, by the authorities of the settings or by
   * `authority`. Evidence that is the same as that of today is not stamped again. Then stamps that of earlier days
   * without a stamp; a failure of these is only logged. Throws `wrong-settings` without an authority, `wrong-usage` if
   * nothing is archived, disk errors, `stamp-refused`, and the errors of connections.
   */
  stampNow(options: { readonly authority?: string | undefined }, signal: AbortSignal): Promise<StampedEvidence>
  /**
   * Stamps today's evidence, and that of earlier days without a stamp, if that is due. Returns the milliseconds until
   * it may be due again. Records failures and retries later; rejects with errors of the database and the signal's
   * reason.
   */
  stampDue(signal: AbortSignal): Promise<number>
}

/** Addresses to ask, one after the other until one gives a stamp. */
interface Authorities {
  readonly addresses: readonly string[]
  readonly policy: LinkPolicy
}

/** Root manifests have a line for each project. */
const maxManifestBytes = 64 * 1024 * 1024
/** Like `maxResponseBytes`, whose module is loaded only where a stamp is read. */
const maxStampBytes = 64 * 1024

/** Installations ask at different times of the night, UTC: authorities are asked by everybody at midnight. */
const spreadMs = 4 * 60 * 60_000

/** Rest between two requests to an authority. */
const paceMs = 15_000

/** Evidence of earlier days is stamped late for this long. */
const retryDays = 30

const dayMs = 24 * 60 * 60_000
const hourMs = 60 * 60_000

/** Composes the evidence of an archive: see docs/archive-format.md, "Evidence". One stamp is made at a time. */
export function createEvidence(deps: EvidenceDeps): Evidence {
  const { folders, store, clock, outbound, serviceUrl, settings, onState } = deps
  const { root } = folders
  const ofSettings: Authorities = { addresses: settings.authorities, policy: authorityPolicy(serviceUrl) }
  const record = createEvidenceRecord(store, clock)
  let isStamping = false
  let last: Promise<unknown> = Promise.resolve()

  const state = (): EvidenceState => readEvidenceState(store, clock, { isDaily: settings.isDaily, isStamping })

  /** Runs one piece of work at a time, and reports its beginning and its end. */
  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(async () => {
      isStamping = true
      try {
        onState(state())
        return await work()
      } finally {
        isStamping = false
        onState(state())
      }
    })
    last = mine.catch(() => undefined)
    return mine
  }

  async function explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      if (thrown instanceof AppError) throw thrown
      throw await folders.explain(toEngineError(thrown, 'write the evidence'), 'write the evidence')
    }
  }

  const readManifest = (folder: string) => readInside(root, pathOf(folder, manifestName).split('/'), maxManifestBytes)

  /** Returns the folder for a stamp now: today's, or one of its own if today's has other contents. */
  async function folderForNow(text: string): Promise<{ readonly folder: string; readonly isWritten: boolean }> {
    const today = evidenceName(clock.nowMs())
    const written = await readManifest(today)
    if (written === undefined) return { folder: today, isWritten: false }
    if (written.toString() === text) return { folder: today, isWritten: true }
    const earlier = (await listEvidence(root, evidenceFolder)).filter((name) => name.startsWith(today)).toReversed()
    for (const folder of earlier)
      if ((await readManifest(folder))?.toString() === text) return { folder, isWritten: true }
    return { folder: evidenceName(clock.nowMs(), { withTime: true }), isWritten: false }
  }

  /** Has the root manifest of a folder stamped by the first authority that does. Throws the error of the last one. */
  async function stamp(folder: string, { addresses, policy }: Authorities, signal: AbortSignal) {
    const data = await readManifest(folder)
    if (data === undefined) throw new AppError('disk-error', `The root manifest of ${folder} is gone.`)
    let problem: AppError | undefined
    for (const authority of addresses) {
      try {
        const { stamp, bytes } = await askAuthority({ outbound, policy, clock }, authority, data, signal)
        await folders.write(pathOf(folder, stampName), bytes)
        record.stamped({ folder: `${evidenceFolder}/${folder}`, stampedAt: stamp.at, signedBy: stamp.signedBy })
        deps.logger.info('The archive was stamped', { folder, authority: hostOf(authority) })
        return stamp
      } catch (thrown) {
        signal.throwIfAborted()
        problem = toEngineError(thrown, 'write the time stamp')
        const facts = { authority: hostOf(authority), code: problem.code }
        // The error of the last one says it to the user.
        if (authority === addresses.at(-1)) deps.logger.info('A time-stamping authority gave no time stamp', facts)
        else deps.logger.warn('A time-stamping authority gave no time stamp, and the next one is asked', facts)
        // The next authority would meet the same disk.
        if (!isOfAuthority(problem)) throw problem
      }
    }
    throw problem ?? noAuthority()
  }

  /** Returns the checked stamp of a folder, or undefined if there is none. */
  async function stampOf(folder: string) {
    const data = await readManifest(folder)
    const bytes = await readInside(root, pathOf(folder, stampName).split('/'), maxStampBytes).catch(undefinedIfTooLarge)
    if (data === undefined || bytes === undefined) return undefined
    const { readTimeStamp } = await import('./time-stamp.ts')
    return readTimeStamp(bytes, data, undefined).catch(() => undefined)
  }

  function describe(folder: string, { text, projects, files }: RootManifest) {
    return {
      folder: `${evidenceFolder}/${folder}`,
      manifest: pathOf(folder, manifestName),
      stamp: pathOf(folder, stampName),
      sha256: sha256Of(text),
      ...{ projects, files },
    }
  }

  async function stampNow(authorities: Authorities, signal: AbortSignal): Promise<StampedEvidence> {
    if (authorities.addresses.length === 0) throw noAuthority()
    await deps.requireKnownArchive()
    const today = evidenceName(clock.nowMs())
    const now = await buildManifest(store, signal)
    if (now.projects === 0) throw nothingArchived()
    const { folder, isWritten } = await folderForNow(now.text)
    const manifest = isWritten ? now : await writeEvidence(folders, store, folder, signal)
    const known = await stampOf(folder)
    const { at, signedBy } = known ?? (await stamp(folder, authorities, signal))
    try {
      await stampPending(authorities, signal, { hasAsked: known === undefined })
      record.done(today)
    } catch (thrown) {
      signal.throwIfAborted()
      const error = toEngineError(thrown, 'write the evidence')
      if (errorPolicy[error.code].scope === 'database') throw error
      deps.logger.warn('Evidence of earlier days was not stamped', { code: error.code })
    }
    const damaged = await countDamaged(signal)
    return { ...describe(folder, manifest), stampedAt: at, signedBy, damaged, created: known === undefined }
  }

  /** Returns how many files are damaged, also those that no check has found yet and only the disk shows. */
  async function countDamaged(signal: AbortSignal): Promise<number> {
    try {
      await deps.recordMissing(signal)
    } catch (thrown) {
      signal.throwIfAborted()
      const error = toEngineError(thrown, 'look for archived files')
      if (errorPolicy[error.code].scope === 'database') throw error
      // The stamp is made: it holds whatever the disk says.
      deps.logger.warn('It is not known whether all archived files are there', { code: error.code })
    }
    return store.findings.count().damaged
  }

  /**
   * Stamps the folders of the last days that have no stamp, the newest first, with rests between the requests. Removes
   * folders of earlier days that were never completed.
   */
  async function stampPending(
    authorities: Authorities,
    signal: AbortSignal,
    { hasAsked }: { readonly hasAsked: boolean },
  ): Promise<void> {
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
      await stamp(folder, authorities, signal)
      mustRest = true
    }
  }

  /** Writes today's evidence, and stamps what is due. */
  async function stampToday(today: string, signal: AbortSignal): Promise<void> {
    await deps.requireKnownArchive()
    if (settings.authorities.length === 0) throw noAuthority()
    if (!(await hasFile(root, today, manifestName))) await writeEvidence(folders, store, today, signal)
    await stampPending(ofSettings, signal, { hasAsked: false })
    const folder = `${evidenceFolder}/${today}`
    if (state().last?.folder === folder) return
    // The database was lost, or another installation has stamped.
    const known = await stampOf(today)
    if (known !== undefined) record.found({ folder, stampedAt: known.at, signedBy: known.signedBy })
  }

  return {
    state,
    stampNow: ({ authority }, signal) =>
      exclusively(() =>
        explained(() =>
          stampNow(
            authority === undefined ? ofSettings : { addresses: [authority], policy: typedAuthorityPolicy },
            signal,
          ),
        ),
      ),
    async stampDue(signal) {
      if (!settings.isDaily) return dayMs
      const waitMs = record.waitMs()
      if (waitMs > 0) return waitMs
      // Without a file there is nothing to stamp, and nothing wrong.
      const today = evidenceName(clock.nowMs())
      if (store.assets.foldersInUse().length === 0 || !isDue(today)) return hourMs
      try {
        await exclusively(() => explained(() => stampToday(today, signal)))
        record.done(today)
      } catch (thrown) {
        signal.throwIfAborted()
        const error = toAppError(thrown)
        if (errorPolicy[error.code].scope === 'database') throw error
        record.failed(error)
      }
      onState(state())
      return Math.max(record.waitMs(), paceMs)
    },
  }

  /**
   * Returns whether the stamp of a day is still to be made. Does not touch the disk of the archive, which may sleep.
   */
  function isDue(today: string): boolean {
    if (clock.nowMs() < Date.parse(today) + jitterOf(installationId(store)) * spreadMs) return false
    return record.hasProblem() || !record.isDone(today)
  }
}

/** Returns whether another authority may answer differently. */
function isOfAuthority({ code }: AppError): boolean {
  return code.startsWith('unreachable-') || ['stamp-refused', 'link-unsafe', 'unreadable-answer'].includes(code)
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
