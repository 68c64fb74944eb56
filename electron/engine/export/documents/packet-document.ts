import { pMapIterable } from 'p-map'
import { capitalized, countOf, formatCount } from '../../../../shared/format.ts'
import { gapNames, hasDamage, packetGapText, slotStateText } from '../../../../shared/packet-text.ts'
import type { PacketGap, PacketTemplate, SlotState } from '../../../../shared/packets.ts'
import type { FilledSlot, PacketPhoto, LocatedQuestion } from '../fill-packet.ts'
import type { PlannedProject } from '../plan-export.ts'
import { maxDocumentBytes } from '../../../../shared/export-parts.ts'
import type { ExportDeps } from '../exports.ts'
import { positionCaption, shownDigits, timeCaption, zonedCaption } from './captions.ts'
import { type PrintedPhoto, readPhoto, SizeBudget } from './document-photos.ts'
import { area, areaWidth, ink, PdfWriter } from './pdf-document.ts'
import type { PictureMaker } from './picture-maker.ts'

/** A slot, and its state after its photos were read. */
export interface DocumentSlot extends FilledSlot {
  readonly state: SlotState
  /** With the names that they have in the folder. */
  readonly photos: readonly (PacketPhoto & { readonly writtenAs: string })[]
}

export interface PacketDocumentRequest {
  readonly template: PacketTemplate
  readonly at: string
  readonly projects: readonly PlannedProject[]
  readonly slots: readonly DocumentSlot[]
  readonly complete: boolean
  /** Absolute path of the file to create. */
  readonly path: string
  readonly signal: AbortSignal
  readonly pictures: PictureMaker
  readonly onPhoto?: () => void
}

const gutter = 14
/** Sizes of pictures: two in a row, or one that is alone in its slot. */
const pairBox = { width: (areaWidth - gutter) / 2, height: 188 }
const aloneBox = { width: 400, height: 300 }
const caption = { size: 7.2, maxLines: 1, isTabular: true }
const captionHeight = caption.size * 1.36
const readAhead = 2

/**
 * Writes the document of a packet: what the template asks for, what fills it, and the photos, slot by slot. Rejects
 * with the reason of the signal, and with errors of the disk; the file is not a valid document then.
 */
export async function writePacketDocument(deps: ExportDeps, request: PacketDocumentRequest): Promise<void> {
  const { template, at, path, slots, signal, pictures, onPhoto } = request
  const subject = request.projects.map(({ name }) => name).join(', ')
  const writer = new PdfWriter(path, { title: `${template.title} - ${subject}`, createdAt: at })
  const photos = slots.reduce((sum, slot) => sum + slot.photos.length, 0)
  const budget = new SizeBudget(maxDocumentBytes, photos)
  // Those that were lost when they were copied are not among the photos.
  const lost = new Set<number>()
  try {
    printCover(writer, request)
    for (const [index, slot] of slots.entries()) {
      const isAlone = slot.photos.length === 1
      const box = isAlone ? aloneBox : pairBox
      const labels = labelsOf(slot.photos)
      const isNamed = labels.size > 1
      const rowHeight = box.height + 5 + (isNamed ? 3 : 2) * captionHeight + 14
      printSlotHead(writer, slot, { number: index + 1, rowHeight, labels: [...labels.values()] })
      const source = { ...deps, pictures, budget, lost, box: { ...box, dpi: 170, thumbnailDpi: 140 } }
      const read = pMapIterable(slot.photos, async (photo) => [photo, await readPhoto(source, photo.file)] as const, {
        concurrency: readAhead,
        backpressure: readAhead,
      })
      let column = 0
      for await (const [located, photo] of read) {
        signal.throwIfAborted()
        if (column === 0) writer.makeRoomIn(`${index + 1}. ${slot.slot.title}`, rowHeight)
        const label = isNamed ? labels.get(keyOf(located)) : undefined
        printPhoto(writer, photo, {
          label,
          name: located.writtenAs,
          x: area.left + column * (pairBox.width + gutter),
          box,
        })
        column = isAlone ? 0 : (column + 1) % 2
        if (column === 0) writer.y += rowHeight
        onPhoto?.()
      }
      if (column > 0) writer.y += rowHeight
      writer.y += 12
    }
    await writer.finish()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

const keyOf = ({ checklist, question }: LocatedQuestion) =>
  JSON.stringify([checklist.id, question.section, question.question])

/** Returns the labels of the questions that photos are of: as short as distinguishes them. */
function labelsOf(photos: readonly PacketPhoto[]): Map<string, string> {
  const questions = new Map(photos.map((photo) => [keyOf(photo), photo]))
  const levels = [
    ({ question }: LocatedQuestion) => [question.question],
    ({ question }: LocatedQuestion) => [question.section, question.question],
    ({ checklist, question }: LocatedQuestion) => [checklist.title, question.section, question.question],
  ].map((partsOf) => (located: LocatedQuestion) => partsOf(located).filter(Boolean).join(' › ') || 'Untitled question')
  const isClear = (label: (located: LocatedQuestion) => string) =>
    new Set([...questions.values()].map(label)).size === questions.size
  const label = questions.size === 1 ? levels.at(-1) : (levels.find(isClear) ?? levels.at(-1))
  return new Map([...questions].map(([key, located]) => [key, label?.(located) ?? '']))
}

function printCover(writer: PdfWriter, { template, projects, at, slots, complete }: PacketDocumentRequest): void {
  const [project] = projects
  writer.subject = projects.map(({ name }) => name).join(', ')
  writer.addPage()
  writer.bookmark('Summary', 0)
  writer.text('PHOTO PACKET', { size: 8, isBold: true, color: ink.muted }, 6)
  writer.text(template.title, { size: 22, isBold: true, maxLines: 2 }, 4)
  writer.text(writer.subject, { size: 13, maxLines: 2 }, 1)
  const { address = null } = projects.length === 1 && project !== undefined ? project : {}
  if (address !== null) writer.text(address, { size: 10.5, color: ink.muted, maxLines: 2 }, 1)
  writer.text(`Prepared ${zonedCaption(at)}`, { size: 9, color: ink.muted }, 14)
  const required = slots.filter(({ slot }) => slot.required)
  const filled = required.filter(({ state }) => state.filled).length
  const damaged = slots.filter(({ state }) => hasDamage(state)).length
  const { color, panel } = !complete
    ? { color: ink.bad, panel: ink.badPanel }
    : damaged > 0
      ? { color: ink.warn, panel: ink.warnPanel }
      : { color: ink.good, panel: ink.goodPanel }
  const height = 42
  writer.panel(area.left, writer.y, { width: areaWidth, height }, panel)
  writer.panel(area.left, writer.y, { width: 4, height }, color)
  const count = formatCount(required.length)
  const verdict = complete
    ? `Complete${['', ': the required slot is filled'][required.length] ?? `: all ${count} required slots are filled`}`
    : `Not complete: ${formatCount(required.length - filled)} of ${countOf(required.length, 'required slot')} ` +
      'not filled'
  const damage = damaged === 0 ? '' : ` · ${countOf(damaged, 'slot')} with damage`
  writer.textAt(verdict + damage, writer.y + 12, { size: 13, isBold: true, color, x: area.left + 18, maxLines: 1 })
  writer.y += height + 18
  printTable(writer, slots)
  const sources = new Map(
    slots.flatMap(({ photos }) => photos.map(({ checklist }) => [checklist.id, checklist.title] as const)),
  )
  writer.makeRoom(50)
  if (required.length > 0) writer.text('Required slots are in bold.', { size: 8.5, color: ink.muted }, 3)
  if (sources.size > 0) {
    const titles = [...sources.values()].map((title) => title || 'Untitled checklist')
    const from =
      `From ${countOf(sources.size, 'checklist')}: ${titles.join(', ')}. The original ` +
      'photos are in the folder beside this document, unchanged; packet.json has the SHA-256 of each.'
    writer.text(from, { size: 8.5, color: ink.muted, maxLines: 5 })
  }
  writer.y = area.bottom
}

const columns = { number: 24, photos: 60, state: 220 }
const titleWidth = areaWidth - columns.number - columns.photos - columns.state

function printTable(writer: PdfWriter, slots: readonly DocumentSlot[]): void {
  const head = { size: 7.5, isBold: true, color: ink.muted, maxLines: 1 }
  const at = { title: area.left + columns.number, photos: area.left + columns.number + titleWidth }
  const stateAt = at.photos + columns.photos
  const printHead = () => {
    writer.textAt('Slot', writer.y, { ...head, x: at.title })
    writer.textAt('Photos', writer.y, { ...head, x: at.photos, width: columns.photos - 16, align: 'right' })
    writer.text('State', { ...head, x: stateAt }, 3)
    writer.rule(writer.y)
    writer.y += 5
  }
  printHead()
  for (const [index, { slot, state }] of slots.entries()) {
    const style = { size: 9.5 }
    const title = writer.lines(slot.title, { ...style, width: titleWidth - 10, maxLines: 2 })
    const box = { size: 9, x: stateAt, width: columns.state, maxLines: 2 }
    const [gap, ...others] = gapsOf(state)
    const more = others.length > 0 ? ' …' : ''
    const reason = gap === undefined ? [] : writer.lines(`${gapLine(gap, state)}${more}`, { ...box, size: 8 })
    const height = Math.max(
      writer.heightOf(title.length, 9.5),
      writer.heightOf(1, 9) + writer.heightOf(reason.length, 8),
    )
    if (writer.makeRoom(height + 10)) printHead()
    writer.textAt(String(index + 1), writer.y, { ...style, color: ink.muted, isTabular: true })
    writer.textAt(title, writer.y, { ...style, x: at.title, isBold: slot.required })
    const count = slot.notPartOfSurvey ? '–' : formatCount(state.photos)
    writer.textAt(count, writer.y, {
      ...style,
      x: at.photos,
      width: columns.photos - 16,
      align: 'right',
      isTabular: true,
    })
    const below = writer.textAt(slotStateText(state), writer.y, {
      ...box,
      color: colorOf(state),
      isBold: (!state.filled && slot.required) || hasDamage(state),
    })
    writer.textAt(reason, writer.y + below, { ...box, size: 8, color: ink.muted })
    writer.y += height + 4
    writer.rule(writer.y, { color: ink.faintLine })
    writer.y += 5
  }
  writer.y += 8
}

/** Returns the gaps of a slot, damage first: what else a filled one lacks may still come. */
function gapsOf({ gaps }: SlotState): PacketGap[] {
  const isDamage = ({ reason }: PacketGap) => reason === 'damaged'
  return [...gaps.filter(isDamage), ...gaps.filter((gap) => !isDamage(gap))]
}

/** Returns a gap of a slot; what a filled one waits for is of another checklist, which is named. */
function gapLine(gap: PacketGap, { filled }: SlotState): string {
  const { checklist, question } = gapNames(gap)
  const names = filled ? [checklist, question] : [question ?? checklist]
  const where = names.filter((text) => text !== null).join(' › ')
  if (filled) return `${gap.reason === 'damaged' ? 'Damaged' : 'Still open'}: ${where}: ${packetGapText(gap)}`
  return where === '' ? capitalized(packetGapText(gap)) : `${where}: ${packetGapText(gap)}`
}

function colorOf(state: SlotState): string {
  const { filled, required, notPartOfSurvey } = state
  if (filled) return hasDamage(state) ? ink.warn : ink.good
  return required && !notPartOfSurvey ? ink.bad : ink.muted
}

function printSlotHead(
  writer: PdfWriter,
  { slot, state, leftOut }: DocumentSlot,
  {
    number,
    rowHeight,
    labels,
  }: { readonly number: number; readonly rowHeight: number; readonly labels: readonly string[] },
): void {
  const instructions = writer.lines(slot.instructions, { size: 9, maxLines: 4 })
  const gaps = gapsOf(state).slice(0, 6)
  const height =
    writer.heightOf(1, 14) + writer.heightOf(instructions.length, 9) + writer.heightOf(gaps.length + 1, 9) + 36
  writer.makeRoom(height + (state.photos > 0 ? rowHeight : 0))
  writer.bookmark(`${number}. ${slot.title}`, 0)
  writer.textAt(slotStateText(state), writer.y + 3, { size: 9, color: colorOf(state), align: 'right', maxLines: 1 })
  writer.text(`${number}. ${slot.title}`, { size: 14, isBold: true, maxLines: 2, width: areaWidth - 140 }, 2)
  if (instructions.length > 0) writer.text(instructions, { size: 9, color: ink.muted }, 2)
  if (labels.length > 0) {
    const style = { size: 8.5, color: ink.muted }
    const listed = writer.lines(`From: ${labels.join('; ')}`, { ...style, maxLines: 4 })
    const isWhole = labels.length === 1 || listed.length < 4
    writer.text(isWhole ? listed : `From ${countOf(labels.length, 'question')}, named below the photos.`, style, 2)
  }
  if (leftOut > 0) {
    writer.text(
      `${countOf(leftOut, 'more photo')} of these questions left out: at most ${formatCount(slot.maxPhotos ?? 0)} ` +
        'asked for.',
      { size: 8.5, color: ink.muted, maxLines: 1 },
      2,
    )
  }
  writer.y += 4
  const notes = slot.notPartOfSurvey
    ? ['Not part of a site survey: to be sent separately.']
    : gaps.map((gap) => gapLine(gap, state))
  if (state.gaps.length > gaps.length)
    notes.push(`${countOf(state.gaps.length - gaps.length, 'more gap')} in packet.json`)
  if (notes.length === 0) return
  const lines = notes.flatMap((note) => writer.lines(note, { size: 9, width: areaWidth - 24, maxLines: 2 }))
  const size = { width: areaWidth, height: writer.heightOf(lines.length, 9) + 14 }
  const isBad = slot.required && !slot.notPartOfSurvey && !state.filled
  const { color, panel } = isBad
    ? { color: ink.bad, panel: ink.badPanel }
    : hasDamage(state)
      ? { color: ink.warn, panel: ink.warnPanel }
      : { color: ink.muted, panel: ink.panel }
  writer.makeRoom(size.height)
  writer.panel(area.left, writer.y, size, panel)
  writer.textAt(lines, writer.y + 7, {
    size: 9,
    x: area.left + 12,
    width: areaWidth - 24,
    color,
  })
  writer.y += size.height + 10
}

interface PhotoSlot {
  /** Question of the photo; undefined if all photos of the slot are of one. */
  readonly label: string | undefined
  readonly name: string
  readonly x: number
  readonly box: { readonly width: number; readonly height: number }
}

function printPhoto(
  writer: PdfWriter,
  { file, facts, picture, problem }: PrintedPhoto,
  { label, name, x, box }: PhotoSlot,
): void {
  const { y } = writer
  writer.panel(x, y, box)
  if (picture === null) {
    const style = { size: 9, width: box.width - 40, maxLines: 5 }
    const lines = writer.lines(problem ?? '', style)
    const top = y + (box.height - writer.heightOf(lines.length, style.size)) / 2
    writer.textAt(lines, top, { ...style, x: x + 20, color: ink.bad })
  } else writer.picture(picture, x, y, box)
  let below = y + box.height + 5
  const line = { ...caption, x, width: box.width }
  if (label !== undefined) below += writer.textAt(label, below, line)
  const proof = { ...line, color: ink.muted }
  writer.textAt(file.sha256.slice(0, shownDigits), below, { ...proof, align: 'right' })
  below += writer.textAt(name, below, { ...line, width: box.width - 70, isBold: true })
  writer.textAt(`${timeCaption(facts)} · ${positionCaption(facts)}`, below, proof)
}
