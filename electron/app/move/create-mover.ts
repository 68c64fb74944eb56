import { mostListedPaths, type MoveState, type UnfinishedMove } from '../../../shared/background-tasks.ts'
import { AppError } from '../../../shared/errors.ts'
import { archiveUnavailable, toDiskError } from '../../engine/lib/fs/disk-error.ts'
import { BackgroundTask } from '../api/background-task.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Clock, Log } from '../../engine/lib/ports.ts'
import { MoveMeter, type MoveProgress } from './move-meter.ts'
import { type MoveRecord, readMoveRecord, removeMoveRecord, whatIsUnfinished, writeMoveRecord } from './move-record.ts'
import {
  copyFolders,
  emptyOldPlace,
  measureMoved,
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
  /** It ended with an error before all was done. */
  let unfinished: UnfinishedMove | undefined
  const work = new BackgroundTask<MoveOrder, Report>({
    clock: parts.clock,
    alreadyRunning: 'The archive is being moved already. Wait for its end, or stop it first.',
    work: run,
    onState: () => parts.onState(state()),
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
      unfinished = await whatIsUnfinished(homeFolder, order, isSettled(order))
      isUndoing = false
      if (!closing.signal.aborted && unfinished?.isAtRest !== true) parts.wake()
    }
  }

  async function move(record: MoveRecord, meter: MoveMeter, signal: AbortSignal): Promise<Report> {
    if (record.phase === 'undoing' || (isUndoing && !isSettled(record)))
      return undo(record, meter, stopped(record.from))
    let latest = record
    try {
      const { proofs, ...moved } = isSettled(record)
        ? nothingMoved
        : await bringOver(record, meter, signal, (next) => {
            latest = next
          })
      await writeMoveRecord(homeFolder, { ...latest, phase: 'removing' })
      const total = await measureMoved(latest, closing.signal)
      const left = await emptyOldPlace(latest, proofs, meter, closing.signal)
      await removeMoveRecord(homeFolder)
      log.info('The archive was moved', { ...moved, ...total, leftBehind: left.length })
      return { ...moved, ...total, leftBehind: left.length, left: left.slice(0, mostListedPaths) }
    } catch (thrown) {
      const error = toDiskError(thrown, 'move the archive')
      // It goes on at the next start, or when it is asked for again: Solarchive ends, or a drive is not there.
      if (isSettled(record) || closing.signal.aborted || error.code === 'archive-unavailable') throw error
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
    return { renamed: copying.folders.length === 0, damaged, proofs }
  }

  async function undo(record: MoveRecord, meter: MoveMeter, reason: AppError): Promise<never> {
    const undoing = await undoingOf(record)
    await writeMoveRecord(homeFolder, undoing)
    await undoMove(undoing, meter, closing.signal)
    await removeMoveRecord(homeFolder)
    throw reason
  }

  /** The settings are changed between two phases: they tell which it is. */
  function isSettled({ to }: Pick<MoveOrder, 'to'>): boolean {
    return parts.archiveFolder() === to
  }

  function state(): MoveState {
    if (work.state.kind === 'running') return work.state
    // Who chose other folders since does not want it to go on.
    const isOver = unfinished?.archive === 'arrived' && !isSettled(unfinished)
    return { ...work.state, unfinished: isOver ? null : (unfinished ?? null) }
  }

  /** Throws `wrong-usage` while the archive may only be read. */
  function requireNone(): void {
    requireNotRunning()
    if (unfinished?.isAtRest === true) throw halfDone(unfinished)
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
      return state()
    },

    requireNone,

    /**
     * Throws `wrong-usage` while one runs or another one is not finished, and `archive-unavailable` when the archive is not
     * where it should be.
     */
    async start(order: MoveOrder): Promise<void> {
      requireNotRunning()
      const record = await readMoveRecord(homeFolder)
      if (record !== undefined && (record.from !== order.from || record.to !== order.to)) throw anotherMove(record)
      if (record === undefined) {
        const [inUse, all] = [parts.engine().archivedFolders(), parts.engine().projectFolders()]
        if (inUse.length > 0 && (await presentIn(order.from, inUse)).length === 0)
          throw archiveUnavailable('move the archive')
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

function goesOn(): AppError {
  return new AppError('cancelled', 'Solarchive ends. The move of the archive goes on when it is started again.')
}

function halfDone({ from, to, archive }: UnfinishedMove): AppError {
  if (archive === 'arrived') {
    return new AppError(
      'wrong-usage',
      `The archive is whole in ${to}, but its move there could not be finished. Nothing is lost; until that is settled ` +
        'the archive is only read. Start the move to the same folder again.',
    )
  }
  return new AppError(
    'wrong-usage',
    `The move of the archive from ${from} to ${to} could not be finished, and a part of the archive may be in either ` +
      'folder. Nothing is lost; until that is settled the archive is only read. Connect the drives of both folders, then ' +
      'start the move to the same folder again, or stop it, which puts everything back.',
  )
}

function anotherMove({ from, to }: MoveRecord): AppError {
  return new AppError('wrong-usage', `The move from ${from} to ${to} is not finished. Go on with it, or stop it first.`)
}
