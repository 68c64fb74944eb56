import { createMatcher } from '../../../shared/match-labels.ts'
import type { PacketCorrection, PacketGap, PacketSlot, PacketTemplate, SlotState } from '../../../shared/packets.ts'
import { caseKey } from '../archive/safe-name.ts'
import type { ExportPlan, PlannedChecklist, PlannedFile, PlannedProject, PlannedQuestion } from './plan-export.ts'

/** A question of a plan, and where it is. */
export interface LocatedQuestion {
  readonly project: PlannedProject
  readonly checklist: PlannedChecklist
  readonly question: PlannedQuestion
}

export interface FillingQuestion extends LocatedQuestion {
  /** A person decided that it fills the slot. */
  readonly corrected: boolean
}

export interface PacketPhoto extends LocatedQuestion {
  readonly file: PlannedFile
}

export interface FilledSlot {
  readonly slot: PacketSlot
  readonly questions: readonly FillingQuestion[]
  /** Those in the packet: at most the maximum of the slot. */
  readonly photos: readonly PacketPhoto[]
  /** Photos beyond the maximum. */
  readonly leftOut: number
  readonly gaps: readonly PacketGap[]
}

export interface FilledPacket {
  readonly slots: readonly FilledSlot[]
  /** Questions that fill no slot: those with photos, and those that a person moved out of a slot. */
  readonly others: readonly LocatedQuestion[]
}

export type Correction = Pick<PacketCorrection, 'checklistTitle' | 'section' | 'question' | 'slotId'> & {
  readonly fills: boolean
}

/** Returns the key under which a correction is remembered: for checklists of one title, whatever its letter case. */
function correctionKey({
  checklistTitle,
  section,
  question,
  slotId,
}: Pick<Correction, 'checklistTitle' | 'section' | 'question' | 'slotId'>): string {
  return JSON.stringify([titleKey(checklistTitle), section, question, slotId])
}

/** Returns what is compared of a checklist's title. */
export const titleKey = (title: string) => caseKey(title.trim())

/**
 * Fills the slots of a template with the photos of a plan: by the patterns of each slot, and before them by a person's
 * corrections. A question may fill several slots. Photos are in the order of projects, checklists, and questions.
 */
export function fillPacket(
  plan: ExportPlan,
  template: PacketTemplate,
  corrections: readonly Correction[],
): FilledPacket {
  const decided = new Map(corrections.map((correction) => [correctionKey(correction), correction.fills]))
  const all = questionsOf(plan)
  const used = new Set<LocatedQuestion>()
  const corrected = new Set<LocatedQuestion>()
  const slots = template.slots.map((slot): FilledSlot => {
    if (slot.notPartOfSurvey) return { slot, questions: [], photos: [], leftOut: 0, gaps: [] }
    const matches = createMatcher(slot.patterns)
    const questions = all.flatMap((located): FillingQuestion[] => {
      const { checklist, question } = located
      const correction = decided.get(correctionKey({ ...question, checklistTitle: checklist.title, slotId: slot.id }))
      if (correction !== undefined) corrected.add(located)
      if (!(correction ?? matches(question))) return []
      used.add(located)
      return [{ ...located, corrected: correction !== undefined }]
    })
    const photos = eachOnce(
      questions.flatMap(({ project, checklist, question }) =>
        question.photos.map((file) => ({ project, checklist, question, file })),
      ),
    )
    const gaps = gapsOfSlot(plan, slot, questions, photos.length)
    const taken = photosWithin(slot, photos, gaps)
    return { slot, questions, photos: taken, leftOut: photos.length - taken.length, gaps }
  })
  const others = all.filter(
    (located) => !used.has(located) && (located.question.photos.length > 0 || corrected.has(located)),
  )
  return { slots, others }
}

/**
 * Returns each photo of a checklist once, for the first of the questions that refer to it. Without an ID from the
 * service, different photos may have the same name and, but for its token, the same link.
 */
function eachOnce(photos: readonly PacketPhoto[]): PacketPhoto[] {
  const keyOf = ({ project, checklist, file }: PacketPhoto) =>
    JSON.stringify([project.id, checklist.id, file.remoteKey, file.sha256])
  return [...Map.groupBy(photos, keyOf).values()].flatMap(([first]) => first ?? [])
}

/**
 * Returns the state of a slot. It is filled if it has enough photos and none is missing, or if one checklist alone has
 * enough and none of its own is missing: photos that a later checklist still lacks do not matter.
 */
export function slotState({ slot, photos, gaps }: FilledSlot): SlotState {
  const { id, title, required, notPartOfSurvey, minPhotos } = slot
  const filled =
    !notPartOfSurvey &&
    ((gaps.length === 0 && photos.length >= minPhotos) || checklistsThatFill(slot, photos, gaps).size > 0)
  return { id, title, required, notPartOfSurvey, filled, photos: photos.length, gaps: [...gaps] }
}

/** Returns the IDs of the checklists that fill a slot by themselves: with enough photos, none of their own missing. */
function checklistsThatFill(
  { minPhotos }: PacketSlot,
  photos: readonly PacketPhoto[],
  gaps: readonly PacketGap[],
): ReadonlySet<string> {
  const withGaps = new Set(gaps.map(({ checklistId }) => checklistId))
  if (withGaps.has(null)) return new Set()
  const ofChecklists = Map.groupBy(photos, ({ checklist }) => checklist.id)
  return new Set([...ofChecklists].flatMap(([id, own]) => (own.length >= minPhotos && !withGaps.has(id) ? [id] : [])))
}

/** Returns at most the maximum of a slot, of checklists that fill it by themselves before others, in their order. */
function photosWithin(slot: PacketSlot, photos: readonly PacketPhoto[], gaps: readonly PacketGap[]): PacketPhoto[] {
  const filling = checklistsThatFill(slot, photos, gaps)
  const byPreference = photos.toSorted(
    (one, other) => Number(filling.has(other.checklist.id)) - Number(filling.has(one.checklist.id)),
  )
  const taken = new Set(byPreference.slice(0, slot.maxPhotos ?? photos.length))
  return photos.filter((photo) => taken.has(photo))
}

/** Returns whether every slot that has to be filled is. */
export function isPacketComplete(slots: readonly SlotState[]): boolean {
  return slots.every(({ required, filled }) => !required || filled)
}

/** Returns what a packet has of a plan: the questions of its slots, with their photos in the packet. */
export function planOfPacket(plan: ExportPlan, slots: readonly FilledSlot[]): ExportPlan {
  const questions = new Set(slots.flatMap((slot) => slot.questions.map(({ question }) => question)))
  const photos = new Set(slots.flatMap((slot) => slot.photos.map(({ file }) => file.assetId)))
  const projects = plan.projects.map((project) => ({
    ...project,
    checklists: project.checklists.flatMap((checklist) => {
      const chosen = checklist.questions
        .filter((question) => questions.has(question))
        .map((question) => ({ ...question, photos: question.photos.filter(({ assetId }) => photos.has(assetId)) }))
      return chosen.length === 0 ? [] : [{ ...checklist, questions: chosen }]
    }),
  }))
  return { ...plan, projects }
}

/** Returns a gap of a question. */
function gapOf(
  { checklist, question }: LocatedQuestion,
  counts: Pick<PacketGap, 'expected' | 'archived' | 'reason'>,
): PacketGap {
  return {
    checklistId: checklist.id,
    checklistTitle: checklist.title,
    section: question.section,
    question: question.question,
    ...counts,
  }
}

/** Returns the name of a packet in a folder that exists. */
export function packetTitle(
  { projects }: { readonly projects: readonly { readonly name: string }[] },
  { title }: PacketTemplate,
): string {
  return [...projects.map(({ name }) => name).slice(0, 1), title].join(' - ')
}

function questionsOf({ projects }: ExportPlan): LocatedQuestion[] {
  return projects.flatMap((project) =>
    project.checklists.flatMap((checklist) =>
      checklist.questions.map((question) => ({ project, checklist, question })),
    ),
  )
}

function gapsOfSlot(
  plan: ExportPlan,
  slot: PacketSlot,
  questions: readonly FillingQuestion[],
  photos: number,
): PacketGap[] {
  const gaps = questions.flatMap((located) =>
    located.question.gaps
      .filter(({ kind }) => kind === 'photos')
      .map(({ expected, archived, reason }) => gapOf(located, { expected, archived, reason })),
  )
  const checklists =
    questions.length > 0
      ? new Set(questions.map(({ checklist }) => checklist))
      : plan.projects.flatMap((project) => project.checklists)
  for (const checklist of checklists) {
    for (const { kind, expected, archived, reason } of checklist.gaps) {
      if (kind !== 'checklist') continue
      const names = { checklistId: checklist.id, checklistTitle: checklist.title, section: null, question: null }
      gaps.push({ ...names, expected, archived, reason })
    }
  }
  const ofSlot = { checklistId: null, checklistTitle: null, section: null, question: null }
  const counts = { expected: slot.minPhotos, archived: photos }
  if (plan.projects.some((project) => !project.isSynced)) gaps.push({ ...ofSlot, ...counts, reason: 'not synced yet' })
  if (photos >= slot.minPhotos) return gaps
  if (questions.length === 0) gaps.push({ ...ofSlot, ...counts, reason: 'no question' })
  else if (gaps.length === 0) gaps.push({ ...ofSlot, ...counts, reason: photos === 0 ? 'no photos' : 'too few photos' })
  return gaps
}
