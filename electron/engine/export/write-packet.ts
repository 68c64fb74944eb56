import { hash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { type DocumentPart, maxDocumentBytes, packetNamingFields } from '../../../shared/export-parts.ts'
import type { PacketProgress, PacketResult, PacketTemplate } from '../../../shared/packets.ts'
import { hashFile } from '../lib/fs/hash-file.ts'
import { requireKnownArchive } from '../recovery/open-archive.ts'
import { captureFacts, type CaptureFacts } from './capture-facts.ts'
import { writeCertificate } from './documents/certificate.ts'
import { countPhotos, writeContactSheet } from './documents/contact-sheet.ts'
import { createPictureMaker, type PictureMaker } from './documents/picture-maker.ts'
import { type DocumentSlot, writePacketDocument } from './documents/packet-document.ts'
import { addOpened, type ExportTarget, folderTarget, sumLines } from './export-target.ts'
import { findLost, withoutLost } from './lost-files.ts'
import { createPacketNames, documentName, packetPhotosFolder } from './name-files.ts'
import { parseTemplate } from './naming-template.ts'
import { headOf, nullIfLost, openPlanned } from './open-planned.ts'
import {
  type Correction,
  type FilledSlot,
  fillPacket,
  isPacketComplete,
  type PacketPhoto,
  packetTitle,
  planOfPacket,
  slotState,
} from './fill-packet.ts'
import type { ExportPlan, PlannedFile } from './plan-export.ts'
import { cannotWrite, requireSpace, resolveTarget } from './target-path.ts'
import { openWorkFolder } from './work-folder.ts'
import type { ExportDeps } from './exports.ts'

export interface PacketRequest {
  readonly plan: ExportPlan
  /** Its projects as a whole, as of the same moment, for the certificate; null without one. */
  readonly certified: ExportPlan | null
  readonly template: PacketTemplate
  readonly corrections: readonly Correction[]
  /** Absolute path; see `resolveTarget`. */
  readonly to: string
  readonly documents: readonly DocumentPart[]
  /** Naming template of the photos; see `packetNamingFields`. */
  readonly names: string
  readonly signal?: AbortSignal | undefined
  /** The steps begin again if photos turn out to be lost: the packet is filled without them. */
  readonly onProgress?: ((progress: PacketProgress) => void) | undefined
  /** See `PacketOptions`. */
  readonly onRead?: (() => Promise<void>) | undefined
}

/**
 * Writes a packet: a folder with one PDF, the photos of each slot, `packet.json`, `SHA256SUMS`, and the documents that
 * were asked for. Nothing is under the final name until all of it is there and durable. Photos that are missing or
 * changed in the archive are gaps. Throws `wrong-usage` for a path that cannot be used and for a wrong naming template,
 * `archive-unavailable` if the root is not the archive, `disk-full` before it begins if there is too little space, and
 * `cancelled`, which leaves nothing.
 */
export async function writePacket(deps: ExportDeps, request: PacketRequest): Promise<PacketResult> {
  const { root, homeFolder } = deps
  const { plan, template, signal = new AbortController().signal } = request
  const naming = parseTemplate(request.names, packetNamingFields)
  await requireKnownArchive(root, deps.store)
  const title = packetTitle(plan, template)
  const resolved = await resolveTarget({ to: request.to, format: 'folder', title, keepOut: [root, homeFolder] })
  const { path } = resolved
  // A packet is small: what an interrupted one left is not used.
  const work = await openWorkFolder(resolved, { kind: 'folder', resumes: false })
  const pictures = createPictureMaker()
  try {
    const certified = request.certified === null ? [] : [request.certified]
    const lost = await findLost(deps, certified, { isCopied: () => false, signal })
    if (lost.size > 0) await requireKnownArchive(root, deps.store)
    let result: Omit<PacketResult, 'path'> | undefined
    while (result === undefined) {
      const found = { ...plan, projects: plan.projects.map((project) => withoutLost(project, lost)) }
      const { slots } = fillPacket(found, template, request.corrections)
      await requireSpace(path, neededBytes(slots, request.documents), { needs: 'The packet needs up to' })
      const pathOf = createPacketNames(found, naming)
      const target = folderTarget(work.content, { isResumed: false })
      const writing = { ...request, plan: found, slots, lost, pathOf, target, pictures, signal }
      result = await new PacketWriter(deps, { ...writing, folder: work.content }).run()
      if (result === undefined) await rm(join(work.content, packetPhotosFolder), { recursive: true, force: true })
    }
    signal.throwIfAborted()
    await request.onRead?.()
    return { path: await work.publish(), ...result }
  } catch (thrown) {
    await work.remove().catch(() => undefined)
    if (signal.aborted) throw cancelled()
    throw cannotWrite(thrown, path)
  } finally {
    await pictures.close()
    await work.close()
  }
}

function cancelled(): AppError {
  return new AppError('cancelled', 'The packet was stopped. Nothing of it was kept, and the archive is unchanged.')
}

/** Returns the most space that a packet takes. */
function neededBytes(slots: readonly FilledSlot[], documents: readonly DocumentPart[]): number {
  const photos = slots.flatMap((slot) => slot.photos)
  return photos.reduce((sum, { file }) => sum + file.sizeBytes, (1 + documents.length) * maxDocumentBytes)
}

interface Writing extends Omit<PacketRequest, 'signal' | 'names' | 'corrections'> {
  readonly pathOf: ReturnType<typeof createPacketNames>
  readonly signal: AbortSignal
  readonly slots: readonly FilledSlot[]
  /** Assets that turned out to be missing or changed in the archive folder; those found here are added. */
  readonly lost: Set<number>
  readonly target: ExportTarget
  readonly pictures: PictureMaker
  /** Folder that the files are written to. */
  readonly folder: string
}

interface Copied {
  /** Relative to the packet, with `/`. */
  readonly path: string
  readonly facts: CaptureFacts
}

type WrittenFile = ReturnType<typeof describeFile>

/** Returns a photo as `packet.json` has it. */
function describeFile({ file, project, checklist, question }: PacketPhoto, { path, facts }: Copied) {
  return {
    file: path,
    sizeBytes: file.sizeBytes,
    sha256: file.sha256,
    takenAt: facts.takenAt,
    position: facts.position,
    projectId: project.id,
    checklistId: checklist.id,
    checklistTitle: checklist.title,
    section: question.section,
    question: question.question,
    archivePath: file.path,
  }
}

/** Writes the files of a packet as it is filled. */
class PacketWriter {
  readonly #deps: ExportDeps
  readonly #writing: Writing
  readonly #sums: { readonly path: string; readonly sha256: string }[] = []
  /** Names of the copies by asset: below `photos/`, the first one of a photo in several slots. */
  readonly #copies = new Map<number, string>()
  /** Of the contact sheet. */
  readonly #sheetPlan: ExportPlan
  readonly #stepsTotal: number
  #stepsDone = 0

  constructor(deps: ExportDeps, writing: Writing) {
    this.#deps = deps
    this.#writing = writing
    const inSlots = writing.slots.reduce((sum, { photos }) => sum + photos.length, 0)
    this.#sheetPlan = planOfPacket(writing.plan, writing.slots)
    // Each photo of a slot is copied, and shown.
    this.#stepsTotal = 2 * inSlots + (writing.documents.includes('contact-sheet') ? countPhotos(this.#sheetPlan) : 0)
  }

  /**
   * Returns undefined if photos turned out to be lost: the packet has to be filled without them, and may have others
   * under other names. Then nothing but photos is written.
   */
  async run(): Promise<Omit<PacketResult, 'path'> | undefined> {
    const { slots, template, plan, certified, lost, signal, target, documents, pictures } = this.#writing
    const known = lost.size
    const copied: WrittenFile[][] = []
    for (const [index, slot] of slots.entries()) copied.push(await this.#copySlot(slot, index))
    if (lost.size > known) {
      // With the drive disconnected all photos are missing, and none is lost.
      await requireKnownArchive(this.#deps.root, this.#deps.store)
      return undefined
    }
    const written = slots.map((slot, index) => {
      const files = copied[index] ?? []
      return { slot: { ...slot, photos: withNames(slot.photos, files), state: slotState(slot) }, files }
    })
    const states = written.map(({ slot }) => slot.state)
    const complete = isPacketComplete(states)
    const onPhoto = () => this.#advance()
    await this.#document('packet.pdf', (path) =>
      writePacketDocument(this.#deps, {
        template,
        at: plan.at,
        projects: plan.projects,
        slots: written.map(({ slot }) => slot),
        complete,
        path,
        signal,
        pictures,
        onPhoto,
      }),
    )
    if (documents.includes('contact-sheet')) {
      await this.#document(documentName('contact-sheet'), (path) =>
        writeContactSheet(this.#deps, {
          plan: this.#sheetPlan,
          lost,
          path,
          signal,
          pictures,
          copies: this.#copies,
          onPhoto,
        }),
      )
    }
    if (certified !== null) {
      const { at, projects, lastVerify } = certified
      const listBeside = 'the SHA256SUMS beside it'
      await this.#document(documentName('certificate'), (path) =>
        writeCertificate(this.#deps, { at, projects, lastVerify, lost, listBeside, path, signal }),
      )
    }
    const projects = plan.projects.map(({ id, name, address }) => ({ id, name, address }))
    const described = written.map(({ slot, files }) => ({ ...slot.state, files }))
    if (lost.size > 0) await this.#deps.recordLost?.(lost, signal)
    const json = { createdAt: plan.at, template, projects, complete, slots: described }
    const text = `${JSON.stringify(json, null, 2)}\n`
    await target.addText('packet.json', [text], new Date(plan.at))
    this.#sums.push({ path: 'packet.json', sha256: hash('sha256', text, 'hex') })
    await target.addText('SHA256SUMS', sumLines(this.#sums), new Date(plan.at))
    await target.finish(signal)
    return { template: template.id, slots: states, complete }
  }

  /** Copies the photos of a slot that are not lost. */
  async #copySlot({ slot, photos }: FilledSlot, index: number): Promise<WrittenFile[]> {
    const { lost, signal, pathOf } = this.#writing
    const files: WrittenFile[] = []
    for (const photo of photos) {
      signal.throwIfAborted()
      const { file } = photo
      const naming = { photo, slot, slotNumber: index + 1, sequence: files.length + 1 }
      const copied = await this.#copy(file, (facts) => pathOf({ ...naming, facts }))
      this.#advance()
      if (copied === null) {
        lost.add(file.assetId)
        continue
      }
      const path = posix.relative(packetPhotosFolder, copied.path)
      if (!this.#copies.has(file.assetId)) this.#copies.set(file.assetId, path)
      files.push(describeFile(photo, copied))
    }
    return files
  }

  /** Copies a photo. Returns its path and what is known about it, or null if it is not in the archive as planned. */
  async #copy(file: PlannedFile, pathOf: (facts: CaptureFacts) => string): Promise<Copied | null> {
    const { target, plan, signal } = this.#writing
    const { store, root } = this.#deps
    const modifiedAt = new Date(file.takenAt ?? file.archivedAt ?? plan.at)
    const asset = await openPlanned(store, root, file, signal).catch(nullIfLost)
    if (asset === null) return null
    try {
      const facts = captureFacts(file, await headOf(asset))
      const path = pathOf(facts)
      await addOpened(target, path, { asset, modifiedAt }, { what: 'packet', signal })
      this.#sums.push({ path, sha256: file.sha256 })
      return { path, facts }
    } finally {
      await asset.handle.close()
    }
  }

  async #document(name: string, write: (path: string) => Promise<void>): Promise<void> {
    const { folder, signal } = this.#writing
    signal.throwIfAborted()
    const path = join(folder, name)
    await write(path)
    this.#sums.push({ path: name, sha256: (await hashFile(path)).sha256 })
  }

  #advance(): void {
    this.#stepsDone += 1
    this.#writing.onProgress?.({ stepsDone: this.#stepsDone, stepsTotal: this.#stepsTotal })
  }
}

/** Returns the photos with the names that they have in the folder; with their paths if these alone distinguish them. */
function withNames(photos: readonly PacketPhoto[], files: readonly WrittenFile[]): DocumentSlot['photos'] {
  const names = files.map(({ file }) => posix.basename(file))
  const areDistinct = new Set(names).size === names.length
  return photos.map((photo, index) => {
    const path = files[index]?.file ?? ''
    return { ...photo, writtenAs: areDistinct ? posix.basename(path) : path.slice(path.indexOf('/') + 1) }
  })
}
