import type { OwnerFacts } from '../../../shared/contract/owner-facts.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { findOwner, lockedBy, type Owner } from '../../engine/store/data-folder-lock.ts'
import { otherUserError, readOwnerFacts } from './owner-file.ts'

/** The process that owns a data folder. */
export interface LiveOwner extends Owner {
  /** Its own description, or `undefined` if it has not written it yet. */
  readonly facts: OwnerFacts | undefined
}

/**
 * Returns the owner of a data folder, or `undefined` if there is none. Throws `data-folder-locked` if another user has
 * it.
 */
export function findLiveOwner(homeFolder: string): LiveOwner | undefined {
  const owner = liveOwnerOf(homeFolder)
  if (owner === undefined) return undefined
  const facts = readOwnerFacts(homeFolder)
  // That of an owner that was killed is still there until its successor replaces it.
  return { pid: owner.pid, facts: facts?.pid === owner.pid ? facts : undefined }
}

/** Returns the error of a lock that another process holds, with the command of that process if it is known. */
export function namingOwner(thrown: unknown, homeFolder: string): AppError {
  const error = toAppError(thrown)
  const facts = error.code === 'data-folder-locked' ? findLiveOwner(homeFolder)?.facts : undefined
  if (facts === undefined) return error
  const { command, pid } = facts
  const advice =
    command === 'app'
      ? 'Quit it from its tray (closing its window keeps it running)'
      : command === 'watch' || command === 'serve'
        ? 'Stop it'
        : 'Wait until it is done or stop it'
  return new AppError(
    'data-folder-locked',
    `The running Solarchive (${command}, process ${pid}) is using the data folder ${homeFolder}. ${advice}, then try ` +
      'again.',
    { details: { pid } },
  )
}

/** Returns whether a process owns a data folder, also one of another user. */
export function isOwned(homeFolder: string): boolean {
  try {
    return findOwner(homeFolder) !== undefined
  } catch {
    return false
  }
}

/**
 * Returns the owner of a data folder. Throws `data-folder-locked` if another user has it. A lock that cannot be read is
 * reported by whoever tries to take it.
 */
function liveOwnerOf(homeFolder: string): Owner | undefined {
  let owner: Owner | undefined
  let isReadable = true
  try {
    owner = findOwner(homeFolder)
  } catch {
    isReadable = false
  }
  const problem = owner === undefined && isReadable ? undefined : otherUserError(homeFolder, owner?.pid)
  if (problem !== undefined) throw problem
  return owner
}

/** Returns the error for an owner that was not ready in time. */
export function ownerNotReady(pid: number | undefined): AppError {
  return lockedBy(
    pid,
    'has the data folder and cannot be reached. Nothing was changed. Wait until it is done or stop it (the app is ' +
      'quit from its tray; closing its window keeps it running), then run the command again.',
  )
}
