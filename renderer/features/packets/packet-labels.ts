import type { PacketGap, PacketPreview, SlotQuestion, SlotState } from '../../../shared/packets.ts'
import { capitalized, formatCount } from '../../../shared/format.ts'
import { defaultPacketNames, packetNamingFields } from '../../../shared/export-parts.ts'
import { gapNames, hasDamage, packetGapText, slotStateText } from '../../../shared/packet-text.ts'
import type { StatePresentation } from '../../labels/status-labels.ts'
import type { NamesScheme } from '../export/index.ts'

/** Naming templates of the photos. */
export const packetNames: NamesScheme = {
  fields: packetNamingFields,
  standard: defaultPacketNames,
  presets: [
    { label: 'One folder per slot, numbered', names: defaultPacketNames },
    { label: 'One folder per slot, with questions', names: '{slotnumber:2} {slot}/{sequence:2} {question}' },
    { label: 'All in one folder, by slot', names: '{slotnumber:2} {slot} {sequence:2}' },
    { label: 'All in one folder, with the project', names: '{project} {slotid} {sequence:2}' },
  ],
}

/** Returns how the state of a slot is displayed. */
export function slotPresentation(slot: SlotState): StatePresentation {
  const label = slotStateText(slot)
  if (slot.notPartOfSurvey) return { label, icon: 'i-lucide-file-plus', tone: 'neutral' }
  if (hasDamage(slot)) return { label, icon: 'i-lucide-triangle-alert', tone: 'warning' }
  if (slot.filled) return { label, icon: 'i-lucide-circle-check-big', tone: 'success' }
  return { label, icon: 'i-lucide-circle-dashed', tone: slot.required ? 'warning' : 'neutral' }
}

/** Returns "All 9 required slots are filled", "7 of 9 required slots are filled". */
export function packetSentence({ slots }: Pick<PacketPreview, 'slots'>): string {
  const required = slots.filter((slot) => slot.required && !slot.notPartOfSurvey)
  const filled = required.filter((slot) => slot.filled).length
  if (required.length === 0) return 'No slot is required'
  if (filled === required.length) {
    return filled === 1 ? 'The required slot is filled' : `All ${formatCount(filled)} required slots are filled`
  }
  const slotsText = required.length === 1 ? 'required slot is filled' : 'required slots are filled'
  return `${formatCount(filled)} of ${formatCount(required.length)} ${slotsText}`
}

/** Returns the reason of a gap, after its checklist, section, and question unless it is of the slot itself. */
export function gapLine(gap: PacketGap): string {
  const { checklist, question } = gapNames(gap)
  const trail = [checklist, gap.section, question].filter((part) => part !== null && part !== '')
  const sentence = `${capitalized(packetGapText(gap))}.`
  return trail.length === 0 ? sentence : `${trail.join(' › ')}. ${sentence}`
}

/** Returns a question with its section: "Roof › Every roof plane". */
export function questionTitle({ section, question }: Pick<SlotQuestion, 'section' | 'question'>): string {
  return [section, question || 'Untitled question'].filter((part) => part !== '').join(' › ')
}

/** Key of a question of a packet among all of them. */
export function questionKey({ projectId, checklistId, section, question }: SlotQuestion): string {
  return JSON.stringify([projectId, checklistId, section, question])
}

/** Returns the IDs of the slots that a question fills. */
export function slotsOfQuestion({ slots }: PacketPreview, wanted: SlotQuestion): string[] {
  const key = questionKey(wanted)
  return slots.filter(({ questions }) => questions.some((one) => questionKey(one) === key)).map(({ id }) => id)
}
