import { mostListedPaths, type MoveState } from '../../../../shared/background-work.ts'
import { AppError } from '../../../../shared/errors.ts'
import { archiveAway, toDiskError } from '../../archive/disk-error.ts'
import { BackgroundWork } from '../../background-work.ts'
import type { Engine } from '../../engine.ts'
import type { Clock, Log } from '../../ports.ts'
import { MoveMeter, type MoveProgress } from './move-meter.ts'
import { isInTwoFolders, type MoveRecord, readMoveRecord, removeMoveRecord, writeMoveRecord } from './move-record.ts'
import {
  copyFolders,
  emptyOldPlace,
  presentIn,
  proveCopies,
  renameFolders,
  requirePlaces,
  undoingOf,
  undoMove,
} from './move-steps.ts'
import type { Proofs } from './proof.ts'

type Report = Extract<NonNullable<Extract<MoveState, { kind: 'idle' }>['last']>, { ok: true }>['report']

export interface MoverParts {
  readonly homeFolder: string
  readonly clock: Clock
  readonly log: Log
  /** Has an engine on the archive that is only read; its watch rests. */
  readonly rest: () => Promise<void>
  /** The watch goes on; not while a move waits to be gone on with: the archive is in two folders then. */
  readonly wake: () => void
  readonly engine: () => Engine
  /** Where the settings say that the archive is. */
  readonly archiveFolder: () => string
  /** Makes the settings name this folder, and opens an engine on it whose watch rests. */
  readonly settle: (archiveFolder: string) => Promise<void>
  readonly onState: (state: MoveState) => void
  readonly onProgress: (progress: MoveProgress) => void
}

interface MoveOrder {
  readonly from: string
  readonly to: string
}

type Copies = Awaited<ReturnType<typeof copyFolders>>

/** Moves the archive from one folder to another, so that at every moment each file is whole in at least one of them. */
export function createMover(parts: MoverParts) {
  const { homeFolder, log } = parts
  const closing = new AbortController()
  /** A person stopped it. */
  let isUndoing = false
  /** It ended with an error before its archive was in one folder again. */
  let waiting: MoveOrder | undefined
  const work = new BackgroundWork<MoveOrder, Report>({
    clock: parts.clock,
    alreadyRunning: 'The archive is being moved already. Wait for its end, or stop it first.',
    work: run,
    onState: parts.onState,
    onUnforeseen: (error) => log.error('The move of the archive ended with an error', { cause: error.cause }),
  })

  async function run(order: MoveOrder, signal: AbortSignal): Promise<Report> {
    try {
      closing.signal.throwIfAborted()
      const record = await readMoveRecord(homeFolder)
      if (record === undefined) throw new AppError('internal', 'There is no record of the move that was begun.')
      log.info('The archive is moved', { phase: record.phase })
      await parts.rest()
      return await move(record, new MoveMeter(parts.clock, parts.onProgress), signal)
    } catch (thrown) {
      throw closing.signal.aborted ? goesOn() : toDiskError(thrown, 'move the archive')
    } finally {
      waiting = (await isInTwoFolders(homeFolder)) ? order : undefined
      isUndoing = false
      if (!closing.signal.aborted && waiting === undefined) parts.wake()
    }
  }

  async function move(record: MoveRecord, meter: MoveMeter, signal: AbortSignal): Promise<Report> {
    // The settings are changed between two phases: they tell which it is.
    const isSettled = () => parts.archiveFolder() === record.to
    if (record.phase === 'undoing' || (isUndoing && !isSettled())) return undo(record, meter, stopped(record.from))
    let latest = record
    try {
      const { proofs, ...moved } = isSettled()
        ? nothingMoved
        : await bringOver(record, meter, signal, (next) => {
            latest = next
          })
      await writeMoveRecord(homeFolder, { ...latest, phase: 'removing' })
      const left = await emptyOldPlace(latest, proofs, meter, closing.signal)
      await removeMoveRecord(homeFolder)
      log.info('The archive was moved', { ...moved, leftBehind: left.length })
      return { ...moved, leftBehind: left.length, left: left.slice(0, mostListedPaths) }
    } catch (thrown) {
      const error = toDiskError(thrown, 'move the archive')
      // It goes on at the next start, or when it is asked for again: Solarchive ends, or a drive is not there.
      if (isSettled() || closing.signal.aborted || error.code === 'archive-unavailable') throw error
      return undo(latest, meter, isUndoing ? stopped(record.from) : error)
    }
  }

  /** Up to the moment from which the archive is in the new place. */
  async function bringOver(
    record: MoveRecord,
    meter: MoveMeter,
    signal: AbortSignal,
    onRecord: (record: MoveRecord) => void,
  ) {
    await requirePlaces(record)
    const recorded = await readRecorded(parts.engine(), signal)
    let copying = record
    if (record.phase === 'renaming') {
      const folders = await renameFolders(record)
      const renamed = record.folders.filter((folder) => !folders.includes(folder))
      copying = { ...record, phase: 'copying', folders, renamed }
      await writeMoveRecord(homeFolder, copying)
      onRecord(copying)
    }
    const copies: Copies =
      copying.folders.length === 0 ? new Map<never, never>() : await copyFolders(copying, meter, signal)
    const proofs = await proveCopies(record.to, copies, meter, signal)
    signal.throwIfAborted()
    await parts.settle(record.to)
    const isAsRecorded = (path: string, sha256: string) => (copies.get(path)?.sha256 ?? sha256) === sha256
    const damaged = recorded.filter(({ path, sha256 }) => !isAsRecorded(path, sha256)).length
    const bytes = recorded.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    return { renamed: copying.folders.length === 0, files: recorded.length, bytes, damaged, proofs }
  }

  async function undo(record: MoveRecord, meter: MoveMeter, reason: AppError): Promise<never> {
    const undoing = await undoingOf(record)
    await writeMoveRecord(homeFolder, undoing)
    await undoMove(undoing, meter, closing.signal)
    await removeMoveRecord(homeFolder)
    throw reason
  }

  /** Throws `wrong-usage` while the archive may only be read. */
  function requireNone(): void {
    requireNotRunning()
    if (waiting !== undefined) throw halfDone(waiting)
  }

  function requireNotRunning(): void {
    if (work.state.kind === 'idle') return
    throw new AppError(
      'wrong-usage',
      'The archive is being moved, and may only be read until that is done. Wait for its end, or stop it first.',
    )
  }

  return {
    get state(): MoveState {
      return work.state
    },

    requireNone,

    /**
     * Throws `wrong-usage` while one runs or another one is not finished, and `archive-unavailable` when the archive is not
     * where it should be.
     */
    async start(order: MoveOrder): Promise<void> {
      requireNotRunning()
      const record = await readMoveRecord(homeFolder)
      if (record !== undefined && (record.from !== order.from || record.to !== order.to)) throw unfinished(record)
      if (record === undefined) {
        const [inUse, all] = [parts.engine().archivedFolders(), parts.engine().projectFolders()]
        if (inUse.length > 0 && (await presentIn(order.from, inUse)).length === 0) throw archiveAway('move the archive')
        const folders = await presentIn(order.from, all)
        await writeMoveRecord(homeFolder, { ...order, folders, renamed: [], phase: 'renaming' })
      }
      work.start(order)
    },

    /** Goes on with what the end of a process interrupted. */
    resume({ from, to }: MoveRecord): void {
      work.start({ from, to })
    },

    /** Also a move that is not finished and waits for a drive is undone. */
    async stop(): Promise<void> {
      const record = await readMoveRecord(homeFolder)
      if (record === undefined) return
      isUndoing = true
      if (work.state.kind === 'running') work.stop()
      else work.start({ from: record.from, to: record.to })
    },

    async close(): Promise<void> {
      isUndoing = false
      closing.abort()
      await work.close()
    },
  }
}

const nothingMoved = { renamed: false, files: 0, bytes: 0, damaged: 0, proofs: new Map() as Proofs }

async function readRecorded(engine: Engine, signal: AbortSignal) {
  const recorded: { path: string; sha256: string; sizeBytes: number }[] = []
  for await (const { path, sha256, sizeBytes } of engine.recordedFiles()) {
    signal.throwIfAborted()
    recorded.push({ path, sha256, sizeBytes })
  }
  return recorded
}

function stopped(from: string): AppError {
  return new AppError('cancelled', `The move was stopped. The archive is where it was, in ${from}.`)
}

function goesOn(): AppError {
  return new AppError('cancelled', 'Solarchive ends. The move of the archive goes on when it is started again.')
}

function halfDone({ from, to }: MoveOrder): AppError {
  return new AppError(
    'wrong-usage',
    `The move of the archive from ${from} to ${to} could not be finished, and a part of the archive may be in either ` +
      'folder. Nothing is lost; until that is settled the archive is only read. Connect the drives of both folders, then ' +
      'start the move to the same folder again, or stop it, which puts everything back.',
  )
}

function unfinished({ from, to }: MoveRecord): AppError {
  return new AppError('wrong-usage', `The move from ${from} to ${to} is not finished. Go on with it, or stop it first.`)
}
