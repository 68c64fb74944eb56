import type { ArchiveProgress } from '../../../shared/views.ts'
import { formatCount } from '../../labels/format-numbers.ts'
import { checklistStatus, type Tone } from '../../labels/status-labels.ts'

/** What some of the checklists wait for that are not complete. */
export interface OpenLine {
  readonly text: string
  readonly icon: string
  readonly tone: Tone
}

type Open = ArchiveProgress['open'][number]

/** What the checklists that are not complete wait for, those of the field first. */
export function openLines(open: readonly Open[]): OpenLine[] {
  const order = ['draft', 'formSubmitted', 'awaitingMedia', 'pdfProcessing', 'completed']
  const rank = ({ status, gone }: Open) => (gone ? order.length + 1 : (order.indexOf(status) + 1 || order.length) - 1)
  return [...open].sort((one, other) => rank(one) - rank(other)).map(lineOf)
}

function lineOf({ status, gone, checklists }: Open): OpenLine {
  const count = formatCount(checklists)
  const line = (text: string, icon: string, tone: Tone = 'neutral') => ({ text: `${count} ${text}`, icon, tone })
  if (gone) return line('no longer at the service; what is archived stays', 'i-lucide-archive')
  switch (status) {
    case 'draft':
      return line('still being filled in', 'i-lucide-pencil-line')
    case 'formSubmitted':
      return line('submitted, not completed at the service yet', 'i-lucide-send')
    case 'awaitingMedia':
      return line('waiting for photos from the field', 'i-lucide-clock-3')
    case 'pdfProcessing':
      return line('waiting for the report', 'i-lucide-file-clock')
    case 'pdfProcessingFailed':
      return line('whose report the service could not make', 'i-lucide-file-x', 'warning')
    case 'completed':
      return line('completed at the service, not archived whole yet', 'i-lucide-circle-dashed', 'warning')
    default:
      return line(`with the status ${checklistStatus(status)}`, 'i-lucide-clock-3')
  }
}
