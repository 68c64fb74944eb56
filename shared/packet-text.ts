import type { GapReason } from './domain.ts'
import type { PacketGap, PacketGapReason, SlotState } from './packets.ts'
import { countOfTotal } from './format.ts'
import { gapShort } from './status-text.ts'

/** Reasons that only packets have, in a few words. */
const ownReasons: Readonly<Record<Exclude<PacketGapReason, GapReason>, string>> = {
  'not synced yet': 'the project was not read from the service yet, or not to its end',
  'no question': 'no question of the checklists fills it',
  'no photos': 'no photos were taken for it',
  'too few photos': 'fewer photos than asked for',
}

/** Returns a gap in a few words: "0 of 2 photos: not uploaded yet". */
export function packetGapText({ expected, archived, reason }: PacketGap): string {
  const isOwn = reason in ownReasons
  const text = isOwn ? ownReasons[reason as keyof typeof ownReasons] : gapShort(reason as GapReason)
  return archived < expected && reason !== 'no question'
    ? `${countOfTotal(archived, expected, 'photo')}: ${text}`
    : text
}

/** Returns the state of a slot in a word or two. */
export function slotStateText({ notPartOfSurvey, filled, required, gaps }: SlotState): string {
  if (notPartOfSurvey) return 'Not part of a site survey'
  if (filled) return 'Filled'
  const isEmpty = gaps.every(({ reason }) => reason === 'no question' || reason === 'no photos')
  return !required && isEmpty ? 'Optional, not filled' : 'Not filled'
}
