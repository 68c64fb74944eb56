import { countOf, countOfTotal, formatCount, photosAndReports } from '../../../shared/format.ts'
import type { ArchiveCounts, ArchiveProgress, ProjectQuery } from '../../../shared/views.ts'
import { peopleCounts } from '../../labels/checklist-labels.ts'

/** Returns the completeness of the archive in words, for its counts and those of its checklists (`progress`). */
export function completenessTexts(counts: ArchiveCounts, progress: ArchiveProgress) {
  const { archived, expected } = peopleCounts(progress)
  const { checklists, completeChecklists, checklistsNotChecked, checklistsNeverRead, previews } = progress
  const isTotalKnown = counts.unreadProjects === 0 && checklistsNeverRead === 0
  const open = checklists - completeChecklists
  const isEveryFileArchived = archived >= expected && previews.archived >= previews.expected
  const isEverythingArchived =
    isTotalKnown && checklistsNotChecked === 0 && isEveryFileArchived && !hasFilesToDownload(counts)
  const projectsRead = countOfTotal(counts.projects - counts.unreadProjects, counts.projects, 'project')
  return {
    headline: isTotalKnown
      ? `${formatCount(archived)} of ${photosAndReports(expected)} archived`
      : `${photosAndReports(archived)} archived so far`,
    /** False as long as nobody knows how many photos there are: a bar would show a share of what is known by chance. */
    isTotalKnown,
    isComplete: isTotalKnown && open === 0,
    /** Reads that the final numbers wait for, each with the filter that lists its projects. */
    unknown: [
      ...(counts.unreadProjects > 0 ? [{ text: `${projectsRead} read`, filter: 'unread' as const }] : []),
      ...(checklistsNotChecked > 0
        ? [{ text: `${countOf(checklistsNotChecked, 'checklist')} not checked yet`, filter: 'not-checked' as const }]
        : []),
    ] satisfies { text: string; filter: ProjectQuery['filter'] }[],
    /** Introduces the incomplete checklists; `null` without one. */
    why:
      open === 0
        ? null
        : isEverythingArchived
          ? `Everything that the service has is archived. ${countOf(open, 'checklist')} more to be completed:`
          : `${countOf(open, 'checklist')} not complete yet:`,
  }
}

/** An archived file that was replaced at the service counts as archived while the new one is downloaded. */
function hasFilesToDownload(counts: ArchiveCounts): boolean {
  const { filesWaiting, filesFailed, previewsFailed, filesRetrying, previewsRetrying } = counts
  return filesWaiting + filesFailed + previewsFailed + filesRetrying + previewsRetrying > 0
}
