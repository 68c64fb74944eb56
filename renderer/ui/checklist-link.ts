import type { LocationQuery, RouteLocationRaw } from 'vue-router'

/** Target of a link to a checklist: a page of its report, a photo, or a question. */
export type ChecklistTarget =
  | { readonly kind: 'page'; readonly page: number; readonly words: readonly string[] }
  | { readonly kind: 'photo'; readonly assetId: number; readonly words: readonly string[] }
  | { readonly kind: 'question'; readonly section: string; readonly question: string }

/** Maximum number of words to highlight; more make the pages of a report slow. */
const maxWords = 16

/** Returns the route of a checklist, which opens `target`. `words` are highlighted there. */
export function checklistLocation(
  projectId: string,
  checklistId: string,
  target: ChecklistTarget | null,
): RouteLocationRaw {
  return { name: 'checklist', params: { projectId, checklistId }, query: target === null ? {} : queryOf(target) }
}

function queryOf(target: ChecklistTarget): Record<string, string | string[]> {
  if (target.kind === 'question') return { section: target.section, question: target.question }
  const find = target.words.slice(0, maxWords)
  if (target.kind === 'page') return { page: String(target.page), find }
  return { photo: String(target.assetId), find }
}

/** Returns what the query of a checklist's route opens, or `null`. */
export function checklistTarget({ page, photo, find, section, question }: LocationQuery): ChecklistTarget | null {
  const words = [find ?? []].flat().filter((word) => word !== null && word.trim() !== '') as string[]
  const highlighted = words.slice(0, maxWords)
  if (isNumber(page)) return { kind: 'page', page: Number(page), words: highlighted }
  if (isNumber(photo)) return { kind: 'photo', assetId: Number(photo), words: highlighted }
  if (typeof question !== 'string') return null
  return { kind: 'question', question, section: typeof section === 'string' ? section : '' }
}

const isNumber = (text: LocationQuery[string] | undefined): text is string =>
  typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text)
