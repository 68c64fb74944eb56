import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { makeFoldersSync } from '../engine/lib/fs/make-folders.ts'
import { takeFromOthersSync } from '../engine/lib/fs/private-paths.ts'
import { databaseName, isBackupFile, isDatabaseFile } from '../engine/store/database-files.ts'
import { isLogFileName } from './log/log-files.ts'

/** Names that nobody else gives. */
const ownNames = ['lock.sqlite3', 'solarchive.pid']

/** Names that others give as well: these files are ours beside our database. */
const namesBesideDatabase = [
  'settings.json',
  'archive-move.json',
  'window.json',
  'token.encrypted',
  'open-solarchive.html',
]

const ownNamesInside = { backups: isBackupFile, logs: isLogFileName }

/**
 * Makes the data folder, which nobody else may read: it tells where people live. One that was there before, and the folders
 * in it, keep their rights: it could be a person's own, /tmp, or have the archive in it, which people share. What
 * Solarchive's files in it gave to others is taken away. A token file that others have rights to is not mended: it is
 * refused and told.
 */
export function prepareHomeFolder(folder: string): void {
  try {
    makeFoldersSync(folder, 0o700)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new AppError(
      'wrong-settings',
      `The data folder ${folder} cannot be made${code}. Choose another one: SOLARCHIVE_HOME says where it is.`,
      { cause: error },
    )
  }
  closeToOthers(folder)
}

function closeToOthers(folder: string): void {
  const entries = entriesOf(folder)
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  const names = files.includes(databaseName) ? [...ownNames, ...namesBesideDatabase] : ownNames
  for (const name of files) {
    if (isDatabaseFile(name) || names.includes(name)) takeFromOthersSync(join(folder, name))
  }
  for (const [inside, isOwn] of Object.entries(ownNamesInside)) {
    // Not behind a link, which is no directory here.
    if (!entries.some((entry) => entry.name === inside && entry.isDirectory())) continue
    for (const { name } of entriesOf(join(folder, inside))) {
      if (isOwn(name)) takeFromOthersSync(join(folder, inside, name))
    }
  }
}

/** None where it is no folder, or cannot be read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
