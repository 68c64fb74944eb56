import { hash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { posix } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pMap, { pMapIterable } from 'p-map'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { ExportOptions, ExportOutline, ExportProgress, ExportResult } from '../../../shared/export.ts'
import {
  defaultNames,
  type DocumentPart,
  documentParts,
  type ExportPart,
  maxDocumentBytes,
  namingFields,
  partsOfPhotos,
} from '../../../shared/export-parts.ts'
import { createQuickReader } from '../archive/quick-reader.ts'
import { exifHeadBytes } from '../catalog/photo-metadata.ts'
import { progressIntervalMs } from '../lib/events.ts'
import { throttle } from '../lib/throttle.ts'
import { requireKnownArchive } from '../recovery/open-archive.ts'
import { findOwner, lockedBy } from '../store/data-folder-lock.ts'
import { bagTarget } from './bag.ts'
import { captureFacts, lacksFacts, type CaptureFacts } from './capture-facts.ts'
import { gapsOfExport } from './export-gaps.ts'
import {
  addOpened,
  type AddedText,
  type ExportTarget,
  folderTarget,
  hashedText,
  sumLines,
  zipTarget,
} from './export-target.ts'
import type { ExportDeps, ExportRequest } from './exports.ts'
import { geoFiles } from './geo.ts'
import { findLost, withoutLost } from './lost-files.ts'
import { documentName, type ExportedFile, nameFiles, sidecarExtension, type NamedFile } from './name-files.ts'
import { parseTemplate, usesTime } from './naming-template.ts'
import { headOf, maxInMemory, nullIfLost, openPlanned, readHead, readPlanned } from './open-planned.ts'
import { planExport, requireAnything, type ExportPlan, type PlannedFile, withWholeProjects } from './plan-export.ts'
import { tableFiles } from './tables.ts'
import { cannotWrite, requireSpace, resolveTarget } from './target-path.ts'
import { openWorkFolder, type WorkFolder } from './work-folder.ts'
import { xmpSidecar } from './xmp.ts'

/** Files that are read ahead: hides the latency of a share. */
const readAhead = 4

/** Files that are read without a turn of the event loop in between. */
const quickFiles = 50

/** Bytes that a file takes on the disk beside its own: the rest of its last block, and its name. */
const perFileBytes = 4096

/** Estimate of what tables, positions, and sidecars have for each file. */
const perRowBytes = 2048

/**
 * Errors after which nothing of a folder is kept; after any other, the next export to the path resumes it. The path is
 * taken (`wrong-usage`), or a full disk gets its space back.
 */
const discardingErrors: ReadonlySet<ErrorCode> = new Set(['cancelled', 'disk-full', 'wrong-usage'])

/**
 * Writes the chosen files as of one moment to a new folder, zip, or bag. Nothing is under the final name until all of
 * it is there and durable. Files that are missing or changed in the archive are gaps of the result. Throws
 * `wrong-usage` for a target that cannot be used, a wrong naming template, and locations or sidecars without photos;
 * `not-found` if there is nothing to export; `archive-unavailable` if the root is not the archive; `data-folder-locked`
 * for a reader while the owner restores the database, and for a search while it indexes; `disk-full` before it begins
 * if there is too little space; and `cancelled`, which leaves nothing.
 */
export async function writeExport(deps: ExportDeps, request: ExportRequest): Promise<ExportResult> {
  const { root, homeFolder } = deps
  const { options, signal = new AbortController().signal } = request
  const template = parseTemplate(options.names ?? defaultNames, namingFields)
  requireUsefulParts(options.include)
  await deps.requireRebuilt(signal)
  if (request.selection.kind === 'search') await deps.completeIndex(signal)
  const { plan, certified, outline } = plansOf(deps, request)
  requireAnything(plan, outline.leftOut)
  request.onPlanned?.(outline)
  await requireKnownArchive(root, deps.store)
  const { format } = options
  const keepOut = [root, homeFolder]
  const resolved = await resolveTarget({ to: request.to, format, title: titleOf(plan), keepOut })
  const { path } = resolved
  const work = await openWorkFolder(resolved, { kind: format === 'zip' ? 'file' : 'folder', resumes: format !== 'zip' })
  let target: ExportTarget | undefined
  try {
    const facts = usesTime(template) ? await readAllFacts(deps, plan, signal) : new Map<number, CaptureFacts>()
    const named = [
      ...nameFiles(plan, { template, format, include: options.include, facts: ({ assetId }) => facts.get(assetId) }),
    ]
    await requireSpace(path, neededBytes(named, options), {
      needs: 'The export needs',
      resumedBytes: work.resumedBytes,
    })
    target = await openTarget(work, options, plan)
    const result = await new ExportWriter(deps, {
      plan,
      certified,
      options,
      named,
      facts,
      target,
      signal,
      onProgress: request.onProgress,
      onRead: request.onRead,
      isResumed: work.isResumed,
      scratch: work.scratch,
    }).run()
    return { path: await work.publish(), format, leftOut: outline.leftOut, ...result }
  } catch (thrown) {
    await target?.close().catch(() => undefined)
    const error = signal.aborted ? cancelled() : toAppError(cannotWrite(thrown, path))
    const isKept = format !== 'zip' && !discardingErrors.has(error.code)
    if (!isKept) await work.remove().catch(() => undefined)
    throw error
  } finally {
    await work.close()
  }
}

interface Plans {
  readonly plan: ExportPlan
  /** The projects of the export as a whole, for the certificate; null without one. */
  readonly certified: ExportPlan | null
  readonly outline: ExportOutline
}

/** Throws `wrong-usage` for parts that would be nothing by themselves. */
function requireUsefulParts(include: readonly ExportPart[]): void {
  if (include.includes('photos') || !include.some((part) => partsOfPhotos.includes(part))) return
  throw new AppError(
    'wrong-usage',
    'Locations (geo) and sidecars (xmp) are those of the exported photos, so they need photos as well. ' +
      'Nothing was written.',
  )
}

/**
 * Throws if something is not found yet, which the export would leave out and not name: `data-folder-locked` beside the
 * owner, which still indexes, and `disk-error` if the index cannot be written.
 */
function requireWholeIndex({ store, homeFolder, recordLost }: ExportDeps): void {
  if (!store.search.isIncomplete()) return
  const rest = 'so the export could leave something out. Nothing was written. Try again later.'
  if (recordLost !== undefined)
    throw new AppError('disk-error', `The archive could not be indexed for the search, ${rest}`)
  throw lockedBy(findOwner(homeFolder)?.pid, `is still indexing the archive for the search, ${rest}`)
}

/** Reads all that an export is about, as of one moment. */
function plansOf(deps: ExportDeps, { selection, options }: ExportRequest): Plans {
  const { store, clock } = deps
  const has = (part: ExportPart) => options.include.includes(part)
  // A contact sheet shows thumbnails where they are large enough, and a certificate counts them.
  const thumbnails = has('thumbnails') || has('contact-sheet') || has('certificate')
  const answers = has('tables') || has('xmp')
  return store.reading(() => {
    if (selection.kind === 'search') requireWholeIndex(deps)
    const plan = planExport(store, clock, selection, { thumbnails, answers })
    const chosen = onlyChosen(plan, options)
    const ids = new Set(chosen.projects.map(({ id }) => id))
    const exported = { ...plan, projects: plan.projects.filter(({ id }) => ids.has(id)) }
    const certified = has('certificate') ? withWholeProjects(store, clock, exported) : null
    return { plan: chosen, certified, outline: outlineOf(plan, chosen) }
  })
}

function cancelled(): AppError {
  return new AppError('cancelled', 'The export was stopped. Nothing of it was kept, and the archive is unchanged.')
}

/** Returns the plan without the checklists that the options leave out. */
export function onlyChosen(plan: ExportPlan, { onlyComplete }: Pick<ExportOptions, 'onlyComplete'>): ExportPlan {
  if (!onlyComplete) return plan
  const projects = plan.projects
    .map((project) => ({
      ...project,
      isWhole: false,
      checklists: project.checklists.filter(({ complete }) => complete),
    }))
    .filter(({ checklists }) => checklists.length > 0)
  return { ...plan, projects }
}

/** Returns what the options leave out of a plan, and how much of the rest is not final. */
export function outlineOf(whole: ExportPlan, chosen: ExportPlan): ExportOutline {
  const checklistsOf = ({ projects }: ExportPlan) => projects.flatMap(({ checklists }) => checklists)
  const checklists = checklistsOf(chosen)
  const countEmpty = ({ projects }: ExportPlan) => projects.filter((project) => project.checklists.length === 0).length
  return {
    leftOut: checklistsOf(whole).length - checklists.length,
    emptyProjects: countEmpty(whole) - countEmpty(chosen),
    unfinished: checklists.filter(({ status }) => status !== 'completed').length,
  }
}

/** Name of an export: of its project or checklist, if there is only one. */
export function titleOf({ projects }: ExportPlan): string {
  const [project, ...others] = projects
  if (project === undefined || others.length > 0) return 'Solarchive export'
  const [checklist] = project.checklists
  const isOne = !project.isWhole && project.checklists.length === 1 && checklist !== undefined
  return isOne ? `${project.name} - ${checklist.title}` : project.name
}

async function openTarget(work: WorkFolder, { format }: ExportOptions, plan: ExportPlan): Promise<ExportTarget> {
  if (format === 'zip') return zipTarget(work.content)
  const folder = folderTarget(work.content, work)
  return format === 'bagit' ? bagTarget(folder, { title: titleOf(plan), at: plan.at }) : folder
}

/** Returns an estimate of the space that an export takes. */
function neededBytes(named: readonly NamedFile[], { include }: ExportOptions): number {
  const documents = documentParts.filter((part) => include.includes(part)).length * maxDocumentBytes
  return named.reduce((sum, { file }) => sum + file.sizeBytes + perFileBytes + perRowBytes, documents)
}

/** Reads when and where all photos were taken, if their names say it. */
async function readAllFacts(
  deps: ExportDeps,
  plan: ExportPlan,
  signal: AbortSignal,
): Promise<Map<number, CaptureFacts>> {
  const photos = plan.projects.flatMap(({ checklists }) =>
    checklists.flatMap(({ questions }) => questions.flatMap((question) => question.photos)),
  )
  const read = async (file: PlannedFile) => {
    signal.throwIfAborted()
    const head = await readHead(deps.store, deps.root, file)
    return [file.assetId, captureFacts(file, head)] as const
  }
  return new Map(await pMap(photos, read, { concurrency: readAhead }))
}

interface Writing extends Omit<Plans, 'outline'> {
  readonly options: ExportOptions
  readonly named: readonly NamedFile[]
  readonly facts: ReadonlyMap<number, CaptureFacts>
  readonly target: ExportTarget
  /** Path for a document until the target takes it. */
  readonly scratch: string
  readonly isResumed: boolean
  readonly signal: AbortSignal
  readonly onProgress: ExportRequest['onProgress']
  readonly onRead: ExportRequest['onRead']
}

type Source =
  | { readonly kind: 'kept' | 'lost' }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'large' }

/** Writes the files of one export. */
class ExportWriter {
  readonly #deps: ExportDeps
  readonly #writing: Writing
  readonly #sums: { path: string; sha256: string }[] = []
  /** All files, if the export has tables or positions. */
  readonly #exported: ExportedFile[] = []
  /** Assets that turned out to be missing or changed in the archive folder. */
  readonly #lost = new Set<number>()
  readonly #startedMs: number
  /** Phase that was reported last, and what reports on it now and then. */
  #reporting:
    | { readonly phase: ExportProgress['phase']; readonly report: (progress: ExportProgress) => void }
    | undefined
  readonly #modifiedAt: Date
  readonly #bytesTotal: number
  #written = { files: 0, sizeBytes: 0 }
  #filesDone = 0
  #bytesDone = 0

  constructor(deps: ExportDeps, writing: Writing) {
    this.#deps = deps
    this.#writing = writing
    this.#startedMs = deps.clock.monotonicMs()
    this.#modifiedAt = new Date(writing.plan.at)
    this.#bytesTotal = writing.named.reduce((sum, { file }) => sum + file.sizeBytes, 0)
  }

  async run(): Promise<Omit<ExportResult, 'path' | 'format' | 'leftOut'>> {
    const { plan, certified, target, signal, options } = this.#writing
    this.#progress('copying')
    const quick = this.#deps.mayBlock === true ? createQuickReader(this.#deps.root) : undefined
    try {
      for await (const [entry, source] of this.#sources(quick?.read)) {
        signal.throwIfAborted()
        await this.#copy(entry, source)
        this.#filesDone += 1
        this.#bytesDone += entry.file.sizeBytes
        this.#progress('copying')
      }
    } finally {
      quick?.leave()
    }
    await this.#findLost()
    // With the drive disconnected all files are missing, and none is lost.
    if (this.#lost.size > 0) await requireKnownArchive(this.#deps.root, this.#deps.store)
    // It reads photos, too, and may find some damaged.
    if (options.include.includes('contact-sheet')) await this.#addContactSheet()
    if (this.#lost.size > 0) await this.#deps.recordLost?.(this.#lost, signal)
    const found = { ...plan, projects: plan.projects.map((project) => withoutLost(project, this.#lost)) }
    if (options.include.includes('tables')) {
      for await (const table of tableFiles(found, this.#exported)) await this.#addText(table)
    }
    if (options.include.includes('geo')) for (const file of geoFiles(this.#exported)) await this.#addText(file)
    if (certified !== null) await this.#addCertificate(certified)
    await this.#writing.onRead?.()
    this.#progress('finishing')
    // `sha256sum -c` refuses a list without any line.
    if (options.format !== 'bagit' && this.#sums.length > 0) {
      await this.#addText({ path: 'SHA256SUMS', text: () => sumLines(this.#sums) })
    }
    await target.finish(signal)
    signal.throwIfAborted()
    await target.close()
    return {
      projects: plan.projects.length,
      checklists: plan.projects.reduce((sum, { checklists }) => sum + checklists.length, 0),
      ...this.#written,
      gaps: gapsOfExport(found, options.include),
    }
  }

  /** Looks for the files that tables and the certificate count, and that are not copied. */
  async #findLost(): Promise<void> {
    const { plan, certified, named, options, signal } = this.#writing
    const counting = [...(options.include.includes('tables') ? [plan] : []), ...(certified === null ? [] : [certified])]
    if (counting.length === 0) return
    const copied = new Set(named.map(({ file }) => file.assetId))
    const isCopied = (assetId: number) => copied.has(assetId)
    for (const assetId of await findLost(this.#deps, counting, { isCopied, signal })) this.#lost.add(assetId)
  }

  /** Yields what is to be written for each file. */
  async *#sources(
    readQuickly: ((file: PlannedFile) => Buffer | undefined) | undefined,
  ): AsyncGenerator<readonly [NamedFile, Source]> {
    const { named, isResumed } = this.#writing
    if (readQuickly === undefined || isResumed) {
      const ahead = { concurrency: readAhead, backpressure: readAhead }
      yield* pMapIterable(named, async (entry) => [entry, await this.#read(entry)] as const, ahead)
      return
    }
    for (const [index, entry] of named.entries()) {
      // Signals and progress come in between.
      if (index % quickFiles === 0) await nextTurn()
      const bytes = readQuickly(entry.file)
      yield [entry, bytes === undefined ? await this.#read(entry) : { kind: 'bytes', bytes }]
    }
  }

  async #read({ path, file }: NamedFile): Promise<Source> {
    const { target, signal } = this.#writing
    const { store, root } = this.#deps
    signal.throwIfAborted()
    if (await target.keeps(path, file)) return { kind: 'kept' }
    if (file.sizeBytes > maxInMemory) return { kind: 'large' }
    const bytes = await readPlanned(store, root, file).catch(nullIfLost)
    return bytes === null ? { kind: 'lost' } : { kind: 'bytes', bytes }
  }

  async #copy(entry: NamedFile, source: Source): Promise<void> {
    const { target, options } = this.#writing
    const { path, file } = entry
    const modifiedAt = new Date(file.takenAt ?? file.archivedAt ?? this.#modifiedAt)
    let head = source.kind === 'bytes' ? source.bytes.subarray(0, exifHeadBytes) : null
    if (source.kind === 'bytes') await target.addBytes(path, source.bytes, modifiedAt)
    if (source.kind === 'large') head = await this.#copyLarge(entry, modifiedAt)
    const isWritten = source.kind === 'kept' || head !== null
    if (!isWritten) this.#lost.add(file.assetId)
    else {
      this.#sums.push({ path, sha256: file.sha256 })
      this.#written.files += 1
      this.#written.sizeBytes += file.sizeBytes
    }
    const facts = await this.#factsOf(entry, { isWritten, head })
    if (options.include.includes('tables') || options.include.includes('geo')) {
      this.#exported.push({ ...entry, isWritten, facts })
    }
    if (isWritten && file.kind === 'photo' && options.include.includes('xmp')) {
      await this.#addText({ path: path + sidecarExtension, text: () => [xmpSidecar(entry, facts)] })
    }
  }

  /** Returns the first bytes of the copied file, or null if it is not in the archive as planned. */
  async #copyLarge({ path, file }: NamedFile, modifiedAt: Date): Promise<Buffer | null> {
    const { target, signal } = this.#writing
    const { store, root } = this.#deps
    const asset = await openPlanned(store, root, file, signal).catch(nullIfLost)
    if (asset === null) return null
    try {
      const head = await headOf(asset)
      await addOpened(target, path, { asset, modifiedAt }, { what: 'export', signal })
      return head
    } finally {
      await asset.handle.close()
    }
  }

  /**
   * Looks into a photo only for what the service did not say, or a sidecar repeats, and only if the export shows it.
   * `head`: its first bytes; null for one that is kept, or not written.
   */
  async #factsOf(
    { file }: NamedFile,
    { isWritten, head }: { readonly isWritten: boolean; readonly head: Buffer | null },
  ): Promise<CaptureFacts> {
    const { facts, options } = this.#writing
    const known = facts.get(file.assetId)
    if (known !== undefined) return known
    const isShown = (['tables', 'geo', 'xmp'] as const).some((part) => options.include.includes(part))
    const isNeeded = lacksFacts(file) || options.include.includes('xmp')
    if (file.kind !== 'photo' || !isShown || !isNeeded || !isWritten) return captureFacts(file, null)
    return captureFacts(file, head ?? (await readHead(this.#deps.store, this.#deps.root, file)))
  }

  async #addContactSheet(): Promise<void> {
    const { plan, named, signal } = this.#writing
    const photos = named.filter(({ file }) => file.kind === 'photo' && !this.#lost.has(file.assetId))
    const copies = new Map(photos.map(({ file, path }) => [file.assetId, posix.basename(path)]))
    // Documents need libraries that no other export needs.
    const [{ createPictureMaker }, { countPhotos, writeContactSheet }] = await Promise.all([
      import('./documents/picture-maker.ts'),
      import('./documents/contact-sheet.ts'),
    ])
    const pictures = createPictureMaker()
    const startedMs = this.#deps.clock.monotonicMs()
    const filesTotal = countPhotos(plan)
    let filesDone = 0
    const onPhoto = () => {
      filesDone += 1
      const leftMs = timeLeft(this.#deps.clock.monotonicMs() - startedMs, filesDone, filesTotal)
      const bytes = { bytesDone: this.#bytesDone, bytesTotal: this.#bytesTotal }
      this.#report({ phase: 'contact-sheet', filesDone, filesTotal, ...bytes, leftMs })
    }
    try {
      await this.#addDocument('contact-sheet', (path) =>
        writeContactSheet(this.#deps, { plan, lost: this.#lost, path, signal, pictures, copies, onPhoto }),
      )
    } finally {
      await pictures.close()
    }
  }

  async #addCertificate({ at, projects, lastVerify }: ExportPlan): Promise<void> {
    const { signal, options } = this.#writing
    const listBeside = options.format === 'bagit' ? 'manifest-sha256.txt of the bag' : 'the SHA256SUMS beside it'
    const { writeCertificate } = await import('./documents/certificate.ts')
    await this.#addDocument('certificate', (path) =>
      writeCertificate(this.#deps, { at, projects, lastVerify, lost: this.#lost, listBeside, path, signal }),
    )
  }

  async #addDocument(part: DocumentPart, write: (path: string) => Promise<void>): Promise<void> {
    const { scratch, signal, target } = this.#writing
    signal.throwIfAborted()
    // An interrupted export may have left one.
    await rm(scratch, { force: true })
    await write(scratch)
    const bytes = await readFile(scratch)
    const path = documentName(part)
    await target.addBytes(path, bytes, this.#modifiedAt)
    this.#sums.push({ path, sha256: hash('sha256', bytes, 'hex') })
  }

  async #addText({ path, text }: AddedText): Promise<void> {
    this.#writing.signal.throwIfAborted()
    const hashed = hashedText(text())
    await this.#writing.target.addText(path, hashed.text, this.#modifiedAt)
    this.#sums.push({ path, sha256: hashed.end().sha256 })
  }

  #progress(phase: ExportProgress['phase']): void {
    const { named } = this.#writing
    const bytesTotal = this.#bytesTotal
    const elapsedMs = this.#deps.clock.monotonicMs() - this.#startedMs
    this.#report({
      phase,
      filesDone: this.#filesDone,
      filesTotal: named.length,
      bytesDone: this.#bytesDone,
      bytesTotal,
      leftMs: timeLeft(elapsedMs, this.#bytesDone, bytesTotal),
    })
  }

  /** Reports the first progress of a phase at once, and others at intervals. */
  #report(progress: ExportProgress): void {
    if (this.#reporting?.phase !== progress.phase) {
      const report = throttle(progressIntervalMs, this.#deps.clock, (now: ExportProgress) =>
        this.#writing.onProgress?.(now),
      )
      this.#reporting = { phase: progress.phase, report }
    }
    this.#reporting.report(progress)
  }
}

/** Time after which the speed says something. */
const minimumMs = 2_000

function timeLeft(elapsedMs: number, done: number, total: number): number | null {
  return elapsedMs < minimumMs || done === 0 ? null : (elapsedMs * (total - done)) / done
}
