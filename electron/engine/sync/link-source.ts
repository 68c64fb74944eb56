import type { LinkSource } from '../downloads/ask-for-link.ts'
import type { CallOptions, ServiceClient } from '../service/service-types.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { LinkTable } from './link-table.ts'
import type { CategoryReader } from './read-category.ts'

/** Gives downloads their links: those at hand, or fresh ones, for which one question to the service serves all waiting. */
export function createLinkSource(
  store: Store,
  client: ServiceClient,
  links: LinkTable,
  categories: CategoryReader,
): LinkSource {
  const listing = new Map<string, Promise<void>>()

  async function refresh(assetId: number, signal: AbortSignal): Promise<void> {
    const asset = store.assets.get(assetId)
    const checklist = asset && store.checklists.get(asset.checklistKey)
    if (asset === undefined || checklist === undefined) return
    const options: CallOptions = { priority: 'links', signal }
    if (asset.questionKey === null) {
      await refreshReport(asset, checklist, options)
      return
    }
    const question = store.questions.get(asset.questionKey)
    if (question?.mediaCategoryId != null) {
      await categories.read(checklist.projectId, question.mediaCategoryId, options)
    }
  }

  /** The report's link stands in the list of checklists or, with some shapes, only in the checklist itself. */
  async function refreshReport(asset: AssetRow, checklist: ChecklistRow, options: CallOptions): Promise<void> {
    const { projectId } = checklist
    const running = listing.get(projectId) ?? listReports(projectId, options).finally(() => listing.delete(projectId))
    listing.set(projectId, running)
    await running
    if (links.get(asset.id) !== undefined) return
    const { reportUrl } = await client.getChecklist(projectId, checklist.id, options)
    links.hold(asset.id, reportUrl)
  }

  /** One list has the links of all the project's reports. */
  async function listReports(projectId: string, options: CallOptions): Promise<void> {
    const entries = await client.listChecklists(projectId, options)
    const urls = new Map(entries.map((entry) => [entry.id, entry.reportUrl]))
    for (const { key, id } of store.checklists.listForProject(projectId)) {
      const url = urls.get(id) ?? null
      const report = store.assets.getReport(key)
      if (report !== undefined && url !== null) links.hold(report.id, url)
    }
  }

  return {
    held: (assetId) => links.get(assetId),
    async ask(assetId, signal) {
      links.forget(assetId)
      await refresh(assetId, signal)
      return links.get(assetId) ?? undefined
    },
    forget: (assetId) => {
      links.forget(assetId)
    },
    suspect: (assetId) => {
      links.suspect(assetId)
    },
  }
}
