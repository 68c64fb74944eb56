import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { HostSettings } from '../../../electron/app/settings/resolve-settings.ts'
import { requireSameAs, settingsBesideOwner } from '../../../electron/app/settings/settings-beside-owner.ts'
import { lockDataFolder } from '../../../electron/engine/store/data-folder-lock.ts'
import { describeOtherOwner, othersSettings } from '../../support/other-owner.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const defaults: Omit<HostSettings, 'homeFolder'> = {
  archiveFolder: '/own',
  serviceUrl: 'https://own.example',
  homeSource: 'default',
  archiveSource: 'default',
  accessToken: undefined,
  useSample: false,
}

test('another path to the archive of the owner is no other archive', () => {
  const homeFolder = temporaryFolder()
  const folder = join(homeFolder, 'archive')
  const link = join(homeFolder, 'link')
  mkdirSync(folder)
  symlinkSync(folder, link, 'junction')
  const owner = {
    pid: 1,
    version: '1',
    command: 'watch',
    useSample: false,
    address: '',
    apiCallsPerMinute: null,
    concurrency: null,
    archiveFolder: folder,
    serviceUrl: defaults.serviceUrl,
  }
  const compare = (archiveFolder: string) => () =>
    requireSameAs(owner, { ...defaults, homeFolder, archiveFolder }, ['archiveFolder'])
  expect(compare(link)).not.toThrow()
  expect(compare(homeFolder)).toThrow('This command is for the archive')
})

test('a command beside an owner that has just started takes the settings that nobody set from it', async () => {
  const homeFolder = temporaryFolder()
  const own: HostSettings = { ...defaults, homeFolder }
  expect(await settingsBesideOwner(own, [])).toEqual(own)
  const lock = lockDataFolder(homeFolder)
  onTestFinished(() => lock.release())
  const asked = settingsBesideOwner(own, [])
  const urlIsSet = settingsBesideOwner({ ...own, serviceUrl: 'https://their.example/' }, ['serviceUrl'])
  const otherArchive = settingsBesideOwner(own, ['archiveFolder'])
  const otherService = settingsBesideOwner(own, ['serviceUrl'])
  const refusals = Promise.all([
    expect(otherArchive).rejects.toThrow('This command is for the archive /own'),
    expect(otherService).rejects.toThrow('This command is for the service https://own.example'),
  ])
  describeOtherOwner(homeFolder)
  expect(await asked).toEqual({ ...own, ...othersSettings, archiveSource: 'owner' })
  expect(await urlIsSet).toMatchObject({ archiveFolder: '/theirs', archiveSource: 'owner' })
  await refusals
  const sameArchive = { ...own, archiveFolder: '/theirs' }
  expect(await settingsBesideOwner(sameArchive, ['archiveFolder'])).toEqual({ ...sameArchive, ...othersSettings })
})
