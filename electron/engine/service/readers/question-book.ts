import type { RemoteQuestion, RemoteSection } from '../service-types.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

/** Maximum number of questions: far more than a person answers on a roof. */
const MAX_QUESTIONS = 20_000

/** Label of the section for questions outside any section. */
const NO_SECTION = 'General'

interface Draft {
  label: string
  path: readonly string[]
  mediaCategoryId: string | null
  clientRefIds: readonly string[] | null
}

/** A labeled object and the questions found in it. */
export interface Owner {
  readonly label: string
  readonly path: readonly string[]
  readonly drafts: Draft[]
}

/** Collects the questions of a checklist in order and groups them into sections. */
export class QuestionBook {
  readonly #drafts: Draft[] = []

  get size(): number {
    return this.#drafts.length
  }

  /**
   * Adds a question. With several media categories it becomes one question for each; it is then unknown which files
   * belong to which.
   */
  add(owner: Owner, categoryIds: readonly string[], refs: readonly string[] | null): void {
    const [first = null] = categoryIds
    this.#push(owner, first, categoryIds.length > 1 ? null : refs)
    for (const id of categoryIds.slice(1)) this.#push(owner, id, null)
  }

  /** Adds the media of an unlabeled part of a labeled object: completes its question if possible. */
  addPart(owner: Owner, categoryIds: readonly string[], refs: readonly string[] | null): void {
    const [id = null] = categoryIds
    const open = owner.drafts.find(
      (draft) =>
        (id === null || draft.mediaCategoryId === null || draft.mediaCategoryId === id) &&
        (refs === null || draft.clientRefIds === null || draft.clientRefIds.length === 0),
    )
    if (open === undefined || categoryIds.length > 1) {
      this.add(owner, categoryIds, refs)
      return
    }
    open.mediaCategoryId ??= id
    open.clientRefIds = refs ?? open.clientRefIds
  }

  /** Moves a question, and those of its section that were added after the first `count`, into a new section. */
  moveInto(owner: Owner, count: number, section: string): void {
    const path = [...owner.path, section]
    const followUps = this.#drafts.slice(count).filter((draft) => draft.path === owner.path)
    for (const draft of [...owner.drafts, ...followUps]) draft.path = path
  }

  sections(): readonly RemoteSection[] {
    const sections = new Map<string, { path: readonly string[]; questions: RemoteQuestion[] }>()
    for (const { path, label, mediaCategoryId, clientRefIds } of this.#distinct()) {
      const key = JSON.stringify(path)
      const section = sections.get(key) ?? { path, questions: [] }
      sections.set(key, section)
      section.questions.push({ label, mediaCategoryId, clientRefIds })
    }
    const paths = [...sections.values()].map(({ path }) => path)
    return [...sections.values()].map(({ path, questions }) => ({ label: sectionLabel(path, paths), questions }))
  }

  /**
   * Returns each question once: the same form may appear under two names and at two depths. A question with less
   * information than another with the same name and media category is dropped.
   */
  #distinct(): readonly Draft[] {
    const distinct = new Map<string, Draft>()
    for (const draft of this.#drafts) {
      const { path, label, mediaCategoryId, clientRefIds } = draft
      const place = mediaCategoryId === null && clientRefIds === null ? path : path.at(-1)
      const exact = JSON.stringify([place, label, mediaCategoryId, clientRefIds])
      const key = mediaCategoryId === null ? exact : JSON.stringify([place, label, mediaCategoryId])
      const known = distinct.get(key)
      if (known === undefined) distinct.set(key, { ...draft })
      else if (known.clientRefIds === null) known.clientRefIds = clientRefIds
      else if (clientRefIds !== null && clientRefIds.join('\n') !== known.clientRefIds.join('\n')) {
        distinct.set(exact, { ...draft })
      }
    }
    return [...distinct.values()]
  }

  #push(owner: Owner, mediaCategoryId: string | null, clientRefIds: readonly string[] | null): void {
    if (this.#drafts.length >= MAX_QUESTIONS) {
      throw unreadableAnswer('a checklist', 'it has more questions than any form', { questions: MAX_QUESTIONS })
    }
    const draft: Draft = { label: owner.label, path: owner.path, mediaCategoryId, clientRefIds }
    owner.drafts.push(draft)
    this.#drafts.push(draft)
  }
}

/** Returns the nearest label, preceded by the outer ones if another section has the same label. */
function sectionLabel(path: readonly string[], all: readonly (readonly string[])[]): string {
  const nearest = path.at(-1)
  if (nearest === undefined) return NO_SECTION
  const isAmbiguous = all.some((other) => other !== path && other.at(-1) === nearest)
  return isAmbiguous ? path.join(' / ') : nearest
}
