import { urlIdentityOf } from '../lib/link-identity.ts'
import type { Link, LinkSource } from '../downloads/ask-for-link.ts'
import type { Clock } from '../lib/ports.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { CallOptions } from '../service/service-types.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'

/** Links expire after 24 hours (the service's specification). Older ones than this are refreshed before use. */
const maxLinkAgeMs = 23 * 60 * 60_000

interface CachedLink {
  /** Null if the service sent none. */
  readonly link: Link | null
  /** As in `Link`, also without one. */
  readonly edition: number
  readonly obtainedMs: number
  isSuspect: boolean
}

/** Cached links, in memory only: a link is a key to a customer's photo and is stored nowhere. */
export function createLinkTable(clock: Clock) {
  const links = new Map<number, CachedLink>()
  let editions = 0
  return {
    /**
     * `urlIdentity` is that of the link, if it is known. `isChanged`: the file may be another one than that of earlier
     * links.
     */
    set(assetId: number, url: string | null, urlIdentity = urlIdentityOf(url), isChanged = false): void {
      const known = isChanged ? undefined : links.get(assetId)
      const edition = known?.edition ?? ++editions
      const link = url === null ? null : { url, urlIdentity, edition }
      links.set(assetId, { link, edition, obtainedMs: clock.nowMs(), isSuspect: false })
    },
    /**
     * Returns a link that has not expired, null if the service sent none, or undefined if it has to be asked. A clock
     * that was set back makes the age unknown: such a link is not used either.
     */
    get(assetId: number): Link | null | undefined {
      const entry = links.get(assetId)
      if (entry === undefined) return undefined
      const ageMs = clock.nowMs() - entry.obtainedMs
      if (ageMs >= 0 && ageMs < maxLinkAgeMs) return entry.link
      links.delete(assetId)
      return undefined
    },
    /** Returns whether no later answer had another edition of the file. */
    isCurrent(assetId: number, { edition }: Link): boolean {
      const entry = links.get(assetId)
      return entry === undefined || entry.edition === edition
    },
    forget(assetId: number): void {
      links.delete(assetId)
    },
    /** Marks a link as having led to no file. */
    suspect(assetId: number): void {
      const entry = links.get(assetId)
      if (entry !== undefined) entry.isSuspect = true
    },
    /**
     * Drops suspect links. A link that arrived since the file's last try stays: one call returns the links of a whole
     * category, so thousands of files that fail together cost one call per category and backoff.
     */
    forgetSuspect(assetIds: readonly number[]): void {
      for (const assetId of assetIds) if (links.get(assetId)?.isSuspect === true) links.delete(assetId)
    },
  }
}

export type LinkTable = ReturnType<typeof createLinkTable>

/** Reads a media category and caches the links in its answer. */
type ReadCategory = (projectId: string, categoryId: string, options: CallOptions) => Promise<void>

/** Returns the source of links for downloads: cached ones, or fresh ones, with one call for all files that wait. */
export function createLinkSource(
  store: Store,
  client: ServiceClient,
  links: LinkTable,
  readCategory: ReadCategory,
): LinkSource {
  const listings = new Map<string, Promise<void>>()

  async function refresh(assetId: number, { signal, gate }: Pick<CallOptions, 'signal' | 'gate'>): Promise<void> {
    const asset = store.assets.get(assetId)
    const checklist = asset && store.checklists.get(asset.checklistKey)
    if (asset === undefined || checklist === undefined) return
    const options: CallOptions = { priority: 'links', ...(signal !== undefined && { signal }), gate }
    if (asset.questionKey === null) {
      await refreshReport(asset, checklist, options)
      return
    }
    const question = store.questions.get(asset.questionKey)
    if (question?.mediaCategoryId != null) {
      await readCategory(checklist.projectId, question.mediaCategoryId, options)
    }
  }

  /** The report's link is in the list of checklists or, with some shapes of answers, only in the checklist itself. */
  async function refreshReport(asset: AssetRow, checklist: ChecklistRow, options: CallOptions): Promise<void> {
    const { projectId } = checklist
    const running = listings.get(projectId) ?? listReports(projectId, options).finally(() => listings.delete(projectId))
    listings.set(projectId, running)
    await running
    if (links.get(asset.id) !== undefined) return
    const { reportUrl } = await client.getChecklist(projectId, checklist.id, options)
    links.set(asset.id, reportUrl)
  }

  /** Asks for the list of checklists, which has the links of all the project's reports. */
  async function listReports(projectId: string, options: CallOptions): Promise<void> {
    const entries = await client.listChecklists(projectId, options)
    const urls = new Map(entries.map((entry) => [entry.id, entry.reportUrl]))
    for (const { key, id } of store.checklists.listForProject(projectId)) {
      const url = urls.get(id) ?? null
      const report = store.assets.getReport(key)
      if (report !== undefined && url !== null) links.set(report.id, url)
    }
  }

  return {
    cached: (assetId) => links.get(assetId),
    isCurrent: (assetId, link) => links.isCurrent(assetId, link),
    forget: (assetId) => links.forget(assetId),
    suspect: (assetId) => links.suspect(assetId),
    async ask(assetId, signal, gate) {
      links.forget(assetId)
      try {
        await refresh(assetId, { signal, gate })
      } catch (error) {
        // A list that is only a part of it is a failure of its checklist; the links in it are good.
        if (links.get(assetId) == null) throw error
      }
      return links.get(assetId) ?? undefined
    },
  }
}
