import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { exitCodes } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { countOf, countOfTotal, percentOf } from '../../../shared/format.ts'
import { gapNames, hasDamage, packetGapText, slotStateText } from '../../../shared/packet-text.ts'
import { documentParts } from '../../../shared/export-parts.ts'
import {
  type PacketResult,
  type PacketTemplate,
  packetTemplateSchema,
  type SlotState,
} from '../../../shared/packets.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { ArchiveReader } from '../../engine/engine.ts'
import { requireText } from '../../engine/lib/decode-text.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import { readChoices } from '../flags.ts'
import type { ConsoleOutput, Outcome, Painter } from '../output/console-output.ts'
import { createLinePainter } from '../output/progress.ts'
import { readInput } from '../read-input.ts'
import type { Session } from '../session.ts'

export interface PacketFlags {
  readonly template: string
  readonly to: string
  readonly documents?: string
  readonly names?: string
}

/** `packet ID --template NAME --to PATH [--documents LIST] [--names TEMPLATE]` */
export async function packetCommand(
  { engine, output, signal, onArchiveRead }: Session<ArchiveReader>,
  id: string,
  flags: PacketFlags,
  currentFolder: string,
): Promise<Outcome> {
  if (flags.to.trim() === '') throw new AppError('wrong-usage', 'Specify a path with --to.')
  const documents = flags.documents === undefined ? [] : readChoices(flags.documents, documentParts, 'document')
  const template = await readTemplate(engine, flags.template, currentFolder)
  const painter = createLinePainter(output, systemClock)
  try {
    const result = await engine.packets.write({
      selection: { kind: 'ids', ids: [id] },
      template,
      to: resolve(currentFolder, flags.to),
      documents,
      names: flags.names,
      signal,
      onRead: onArchiveRead,
      onProgress({ stepsDone, stepsTotal }) {
        painter.show([`Writing the packet: ${percentOf(stepsDone, stepsTotal)}%`], stepsDone / Math.max(1, stepsTotal))
      },
    })
    return {
      exitCode: result.complete ? exitCodes.done : exitCodes.incomplete,
      document: result,
      answer: describeResult(result, template, output),
    }
  } finally {
    painter.end()
  }
}

/** More than any template needs. */
const maxTemplateBytes = 1_000_000

/** Returns the template with this ID or title, or that of a JSON file. */
async function readTemplate(engine: ArchiveReader, name: string, currentFolder: string): Promise<PacketTemplate> {
  if (!/\.json$/i.test(name)) return engine.packets.template(name)
  const path = resolve(currentFolder, name)
  const what = `The template ${plainText(path)}`
  const bytes = await readInput(createReadStream(path), {
    what,
    maxBytes: maxTemplateBytes,
    tooLarge: `${plainText(path)} is too large for a template.`,
  })
  const read = packetTemplateSchema.safeParse(parseJson(path, requireText(bytes, what)))
  if (read.success) return read.data
  const [issue] = read.error.issues
  const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.map(String).join('.')}`
  throw new AppError(
    'wrong-usage',
    `${plainText(path)} is not a template${where}: ${issue?.message ?? 'not readable'}.`,
  )
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('wrong-usage', `${plainText(path)} is not a template: it is not valid JSON.`, { cause: error })
  }
}

/** Returns the result as lines; with `--quiet` only what is not well. */
function describeResult(
  { path, slots, complete }: PacketResult,
  { title }: PacketTemplate,
  { paint, isQuiet }: Pick<ConsoleOutput, 'paint' | 'isQuiet'>,
): string[] {
  const required = slots.filter((slot) => slot.required)
  const filled = required.filter((slot) => slot.filled).length
  const damaged = slots.filter((slot) => hasDamage(slot)).length
  if (isQuiet && complete && damaged === 0) return []
  const damage = damaged === 0 ? '' : `, ${countOf(damaged, 'slot')} with damage`
  const verdict = complete ? paint.good('Complete') : paint.bad('Not complete')
  const isListed = (slot: SlotState) => !isQuiet || (slot.required && !slot.filled) || hasDamage(slot)
  return [
    paint.title(plainText(title)),
    ...slots.flatMap((slot, index) => (isListed(slot) ? describeSlot(slot, index + 1, paint) : [])),
    `${verdict}: ${countOfTotal(filled, required.length, 'required slot')} filled${damage}.`,
    ...(isQuiet ? [] : [`Packet: ${plainText(path)}`]),
  ]
}

/** Gaps of a slot that are listed. */
const listedGaps = 3

function describeSlot(slot: SlotState, number: number, paint: Painter): string[] {
  const { title, notPartOfSurvey, photos, filled, required, gaps } = slot
  const state = slotStateText(slot)
  const painted = filled
    ? hasDamage(slot)
      ? paint.waiting(state)
      : paint.good(state)
    : required
      ? paint.bad(state)
      : paint.faint(state)
  const count = notPartOfSurvey ? '' : `, ${countOf(photos, 'photo')}`
  const reasons = gaps.slice(0, listedGaps).map((gap) => {
    const { checklist, question } = gapNames(gap)
    const where = question ?? checklist
    return `      ${where === null ? '' : `${plainText(where)}: `}${packetGapText(gap)}`
  })
  const more = gaps.length - reasons.length
  return [
    `${String(number).padStart(3)}  ${plainText(title)}: ${painted}${count}`,
    ...reasons,
    ...(more > 0 ? [`      and ${countOf(more, 'more gap')}; --json lists all`] : []),
  ]
}
