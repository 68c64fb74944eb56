import { maxListedPaths, type MoveState, type ReportOf, type UnfinishedMove } from '../../../shared/background-tasks.ts'
import { AppError } from '../../../shared/errors.ts'
import { countOf } from '../../../shared/format.ts'
import { evidenceFolder } from '../../engine/archive/layout.ts'
import { archiveUnavailable, toDiskError } from '../../engine/lib/fs/disk-error.ts'
import { BackgroundTask } from '../api/background-task.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Clock, Log } from '../../engine/lib/ports.ts'
import type { RecordAction } from '../settings/settings-activity.ts'
import {
  findUnfinishedMove,
  hasArrived,
  isMoveOf,
  isNewFolder,
  isOldFolder,
  movedAway,
  type MoveRecord,
  readMoveRecord,
  removeMoveRecord,
  writeMoveRecord,
} from './move-record.ts'
import {
  beginCopies,
  copyFolders,
  emptyOldFolder,
  hasCopies,
  isNewGone,
  measureMoved,
  MoveMeter,
  type MoveProgress,
  presentIn,
  proveCopies,
  renameFolders,
  requireFolders,
  planUndo,
  undoMove,
} from './move-steps.ts'
import type { Proofs } from './remove-proven.ts'

type Report = ReportOf<MoveState>

export interface MoverDeps {
  readonly homeFolder: string
  readonly clock: Clock
  readonly log: Log
  /** Pauses the watch, so that the archive is only read. */
  readonly pauseWatch: () => Promise<void>
  /** Resumes the watch. Not called while an unfinished move waits: the archive is in two folders then. */
  readonly resumeWatch: () => void
  readonly engine: () => Engine
  /** Returns the archive folder of the settings. */
  readonly archiveFolder: () => string
  /** Returns that of settings.json, in place of which an option may name another one. */
  readonly savedArchiveFolder: () => string | undefined
  /** Saves this folder in the settings, and opens an engine on it whose watch is paused. */
  readonly switchArchive: (archiveFolder: string) => Promise<void>
  readonly recordAction: RecordAction
  readonly onState: (state: MoveState) => void
  readonly onProgress: (progress: MoveProgress) => void
}

interface MoveRequest {
  readonly from: string
  readonly to: string
}

type Copies = Awaited<ReturnType<typeof copyFolders>>

/** Moves the archive from one folder to another, so that at every moment each file is whole in at least one of them. */
export class Mover {
  readonly #deps: MoverDeps
  readonly #closing = new AbortController()
  readonly #task: BackgroundTask<MoveRequest, Report>
  /** True once a user has stopped the move. */
  #isUndoing = false
  /** The move that ended with an error before it was complete. */
  #unfinished: UnfinishedMove | undefined

  constructor(deps: MoverDeps) {
    this.#deps = deps
    this.#task = new BackgroundTask<MoveRequest, Report>({
      clock: deps.clock,
      alreadyRunning: 'The archive is being moved already. Wait until the move is finished, or stop it first.',
      orderOf: (request) => request,
      work: (order, signal) => this.#run(order, signal),
      onState: () => deps.onState(this.state),
      onUnexpected: (error) => deps.log.error('The move of the archive ended with an error', { cause: error.cause }),
    })
  }

  get state(): MoveState {
    const { state } = this.#task
    if (state.kind === 'running') return state
    // A user who chose other folders since does not want the move to resume.
    const isOver = this.#unfinished?.archive === 'arrived' && !isMoveOf(this.#unfinished, this.#deps.archiveFolder())
    return { ...state, unfinished: isOver ? null : (this.#unfinished ?? null) }
  }

  /** Throws `wrong-usage` while the archive may only be read. */
  requireNone(): void {
    this.#requireNotRunning()
    const unfinished = this.#unfinished
    if (unfinished?.isAtRest !== true) return
    const isArrived = unfinished.archive === 'arrived'
    if (isArrived && !this.#hasSwitched(unfinished)) throw movedAway(unfinished)
    throw !isArrived && this.#isNamed(unfinished) ? notArrived(unfinished) : halfDone(unfinished)
  }

  /**
   * Starts a move, or resumes the unfinished one between the same folders. Throws `wrong-usage` while one runs or
   * another one is unfinished, or if a project folder is not in its place, and `archive-unavailable` if none is.
   */
  async start(order: MoveRequest): Promise<void> {
    this.#requireNotRunning()
    const { homeFolder, engine } = this.#deps
    const record = await readMoveRecord(homeFolder)
    if (record !== undefined && (record.from !== order.from || record.to !== order.to)) throw anotherMove(record)
    if (record === undefined) {
      const inUse = engine().archivedFolders()
      const present = new Set(await presentIn(order.from, inUse))
      if (inUse.length > 0 && present.size === 0) throw archiveUnavailable('move the archive')
      const absent = inUse.find((folder) => !present.has(folder))
      if (absent !== undefined) throw leftBehind(absent)
      const folders = [...present]
      await writeMoveRecord(homeFolder, { ...order, folders, renamed: [], phase: 'renaming' })
    }
    this.#task.start(order)
  }

  /** Resumes a move that the end of a process interrupted. */
  resume({ from, to }: MoveRecord): void {
    this.#task.start({ from, to })
  }

  /** Undoes the move that runs, or the unfinished one that waits for a drive. */
  async stop(): Promise<void> {
    const record = await readMoveRecord(this.#deps.homeFolder)
    if (record === undefined) return
    // The archive is in the new folder: nothing is undone, and what is in the old one stays. If the drive of the new one
    // is lost for good, the old one can be chosen again.
    if (record.phase === 'removing' && this.#task.state.kind === 'idle') {
      if (isOldFolder(record, this.#deps.archiveFolder())) throw movedAway(record)
      await removeMoveRecord(this.#deps.homeFolder)
      this.#unfinished = undefined
      this.#deps.onState(this.state)
      return
    }
    this.#isUndoing = true
    if (this.#task.state.kind === 'running') this.#task.stop()
    else this.#task.start({ from: record.from, to: record.to })
  }

  /** Interrupts the move; it resumes at the next start. */
  async close(): Promise<void> {
    this.#isUndoing = false
    this.#closing.abort()
    await this.#task.close()
  }

  async #run(order: MoveRequest, signal: AbortSignal): Promise<Report> {
    const { homeFolder, clock, log, pauseWatch, resumeWatch, onProgress } = this.#deps
    const closing = this.#closing.signal
    try {
      closing.throwIfAborted()
      const record = await readMoveRecord(homeFolder)
      if (record === undefined) throw new AppError('internal', 'The record of the move is missing.')
      log.info('Moving the archive', { phase: record.phase })
      await pauseWatch()
      return await this.#move(record, new MoveMeter(clock, onProgress), signal)
    } catch (thrown) {
      throw closing.aborted ? interrupted() : toDiskError(thrown, 'move the archive')
    } finally {
      this.#unfinished = await findUnfinishedMove(homeFolder, order, {
        archiveFolder: this.#deps.archiveFolder(),
        saved: this.#deps.savedArchiveFolder(),
      })
      this.#isUndoing = false
      if (!closing.aborted && this.#unfinished?.isAtRest !== true) resumeWatch()
    }
  }

  async #move(record: MoveRecord, meter: MoveMeter, signal: AbortSignal): Promise<Report> {
    const { homeFolder, log } = this.#deps
    const closing = this.#closing.signal
    // Only the new folder is whole: copying the old one again, or undoing the move, would split the archive.
    if (this.#isSaved(record) && !this.#hasSwitched(record)) {
      await this.#recordArrival(record)
      throw movedAway(record)
    }
    // An option or settings.json names the new folder, or a link to it, before it is whole: what it lacks would stay in
    // the old one, or the settings would name a folder from which the move was undone.
    if (this.#isNamed(record) && !this.#isSaved(record)) throw notArrived(record)
    if (record.phase === 'undoing' || (this.#isUndoing && !this.#hasSwitched(record))) {
      return this.#undo(record, meter, stopped(record.from))
    }
    let latest = record
    try {
      const { proofs, ...moved } = this.#hasSwitched(record)
        ? nothingMoved
        : await this.#transfer(record, meter, signal, (next) => {
            latest = next
          })
      await this.#recordArrival(latest)
      latest = { ...latest, phase: 'removing' }
      if (await isNewGone(latest)) throw archiveUnavailable('move the archive')
      const total = await measureMoved(latest, closing)
      const left = await emptyOldFolder(latest, proofs, meter, closing)
      await removeMoveRecord(homeFolder)
      log.info('The archive was moved', { ...moved, ...total, leftBehind: left.length })
      return { ...moved, ...total, leftBehind: left.length, left: left.slice(0, maxListedPaths) }
    } catch (thrown) {
      const error = toDiskError(thrown, 'move the archive')
      // These are not undone: the move resumes at the next start, or when it is started again with the drive connected.
      if (this.#hasSwitched(record) || closing.aborted) throw error
      // An undo that was asked for while the move was failing by itself must not get lost.
      if (this.#isUndoing) return this.#undo(latest, meter, stopped(record.from))
      if (error.code === 'archive-unavailable') throw error
      // The copies are on a drive that is away: an undoing would find none of them, and end.
      if (latest.phase === 'copying' && !(await hasCopies(latest))) throw archiveUnavailable('move the archive', thrown)
      return this.#undo(latest, meter, error)
    }
  }

  /** Renames or copies everything to the new folder, up to the change of the settings. */
  async #transfer(begun: MoveRecord, meter: MoveMeter, signal: AbortSignal, onRecord: (record: MoveRecord) => void) {
    const { homeFolder, engine, switchArchive } = this.#deps
    const record = await this.#recordFolders(begun)
    onRecord(record)
    await requireFolders(record)
    const recorded = await readRecorded(engine(), signal)
    let copying = record
    if (record.phase === 'renaming') {
      const folders = await renameFolders(record)
      const renamed = record.folders.filter((folder) => !folders.includes(folder))
      copying = { ...record, phase: 'copying', folders, renamed, isWhole: false }
      await writeMoveRecord(homeFolder, copying)
      onRecord(copying)
    }
    if (copying.isBegun !== true && (await beginCopies(copying))) {
      copying = { ...copying, isBegun: true }
      await writeMoveRecord(homeFolder, copying)
      onRecord(copying)
    }
    const copies: Copies =
      copying.folders.length === 0 ? new Map<never, never>() : await copyFolders(copying, meter, signal)
    const proofs = await proveCopies(record.to, copies, meter, signal)
    signal.throwIfAborted()
    copying = { ...copying, isWhole: true }
    await writeMoveRecord(homeFolder, copying)
    onRecord(copying)
    await switchArchive(record.to)
    const isAsRecorded = (path: string, sha256: string) => (copies.get(path)?.sha256 ?? sha256) === sha256
    const damaged = recorded.filter(({ path, sha256 }) => !isAsRecorded(path, sha256)).length
    return { renamed: copying.folders.length === 0, damaged, proofs }
  }

  /** Records all folders that move. Until the watch was paused, a sync may have created more of them. */
  async #recordFolders(record: MoveRecord): Promise<MoveRecord> {
    if (record.phase !== 'renaming') return record
    const { homeFolder, engine } = this.#deps
    const present = await presentIn(record.from, [...engine().projectFolders(), evidenceFolder])
    const all = { ...record, folders: [...new Set([...record.folders, ...present])] }
    await writeMoveRecord(homeFolder, all)
    return all
  }

  /** Records that the settings name the new folder. */
  async #recordArrival(record: MoveRecord): Promise<void> {
    const { homeFolder, recordAction } = this.#deps
    await writeMoveRecord(homeFolder, { ...record, phase: 'removing' })
    const { from, to, phase } = record
    // A move that resumes in this phase was recorded before.
    if (phase !== 'removing') recordAction({ kind: 'archive-moved', facts: { from, to } })
  }

  async #undo(record: MoveRecord, meter: MoveMeter, reason: AppError): Promise<never> {
    const { homeFolder, recordAction } = this.#deps
    const undoing = await planUndo(record)
    await writeMoveRecord(homeFolder, undoing)
    const left = await undoMove(undoing, meter, this.#closing.signal)
    const { from, to } = record
    recordAction({ kind: 'archive-move-undone', facts: { from, to, code: reason.code } })
    await removeMoveRecord(homeFolder)
    throw left === 0 ? reason : withLeft(reason, left, to)
  }

  /** Returns whether the settings name the new folder: they are changed between the two halves of a move. */
  #hasSwitched(move: MoveRequest): boolean {
    return isNewFolder(move, this.#deps.archiveFolder())
  }

  /** Returns whether the settings in use or settings.json name the new folder, also before it is whole. */
  #isNamed(move: MoveRequest): boolean {
    const saved = this.#deps.savedArchiveFolder()
    return this.#hasSwitched(move) || (saved !== undefined && isNewFolder(move, saved))
  }

  /** Returns whether settings.json names the new folder, in place of which an option may name another one. */
  #isSaved(record: MoveRecord): boolean {
    return hasArrived(record, this.#deps.savedArchiveFolder())
  }

  #requireNotRunning(): void {
    if (this.#task.state.kind === 'idle') return
    throw new AppError('wrong-usage', 'The archive is being moved. Wait until the move is finished, or stop it first.')
  }
}

const nothingMoved = { renamed: false, damaged: 0, proofs: new Map() as Proofs }

async function readRecorded(engine: Engine, signal: AbortSignal) {
  const recorded: { path: string; sha256: string }[] = []
  for await (const { path, sha256 } of engine.recordedFiles()) {
    signal.throwIfAborted()
    recorded.push({ path, sha256 })
  }
  return recorded
}

function stopped(from: string): AppError {
  return new AppError('cancelled', `The move was stopped. The archive is where it was, in ${from}.`)
}

/** Returns the reason of an undoing with what it left in the new folder. */
function withLeft({ code, message, details, cause }: AppError, left: number, to: string): AppError {
  const stayed = `${countOf(left, 'item')} stayed in ${to}: what could not be removed, or could not be found unchanged in the archive.`
  return new AppError(code, `${message} ${stayed}`, { ...(details && { details }), cause })
}

function interrupted(): AppError {
  return new AppError('cancelled', 'Solarchive is closing. The move of the archive resumes at the next start.')
}

function leftBehind(folder: string): AppError {
  return new AppError(
    'wrong-usage',
    `The project folder ${folder} is not in the archive folder, so the move would leave its files behind. Nothing ` +
      'was changed. Verify and repair the archive, which restores the names of renamed or moved folders and ' +
      'downloads what is missing, then start the move again.',
  )
}

function halfDone({ from, to, archive }: UnfinishedMove): AppError {
  if (archive === 'arrived') {
    return new AppError(
      'wrong-usage',
      `The archive is complete in ${to}, but its move there could not be finished. Nothing is lost; until the move ` +
        'is finished the archive is only read. Start the move to the same folder again.',
    )
  }
  return new AppError(
    'wrong-usage',
    `The move of the archive from ${from} to ${to} could not be finished, and parts of the archive may be in both ` +
      'folders. Nothing is lost; until the move is finished or undone the archive is only read. Connect the drives ' +
      'of both folders, then start the move to the same folder again, or stop it, which puts everything back.',
  )
}

function notArrived({ from, to }: MoveRequest): AppError {
  return new AppError(
    'wrong-usage',
    `The move of the archive from ${from} to ${to} is not finished, and ${to} does not have all of it yet. Nothing is ` +
      `lost, and nothing was changed. Start Solarchive with the archive folder ${from} in its settings, and without ` +
      'an option or environment variable that names one: the move resumes then.',
  )
}

function anotherMove({ from, to }: MoveRecord): AppError {
  return new AppError('wrong-usage', `The move from ${from} to ${to} is not finished. Resume it, or stop it first.`)
}
