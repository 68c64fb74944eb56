import type { CallOutput } from '../../shared/contract/calls.ts'
import { countOf, formatCount, photosAndReports } from '../../shared/format.ts'
import type { ArchiveProgress, ProjectQuery } from '../../shared/views.ts'

type Filter = ProjectQuery['filter']
type Overview = Pick<CallOutput<'overview'>, 'counts' | 'progress' | 'damagedFiles'>

/** Number of photos and reports that are known and can be downloaded now. */
function filesToDownload(progress: ArchiveProgress): number {
  const { expectedFiles, archivedFiles, previews, photosNotUploaded, filesNotChecked, reportsPending } = progress
  const lacking = expectedFiles - archivedFiles - (previews.expected - previews.archived)
  return Math.max(0, lacking - photosNotUploaded - filesNotChecked - reportsPending)
}

/**
 * Missing photos and reports by reason. Failed and damaged files also count previews, documents, and files that are
 * archived in an earlier version: none of these is missing.
 */
export function missingFiles({ counts, progress, damagedFiles }: Overview) {
  const { photosNotUploaded: notUploaded, filesNotChecked: notChecked, reportsPending } = progress
  const lacking = filesToDownload(progress)
  const failed = Math.min(lacking, counts.filesFailed + damagedFiles)
  const retrying = Math.min(lacking - failed, counts.filesRetrying)
  const waiting = lacking - failed - retrying
  const byReason = { waiting, retrying, failed, notChecked, notUploaded, reportsPending }
  return { ...byReason, total: Object.values(byReason).reduce((sum, count) => sum + count, 0) }
}

/** Returns "12 photos and reports, 8 checklists not checked yet". */
function notCheckedSentence({ filesNotChecked, checklistsNotChecked }: ArchiveProgress): string {
  const files = photosAndReports(filesNotChecked)
  const checklists = countOf(checklistsNotChecked, 'checklist')
  const counts = [...(filesNotChecked > 0 ? [files] : []), ...(checklistsNotChecked > 0 ? [checklists] : [])]
  return `${counts.join(', ') || files} not checked yet`
}

/** Text after the number of incomplete checklists of a status, and the filter that lists their projects. */
export const openStatuses: Readonly<Partial<Record<string, { readonly text: string; readonly filter: Filter }>>> = {
  draft: { text: 'in draft', filter: 'drafts' },
  formSubmitted: { text: 'with a submitted form, not completed at the service yet', filter: 'submitted' },
  awaitingMedia: { text: 'waiting for photos', filter: 'photos' },
  pdfProcessing: { text: 'waiting for the report', filter: 'report' },
  pdfProcessingFailed: { text: 'whose report the service could not create', filter: 'report-failed' },
  completed: { text: 'completed at the service, not fully archived yet', filter: 'archiving' },
}
export const goneText = 'no longer at the service; archived files are kept'

/** Returns what the projects of a filter are listed for, as the overview counts it; `null` if only projects count. */
export function filterSentence(filter: Filter, overview: Overview): string | null {
  const missing = missingFiles(overview)
  switch (filter) {
    case 'working':
      return missing.waiting === 0 ? null : `${photosAndReports(missing.waiting)} waiting to be downloaded`
    case 'incomplete':
      return missing.total === 0 ? null : `${photosAndReports(missing.total)} missing`
    case 'not-checked':
      return notCheckedSentence(overview.progress)
    case 'some-complete': {
      const { completeChecklists, checklists } = overview.progress
      return `${formatCount(completeChecklists)} of ${countOf(checklists, 'checklist')} complete`
    }
    case 'not-uploaded':
      return `${countOf(missing.notUploaded, 'photo')} not uploaded yet`
    case 'report-pending':
      return `${countOf(missing.reportsPending, 'report')} not ready yet`
    default: {
      const { open } = overview.progress
      const sum = (rows: typeof open) => rows.reduce((total, { checklists }) => total + checklists, 0)
      if (filter === 'gone') return `${countOf(sum(open.filter(({ gone }) => gone)), 'checklist')} ${goneText}`
      const [status, found] = Object.entries(openStatuses).find(([, one]) => one?.filter === filter) ?? []
      if (found === undefined) return null
      return `${countOf(sum(open.filter((row) => row.status === status && !row.gone)), 'checklist')} ${found.text}`
    }
  }
}
