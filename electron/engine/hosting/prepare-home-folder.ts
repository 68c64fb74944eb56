import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { makeFoldersSync } from '../make-folders.ts'
import { takeFromOthersSync } from '../private-paths.ts'

const databaseName = 'solarchive.sqlite3'

/** What Solarchive writes into a data folder, `sample/` and the token file apart. */
const ownName =
  /^(?:(?:solarchive|lock)\.sqlite3(?:[-.].*)?|solarchive\.pid|(?:settings|archive-move|window)\.json|window\.json\.part|token\.encrypted|\.(?:settings\.json|archive-move\.json|token|token\.encrypted)\.part|open-solarchive\.html|backups|logs|chromium)$/s

/** What it writes into folders of these. Chromium closes its own. */
const ownNamesInside = {
  backups: /^solarchive-.*\.sqlite3/s,
  logs: /^solarchive.*\.log$/s,
}

/**
 * Makes the data folder, which nobody else may read: it tells where people live. In one that was there before, what is
 * Solarchive's is closed to others; the folder itself where nothing else is in it: it could be a person's own folder, /tmp, or
 * have the archive in it. A token file that others have rights to is not mended: it is refused and told.
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
  const names = namesIn(folder)
  for (const name of names) if (ownName.test(name)) takeFromOthersSync(join(folder, name))
  for (const [inside, own] of Object.entries(ownNamesInside)) {
    for (const name of namesIn(join(folder, inside))) {
      if (own.test(name)) takeFromOthersSync(join(folder, inside, name))
    }
  }
  const isOurs = names.every((name) => ownName.test(name) || name === 'sample' || name === 'token')
  if (isOurs && names.includes(databaseName)) takeFromOthersSync(folder)
}

/** None where it is no folder, or cannot be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
