import { type Dirent, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { dataFolderErrorOf } from '../engine/lib/fs/data-folder-error.ts'
import { makeFoldersSync } from '../engine/lib/fs/make-folders.ts'
import { restrictToOwnerSync } from '../engine/lib/fs/private-files.ts'
import { databaseName, isBackupFile, isDatabaseFile } from '../engine/store/database-files.ts'
import { isLogFileName } from './log/log-files.ts'

/** Names that only Solarchive uses. */
const ownNames = ['lock.sqlite3', 'solarchive.pid']

/** Names that other programs use too: such files are ours only beside our database. */
const namesBesideDatabase = [
  'settings.json',
  'archive-move.json',
  'window.json',
  'token.encrypted',
  'open-solarchive.html',
]

const ownNamesInside = { backups: isBackupFile, logs: isLogFileName }

/**
 * Creates the data folder with access for its owner only, because it contains customers' addresses. An existing folder
 * and the folders in it keep their permissions, because it may be a home folder, /tmp, or hold a shared archive; only
 * Solarchive's own files in it lose the permissions of others. A token file that others can read is refused, not fixed.
 */
export function prepareHomeFolder(folder: string): void {
  try {
    makeFoldersSync(folder, 0o700)
  } catch (error) {
    const full = dataFolderErrorOf(error, dirname(folder))
    if (full?.code === 'disk-full') throw full
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new AppError(
      'wrong-settings',
      `The data folder ${folder} cannot be created${code}. Set SOLARCHIVE_HOME to another folder.`,
      { cause: error },
    )
  }
  restrictOwnFiles(folder)
}

function restrictOwnFiles(folder: string): void {
  const entries = entriesOf(folder)
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  const names = files.includes(databaseName) ? [...ownNames, ...namesBesideDatabase] : ownNames
  for (const name of files) {
    if (isDatabaseFile(name) || names.includes(name)) restrictToOwnerSync(join(folder, name))
  }
  for (const [inside, isOwn] of Object.entries(ownNamesInside)) {
    // A symbolic link is not a directory here, and is not followed.
    if (!entries.some((entry) => entry.name === inside && entry.isDirectory())) continue
    for (const { name } of entriesOf(join(folder, inside))) {
      if (isOwn(name)) restrictToOwnerSync(join(folder, inside, name))
    }
  }
}

/** Returns no entries for a path that is not a folder or cannot be read. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
