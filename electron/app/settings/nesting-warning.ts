import { nestingOf } from './folder-nesting.ts'
import { plainText } from '../log/plain-text.ts'
import { sampleArchiveFolder, type Surroundings } from './default-folders.ts'
import type { HostSettings } from './resolve-settings.ts'

const liesThere = { same: 'is', inside: 'lies inside', around: 'holds' } as const

/**
 * What to tell a person whose archive is not apart from the data folder; undefined where it is. It is no error: scripts
 * use such folders. The sample's own archive holds nobody's photos.
 */
export async function nestingWarning(
  { homeFolder, archiveFolder, useSample }: Pick<HostSettings, 'homeFolder' | 'archiveFolder' | 'useSample'>,
  surroundings: Surroundings,
): Promise<string | undefined> {
  if (useSample && archiveFolder === sampleArchiveFolder(surroundings)) return undefined
  // What cannot be looked at is told by whoever opens it.
  const nesting = await nestingOf(archiveFolder, homeFolder).catch(() => 'apart' as const)
  if (nesting === 'apart') return undefined
  return (
    `The archive folder ${plainText(archiveFolder)} ${liesThere[nesting]} the data folder ${plainText(homeFolder)}. The data ` +
    'folder holds the access token and the database and must not be shared with the archive. Put them side by side: ' +
    'SOLARCHIVE_ARCHIVE, or "archiveFolder" in settings.json, says where the archive is, SOLARCHIVE_HOME where the data folder is.'
  )
}
