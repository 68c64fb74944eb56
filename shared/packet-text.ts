import type { PacketGap, SlotState } from './packets.ts'
import { countOf, formatCount } from './format.ts'
import { gapText } from './status-text.ts'

/** Returns a gap in a few words: "1 of 2 photos not uploaded yet", "1 photo, 2 asked for". */
export function packetGapText({ expected, archived, reason }: PacketGap): string {
  switch (reason) {
    case 'not synced yet':
      return 'the project was not read from the service yet, or not to its end'
    case 'no question':
      return 'no question of the checklists fills it'
    case 'no photos':
      return 'no photos were taken for it'
    case 'too few photos':
      return `${countOf(archived, 'photo')}, ${formatCount(expected)} asked for`
    default:
      return gapText({ expected, archived, reason }, 'photo')
  }
}

/** Returns the names of the checklist and question of a gap to show; `null` if it is of none. */
export function gapNames({ checklistTitle, question }: Pick<PacketGap, 'checklistTitle' | 'question'>) {
  return {
    checklist: checklistTitle === '' ? 'Untitled checklist' : checklistTitle,
    question: question === '' ? 'Untitled question' : question,
  }
}

/** Returns whether a slot is filled, but photos of its questions are missing or changed on the disk. */
export function hasDamage({ filled, gaps }: Pick<SlotState, 'filled' | 'gaps'>): boolean {
  return filled && gaps.some(({ reason }) => reason === 'damaged')
}

/** Returns the state of a slot in a word or two. */
export function slotStateText({ notPartOfSurvey, filled, required, gaps }: SlotState): string {
  if (notPartOfSurvey) return 'Not part of a site survey'
  if (filled) return hasDamage({ filled, gaps }) ? 'Filled, with damage' : 'Filled'
  const isEmpty = gaps.every(({ reason }) => reason === 'no question' || reason === 'no photos')
  return !required && isEmpty ? 'Optional, not filled' : 'Not filled'
}
