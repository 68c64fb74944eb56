import type { RemoteQuestion, RemoteSection } from '../service-types.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

/** A checklist is filled in by a person on a roof; nobody answers this many questions there. */
const MAX_QUESTIONS = 20_000

/** The section of questions that stand in none. */
const NO_SECTION = 'General'

interface Draft {
  label: string
  path: readonly string[]
  mediaCategoryId: string | null
  clientRefIds: readonly string[] | null
}

/** A labelled object and the questions that it turned out to be. */
export interface Owner {
  readonly label: string
  readonly path: readonly string[]
  readonly drafts: Draft[]
}

/** Collects the questions of a checklist in their order and puts them into sections. */
export class QuestionBook {
  readonly #drafts: Draft[] = []

  get size(): number {
    return this.#drafts.length
  }

  /**
   * Adds a question. With several media categories it becomes one question for each; which of its files belong to which
   * is not known then.
   */
  add(owner: Owner, categoryIds: readonly string[], refs: readonly string[] | null): void {
    const [first = null] = categoryIds
    this.#push(owner, first, categoryIds.length > 1 ? null : refs)
    for (const id of categoryIds.slice(1)) this.#push(owner, id, null)
  }

  /** Adds what an unlabelled part of a labelled object carries: it completes the question where it can. */
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

  /** Puts a question, and those of its section that were added after the first `count`, into a section of their own. */
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
   * Each question once: the same form may stand under two names and at two depths. One that says less of the same media
   * category than another of the same name adds nothing.
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

/** The nearest label, with those around it only where another section bears the same. */
function sectionLabel(path: readonly string[], all: readonly (readonly string[])[]): string {
  const nearest = path.at(-1)
  if (nearest === undefined) return NO_SECTION
  const isAmbiguous = all.some((other) => other !== path && other.at(-1) === nearest)
  return isAmbiguous ? path.join(' / ') : nearest
}
