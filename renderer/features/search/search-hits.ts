import type { RouteLocationRaw } from 'vue-router'
import { formatCount } from '../../../shared/format.ts'
import type { SearchHit } from '../../../shared/search.ts'
import type { SearchKind } from '../../../shared/search-kinds.ts'
import { checklistStatus, orderStatus } from '../../../shared/status-text.ts'
import { checklistLocation } from '../../ui/checklist-link.ts'
import type { SearchAnswer } from './use-search.ts'

export const kindLabels: Readonly<Record<SearchKind, { readonly one: string; readonly many: string }>> = {
  project: { one: 'Project', many: 'Projects' },
  order: { one: 'Order', many: 'Orders' },
  checklist: { one: 'Checklist', many: 'Checklists' },
  question: { one: 'Question', many: 'Questions' },
  answer: { one: 'Answer', many: 'Answers' },
  photo: { one: 'Photo', many: 'Photos' },
  report: { one: 'Report', many: 'Reports' },
}

export const kindIcons: Readonly<Record<SearchKind, string>> = {
  project: 'i-lucide-house',
  order: 'i-lucide-drafting-compass',
  checklist: 'i-lucide-clipboard-list',
  question: 'i-lucide-circle-question-mark',
  answer: 'i-lucide-message-square-text',
  photo: 'i-lucide-image',
  report: 'i-lucide-file-text',
}

/** Returns where a hit leads: to the very page of a report, photo, or question. */
export function hitLocation(hit: SearchHit): RouteLocationRaw {
  const { kind, projectId, checklistId, assetId, page, section, question } = hit
  if (kind === 'order' && hit.orderId !== null) {
    return { name: hit.status === 'draft' ? 'edit-order' : 'order', params: { orderId: hit.orderId } }
  }
  if (kind === 'project' || checklistId === null) return { name: 'project', params: { projectId } }
  const to = (target: Parameters<typeof checklistLocation>[2]) => checklistLocation(projectId, checklistId, target)
  if (kind === 'report' && page !== null) return to({ kind: 'page', page, words: markedWords(hit) })
  if (kind === 'photo' && assetId !== null) {
    return to({ kind: 'photo', assetId, words: hit.textSource === null ? [] : markedWords(hit) })
  }
  return to(question === null ? null : { kind: 'question', section: section ?? '', question })
}

/** Returns the different texts that matched, as they are written there. */
function markedWords({ snippet, marks }: SearchHit): string[] {
  return [...new Set(marks.map(([start, end]) => snippet.slice(start, end)))]
}

/** Returns what a hit is: "Photo IMG_0100.jpg", "Report, page 3". */
export function hitTitle({ kind, page, fileName, orderId, textSource, snippet }: SearchHit): string {
  if (kind === 'report' && page !== null) return `Report, page ${formatCount(page)}`
  if (kind === 'order' && orderId !== null) return `Order ${orderId}`
  if (kind !== 'photo' || fileName === null || snippet.includes(fileName)) return kindLabels[kind].one
  return `${textSource === null ? 'Photo' : 'Text on photo'} ${fileName}`
}

/** Returns where a hit is: project, checklist, section, and question, without those in the line above. */
export function hitTrail({ kind, projectName, checklistTitle, section, question, snippet }: SearchHit): string[] {
  if (kind === 'project') return []
  const above = kind === 'report' || kind === 'answer' || startsAlike(question ?? '', snippet)
  const trail = [projectName, kind === 'checklist' ? null : checklistTitle, section, above ? null : question]
  return trail.filter((part) => part !== null && part !== '') as string[]
}

/** Returns true if a snippet is a label, or its beginning. */
function startsAlike(label: string, snippet: string): boolean {
  return label.replaceAll(/\s+/g, ' ').trim().startsWith(snippet.replace(/…$/, ''))
}

/** Returns the status of a checklist or order. */
export function hitStatus({ kind, status }: SearchHit): string | null {
  if (status === null) return null
  if (kind === 'order') return orderStatus(status)
  return kind === 'checklist' ? checklistStatus(status) : null
}

/** Returns "12 results", "1,000+ results". */
export function countSentence({ total, isCapped }: SearchAnswer): string {
  if (total === 0 && !isCapped) return 'No results'
  return `${formatCount(total)}${isCapped ? '+' : ''} ${total === 1 && !isCapped ? 'result' : 'results'}`
}
