import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  defaultArchiveFolder,
  defaultHomeFolder,
  resolveSettings,
  type StartSettings,
} from '../../../electron/app/settings/resolve-settings.ts'
import { nestingWarning } from '../../../electron/app/settings/archive-folder.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function makeEnvironment() {
  const userFolder = temporaryFolder()
  const environment = { env: {}, platform: process.platform, currentFolder: userFolder, userFolder }
  const warning = (started: StartSettings) => nestingWarning(resolveSettings(started, environment, {}), environment)
  return { userFolder, environment, warning }
}

it('an archive that is, is inside, or contains the data folder causes a warning, also through a link', async () => {
  const { userFolder, warning } = makeEnvironment()
  mkdirSync(join(userFolder, 'data'))
  symlinkSync(join(userFolder, 'data'), join(userFolder, 'link'), 'junction')
  for (const [homeFolder, archiveFolder, lies] of [
    ['data', 'data', 'is'],
    ['data', 'link', 'is'],
    ['data', 'data/archive', 'is inside'],
    ['data', 'link/not/there/yet', 'is inside'],
    ['archive/data', 'archive', 'contains'],
    ['link/home', 'data', 'contains'],
  ] as const) {
    const [home, archive] = [join(userFolder, homeFolder), join(userFolder, archiveFolder)]
    expect(await warning({ homeFolder, archiveFolder })).toMatch(
      new RegExp(
        `^The archive folder .* ${lies} the data folder .*access token.*database.*must not be shared.*` +
          'SOLARCHIVE_ARCHIVE.*SOLARCHIVE_HOME',
      ),
    )
    expect(await warning({ homeFolder, archiveFolder })).toContain(`${archive} ${lies} the data folder ${home}.`)
  }
})

it('separate folders, the default folders, and the sample in the data folder cause no warning', async () => {
  const { environment, warning } = makeEnvironment()
  const [homeFolder, archiveFolder] = [defaultHomeFolder(environment), defaultArchiveFolder(environment)]
  for (const apart of [
    { homeFolder: 'data', archiveFolder: 'archive' },
    { homeFolder: 'data', archiveFolder: 'data2' },
    { homeFolder, archiveFolder },
    { useSample: true },
    { useSample: true, homeFolder },
  ]) {
    expect(await warning(apart)).toBeUndefined()
  }
  expect(await warning({ useSample: true, homeFolder: 'data', archiveFolder: 'data/archive' })).toContain('is inside')
})
