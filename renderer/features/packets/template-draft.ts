import { isPattern } from '../../../shared/match-labels.ts'
import type { PacketSlot, PacketTemplate } from '../../../shared/packets.ts'
import { templateLimits } from '../../../shared/packet-names.ts'

/** A slot as it is typed. */
export interface SlotDraft {
  /** Distinguishes slots that have no ID yet. */
  readonly key: number
  /** `null` for a new slot: its ID is made of its title. */
  readonly id: string | null
  title: string
  instructions: string
  minPhotos: string
  /** Empty: as many as there are. */
  maxPhotos: string
  required: boolean
  notPartOfSurvey: boolean
  /** One a line. */
  patterns: string
}

export interface TemplateDraft {
  title: string
  slots: SlotDraft[]
}

type SlotField = 'title' | 'instructions' | 'minPhotos' | 'maxPhotos' | 'patterns'

let lastKey = 0

/** Returns a slot without anything in it. */
export function emptySlot(): SlotDraft {
  lastKey += 1
  return {
    key: lastKey,
    id: null,
    title: '',
    instructions: '',
    minPhotos: '1',
    maxPhotos: '',
    required: true,
    notPartOfSurvey: false,
    patterns: '',
  }
}

/** Returns a template to be edited. */
export function toDraft({ title, slots }: PacketTemplate): TemplateDraft {
  return {
    title,
    slots: slots.map((slot) => ({
      ...emptySlot(),
      ...slot,
      minPhotos: String(slot.minPhotos),
      maxPhotos: slot.maxPhotos === null ? '' : String(slot.maxPhotos),
      patterns: slot.patterns.join('\n'),
    })),
  }
}

const patternsOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Returns what has to be corrected in a slot. */
export function slotProblems(slot: SlotDraft): Partial<Record<SlotField, string>> {
  const { title, instructions, patterns, photos } = templateLimits
  const problems: Partial<Record<SlotField, string>> = {}
  if (slot.title.trim() === '') problems.title = 'Enter a title.'
  else if (slot.title.trim().length > title) problems.title = `Enter at most ${title} characters.`
  if (slot.instructions.trim().length > instructions) {
    problems.instructions = `Enter at most ${instructions} characters.`
  }
  if (slot.notPartOfSurvey) return problems
  const [min, max] = [photoCount(slot.minPhotos), photoCount(slot.maxPhotos)]
  const range = `Enter a number from 1 to ${photos}`
  if (min === null) problems.minPhotos = `${range}.`
  if (slot.maxPhotos.trim() !== '' && max === null) problems.maxPhotos = `${range}, or nothing.`
  else if (min !== null && max !== null && max < min)
    problems.maxPhotos = 'Enter at least as many as in the field before.'
  const lines = patternsOf(slot.patterns)
  const long = lines.find((line) => line.length > templateLimits.patternLength)
  const wrong = lines.find((line) => !isPattern(line))
  if (lines.length > patterns) problems.patterns = `Enter at most ${patterns} lines.`
  else if (long !== undefined) {
    problems.patterns = `“${long.slice(0, 30)}…” is too long: enter at most ${templateLimits.patternLength} characters.`
  } else if (wrong !== undefined) {
    problems.patterns = `“${wrong}” has no word to look for: add one without “-” before it.`
  }
  return problems
}

function photoCount(text: string): number | null {
  const count = /^\d{1,4}$/.test(text.trim()) ? Number(text) : 0
  return count >= 1 && count <= templateLimits.photos ? count : null
}

/** Returns what has to be corrected in the title. */
export function titleProblem({ title }: TemplateDraft): string | null {
  if (title.trim() === '') return 'Enter a title.'
  return title.trim().length > templateLimits.title ? `Enter at most ${templateLimits.title} characters.` : null
}

/** Returns the template of a draft without problems. `id` is that of the template. */
export function toTemplate({ title, slots }: TemplateDraft, id: string): PacketTemplate {
  const taken = new Set(slots.flatMap((slot) => slot.id ?? []))
  return {
    id,
    title: title.trim(),
    slots: slots.map((slot): PacketSlot => {
      const slotId = slot.id ?? freeId(slot.title, taken)
      taken.add(slotId)
      const { notPartOfSurvey } = slot
      return {
        id: slotId,
        title: slot.title.trim(),
        instructions: slot.instructions.trim(),
        notPartOfSurvey,
        minPhotos: notPartOfSurvey ? 1 : Number(slot.minPhotos),
        maxPhotos: notPartOfSurvey || slot.maxPhotos.trim() === '' ? null : Number(slot.maxPhotos),
        required: slot.required && !notPartOfSurvey,
        patterns: notPartOfSurvey ? [] : patternsOf(slot.patterns),
      }
    }),
  }
}

/** Returns an ID that is made of a text, and is not taken: `main-panel`, `main-panel-2`. */
export function freeId(text: string, taken: ReadonlySet<string>): string {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const slug =
    plain
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 50)
      .replaceAll(/^-+|-+$/g, '') || 'slot'
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? slug : `${slug}-${number}`
    if (!taken.has(id)) return id
  }
}

/** Returns a title that no other template has, in any letter case: "Permit photos (2)". */
export function freeTitle(title: string, others: readonly Pick<PacketTemplate, 'title'>[]): string {
  const taken = new Set(others.map((other) => other.title.trim().toLowerCase()))
  const plain = title.trim()
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? '' : ` (${number})`
    const free = end === '' ? plain : `${plain.slice(0, templateLimits.title - end.length).trimEnd()}${end}`
    if (!taken.has(free.toLowerCase())) return free
  }
}

/** Returns what is wrong with an imported template that the host refused, or null if that is something else. */
export function importProblem(fileName: string, details: Readonly<Record<string, unknown>> | undefined): string | null {
  const [issue] = Array.isArray(details?.['issues']) ? (details['issues'] as unknown[]) : []
  if (typeof issue !== 'object' || issue === null) return null
  const { path, problem } = issue as { readonly path?: unknown; readonly problem?: unknown }
  if (!Array.isArray(path) || typeof problem !== 'string') return null
  // The first part is the call's own.
  const where = path.length > 1 ? ` at ${path.slice(1).map(String).join('.')}` : ''
  return `${fileName} is not a template${where}: ${problem}. Correct it, or choose another file.`
}
