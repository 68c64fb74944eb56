import type { RemoteQuestion, RemoteSection } from '../service-types.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

/**
 * Maximum number of questions: far more than a person answers on a roof. Recording as many, in one transaction, takes
 * up to 100 ms.
 */
const maxQuestions = 2_500

/** Maximum number of objects in a checklist; one with hundreds of questions and their choices has some thousand. */
const maxObjects = 20_000

/** Maximum length of a label. Each question and section under a label repeats it. */
const maxLabelLength = 1_000

/** Removes secrets from a text. Called before it is truncated: a truncated secret would not be recognized. */
export type Redact = (text: string) => string

/** Returns a label that the database keeps as it is: it has no half of an emoji. */
const toLabel = (text: string) => text.slice(0, maxLabelLength).toWellFormed()

/** Maximum number of unlabeled parts of one object among which a further part looks for its question. */
const maxParts = 100

/** Label of the section for questions outside any section. */
const noSection = 'General'

interface Draft {
  label: string
  path: readonly string[]
  mediaCategoryId: string | null
  clientRefIds: readonly string[] | null
  answer: string | null
  /** See `QuestionOwner`. */
  readonly offered: ReadonlySet<string | null>
  /** It is a question only with a category that is offered. */
  readonly isOffer: boolean
}

/** A labeled object and the questions found in it. */
export interface QuestionOwner {
  readonly label: string
  readonly path: readonly string[]
  readonly answer: string | null
  readonly drafts: Draft[]
  /** Media categories that it may have, in place of its own; `null` for one that cannot be asked for. */
  readonly offered: Set<string | null>
}

/** Collects the questions of a checklist in order and groups them into sections. */
export class QuestionBook {
  readonly redact: Redact
  readonly #drafts: Draft[] = []
  readonly #paths = new Map<string, number>()
  readonly #labels = new Map<string, number>()
  #objects = 0
  /** A section or question was announced but not sent. */
  isPartial = false

  constructor(redact: Redact) {
    this.redact = redact
  }

  get size(): number {
    return this.#drafts.length
  }

  /** Returns a label as it is stored. */
  label(text: string): string {
    return toLabel(this.redact(text))
  }

  /** Counts an object in which questions are searched. */
  countObject(): void {
    if (++this.#objects > maxObjects) {
      throw unreadableAnswer('a checklist', 'it has more parts than any form', { parts: maxObjects })
    }
  }

  /**
   * Adds a question. With several media categories it becomes one question for each; it is then unknown which files
   * belong to which.
   */
  add(owner: QuestionOwner, categoryIds: readonly string[], refs: readonly string[] | null): void {
    const [first = null] = categoryIds
    this.#push(owner, first, categoryIds.length > 1 ? null : refs)
    for (const id of categoryIds.slice(1)) this.#push(owner, id, null)
  }

  /** Adds a question that is one only if it is offered a category that no other question has. */
  addOffer(owner: QuestionOwner): void {
    this.#push(owner, null, null, true)
  }

  /** Adds the media of an unlabeled part of a labeled object: completes its question if possible. */
  addPart(owner: QuestionOwner, categoryIds: readonly string[], refs: readonly string[] | null): void {
    const [id = null] = categoryIds
    const open = owner.drafts
      .slice(-maxParts)
      .find(
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
  moveInto(owner: QuestionOwner, count: number, section: string): void {
    const path = [...owner.path, section]
    const followUps = this.#drafts.slice(count).filter((draft) => draft.path === owner.path)
    for (const draft of [...owner.drafts, ...followUps]) draft.path = path
  }

  sections(): readonly RemoteSection[] {
    const sections = new Map<number, { path: readonly string[]; questions: RemoteQuestion[] }>()
    for (const { path, label, mediaCategoryId, clientRefIds, answer } of this.#distinct()) {
      const key = this.#numberOf(path)
      const section = sections.get(key) ?? { path, questions: [] }
      sections.set(key, section)
      section.questions.push({ label, mediaCategoryId, clientRefIds, answer })
    }
    const counts = new Map<string | undefined, number>()
    for (const { path } of sections.values()) counts.set(path.at(-1), (counts.get(path.at(-1)) ?? 0) + 1)
    return [...sections.values()].map(({ path, questions }) => ({
      label: sectionLabel(path, (counts.get(path.at(-1)) ?? 0) > 1),
      questions,
    }))
  }

  /**
   * Returns each question once: the same form may appear under two names and at two depths. A question with less
   * information than another with the same name and media category is dropped. Without media, one with another answer
   * is another question.
   */
  #distinct(): readonly Draft[] {
    const distinct = new Map<string, Draft & { refs: string | undefined }>()
    for (const draft of this.#withOffered()) {
      const { path, label, mediaCategoryId, clientRefIds } = draft
      const refs = clientRefIds?.join('\n')
      const hasNoMedia = mediaCategoryId === null && !refs
      const sectionKey = hasNoMedia ? this.#numberOf(path) : (path.at(-1) ?? null)
      const name = JSON.stringify([sectionKey, label, mediaCategoryId])
      const exact = name + JSON.stringify(clientRefIds)
      const key = mediaCategoryId === null ? exact : name
      const known = distinct.get(key)
      if (known !== undefined) known.answer ??= draft.answer
      if (known === undefined) distinct.set(key, { ...draft, refs })
      else if (hasNoMedia && draft.answer !== null && draft.answer !== known.answer) {
        distinct.set(exact + JSON.stringify(draft.answer), { ...draft, refs })
      } else if (known.clientRefIds === null) Object.assign(known, { clientRefIds, refs })
      else if (clientRefIds !== null && refs !== known.refs) distinct.set(exact, { ...draft, refs })
    }
    return [...distinct.values()]
  }

  /** Returns the questions, those without a category with what they are offered. */
  #withOffered(): readonly Draft[] {
    const taken = new Set<string | null>(this.#drafts.map(({ mediaCategoryId }) => mediaCategoryId))
    const questions: Draft[] = []
    for (const draft of this.#drafts) {
      const { mediaCategoryId, clientRefIds: refs, offered, isOffer } = draft
      const ids = mediaCategoryId === null ? this.#chosenOf(draft, taken) : []
      if (mediaCategoryId === null && offered.has(null) && !isOffer) this.isPartial = true
      // It is unknown which of its photos are in which category.
      if (ids.length > 1 && refs !== null) this.isPartial = true
      for (const id of ids) taken.add(id)
      requireNotTooMany(questions.length + ids.length)
      const clientRefIds = ids.length > 1 ? null : refs
      if (ids.length > 0) questions.push(...ids.map((id) => ({ ...draft, mediaCategoryId: id, clientRefIds })))
      else if (!isOffer) questions.push(draft)
    }
    return questions
  }

  /**
   * Returns the offered categories that a question takes. The photos of a category are archived with the one question
   * that has it, unless others name their own of them, and have no other category.
   */
  #chosenOf({ clientRefIds, offered }: Draft, taken: ReadonlySet<string | null>): string[] {
    const ids = [...offered].filter((id) => id !== null)
    if (clientRefIds !== null && ids.length === 1) return ids
    return clientRefIds?.length === 0 ? [] : ids.filter((id) => !taken.has(id))
  }

  /**
   * Returns a number that two paths have in common if they have the same labels: paths are long, and many are equal.
   */
  #numberOf(path: readonly string[]): number {
    return numberIn(this.#paths, path.map((label) => numberIn(this.#labels, label)).join())
  }

  #push(
    owner: QuestionOwner,
    mediaCategoryId: string | null,
    clientRefIds: readonly string[] | null,
    isOffer = false,
  ): void {
    requireNotTooMany(this.#drafts.length + 1)
    const { label, path, answer, offered } = owner
    const draft: Draft = { label, path, mediaCategoryId, clientRefIds, answer, offered, isOffer }
    owner.drafts.push(draft)
    this.#drafts.push(draft)
  }
}

function requireNotTooMany(questions: number): void {
  if (questions > maxQuestions) {
    throw unreadableAnswer('a checklist', 'it has more questions than any form', { questions: maxQuestions })
  }
}

/** Returns the nearest label, preceded by the outer ones if another section has the same label. */
function sectionLabel(path: readonly string[], isAmbiguous: boolean): string {
  const nearest = path.at(-1)
  if (nearest === undefined) return noSection
  return isAmbiguous ? toLabel(path.join(' / ')) : nearest
}

function numberIn(numbers: Map<string, number>, text: string): number {
  const number = numbers.get(text) ?? numbers.size
  numbers.set(text, number)
  return number
}
