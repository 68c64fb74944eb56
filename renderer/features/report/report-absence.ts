import type { ChecklistDetail } from '../../../shared/views.ts'
import { absenceSentence } from '../../labels/checklist-labels.ts'

/** Returns why a checklist's report is not archived, and what happens next; `null` if it is. */
export function reportAbsence(report: ChecklistDetail['report'], status: string) {
  if (report?.archived === true) return null
  if (report?.absence != null) {
    return {
      icon: 'i-lucide-shield-alert',
      title: 'The report is missing or was changed',
      text: absenceSentence(report.absence),
    }
  }
  if (report !== null) {
    return {
      icon: 'i-lucide-arrow-down-to-line',
      title: 'The report is waiting to be downloaded',
      text: 'It opens here as soon as it is in the archive.',
    }
  }
  switch (status) {
    case 'pdfProcessingFailed':
      return {
        icon: 'i-lucide-file-x',
        title: 'The service could not create the report',
        text: 'Photos are often missing or damaged there. If it is created later, it is archived automatically.',
      }
    case 'pdfProcessing':
      return {
        icon: 'i-lucide-file-clock',
        title: 'The service is creating the report',
        text: 'It is archived automatically when it is ready.',
      }
    case 'completed':
      return {
        icon: 'i-lucide-file-clock',
        title: 'No report yet',
        text: 'The checklist is completed, but the service has no report for it yet. Solarchive keeps checking.',
      }
    default:
      return {
        icon: 'i-lucide-file-text',
        title: 'No report yet',
        text: 'The service creates the PDF report when the checklist is completed with all of its photos.',
      }
  }
}
