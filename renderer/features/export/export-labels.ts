import {
  defaultNames,
  type ExportFormat,
  type ExportPart,
  type NamingField,
  namingFields,
} from '../../../shared/export-parts.ts'
import type { ExportGap, ExportPreview, ExportProgress } from '../../../shared/export.ts'
import { countOf, countOfTotal, formatBytes, formatCount, formatEstimate } from '../../../shared/format.ts'
import { gapSentence } from '../../../shared/status-text.ts'

export const formatLabels: Readonly<Record<ExportFormat, { readonly label: string; readonly text: string }>> = {
  folder: {
    label: 'Folder',
    text: 'Files that open right away, for a USB drive or a shared folder.',
  },
  zip: { label: 'Zip file', text: 'One file to send or to upload.' },
  bagit: {
    label: 'BagIt bag',
    text: 'A folder with checksums that agencies and archives can check.',
  },
}

export const partLabels: Readonly<Record<ExportPart, { readonly label: string; readonly text: string }>> = {
  reports: { label: 'Reports', text: 'PDF' },
  photos: { label: 'Photos', text: 'unchanged originals' },
  thumbnails: { label: 'Thumbnails', text: 'small photos' },
  tables: { label: 'Tables', text: 'answers and files, for Excel' },
  geo: { label: 'Locations', text: 'KML, GPX, and GeoJSON' },
  xmp: { label: 'Sidecars', text: 'XMP, for photo software' },
  'contact-sheet': { label: 'Contact sheet', text: 'PDF of the photos by question' },
  certificate: { label: 'Certificate', text: 'PDF of what is complete' },
}

/** Naming templates of what is handed over. */
export interface NamesScheme {
  readonly fields: readonly NamingField[]
  /** The default. */
  readonly standard: string
  /** To start from. */
  readonly presets: readonly { readonly label: string; readonly names: string }[]
}

const namePresets: NamesScheme['presets'] = [
  { label: 'Folders as in the archive', names: defaultNames },
  { label: 'One folder per checklist, numbered', names: '{project}/{checklist}/{sequence:3} {question}' },
  { label: 'One folder per project, numbered', names: '{project}/{checklist} {sequence:3} {question}' },
  { label: 'By day, in the order taken', names: '{project}/{date}/{time} {question}' },
]

export const exportNames: NamesScheme = { fields: namingFields, standard: defaultNames, presets: namePresets }

/** Returns what an export has: "2 checklists of 1 project", "213 files", "512 MB". */
export function previewFacts({ projects, checklists, files, sizeBytes }: ExportPreview): string[] {
  return [
    `${countOf(checklists, 'checklist')} of ${countOf(projects, 'project')}`,
    countOf(files, 'file'),
    formatBytes(sizeBytes),
  ]
}

/** Returns how many lines of an export are not complete. */
export function gapsSentence(gaps: number): string {
  const what = gaps === 1 ? '1 question or report has' : `${formatCount(gaps)} questions or reports have`
  return `${what} files that are not archived. The export lists them.`
}

/** Returns "120 of 213 files, 40 MB of 512 MB", or "40 of 120 photos" of the contact sheet. */
export function progressCount({ phase, filesDone, filesTotal, bytesDone, bytesTotal }: ExportProgress): string {
  if (phase === 'contact-sheet') return countOfTotal(filesDone, filesTotal, 'photo')
  return `${countOfTotal(filesDone, filesTotal, 'file')}, ${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`
}

/** Returns what of the current phase is done: bytes, because a video takes longer than a thumbnail, or photos. */
export function progressShare(progress: ExportProgress): { readonly done: number; readonly total: number } {
  const { phase, filesDone, filesTotal, bytesDone, bytesTotal } = progress
  return phase === 'contact-sheet' ? { done: filesDone, total: filesTotal } : { done: bytesDone, total: bytesTotal }
}

/** Returns "about 2 min left", or what happens while nothing can be estimated. */
export function progressTime(progress: ExportProgress | null): string {
  if (progress === null) return 'Preparing'
  if (progress.phase === 'finishing') return 'Writing everything to the disk'
  const doing = progress.phase === 'contact-sheet' ? 'Making the contact sheet' : 'Copying'
  return progress.leftMs === null ? doing : `${formatEstimate(progress.leftMs)} left`
}

/** Returns the place of a gap: "Delgado residence, Site survey, Meter". */
export function gapTrail({ projectName, checklistTitle, question }: ExportGap): string {
  return [projectName, checklistTitle ?? '', question].filter((part) => part !== '').join(' › ')
}

/** Returns "2 of 5 archived. Not uploaded from the phone yet." */
export function gapReason({ expected, archived, reason }: ExportGap): string {
  const count = expected > 0 ? `${formatCount(archived)} of ${formatCount(expected)} archived. ` : ''
  return `${count}${gapSentence(reason, Math.max(1, expected - archived))}`
}

/** Returns the heading of an error that ended an export. */
export function failureTitle({ code }: { readonly code: string }): string {
  if (code === 'cancelled') return 'Export stopped'
  return code === 'disk-full' ? 'Not enough free space' : 'The export failed'
}
