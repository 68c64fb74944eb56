import { plainText } from '../../app/log/plain-text.ts'
import type { ArchiveSource, HomeSource, HostSettings } from '../../app/settings/resolve-settings.ts'

const homeSources: Readonly<Record<HomeSource, string>> = {
  option: 'set by --home',
  environment: 'set by SOLARCHIVE_HOME',
  default: 'the default, because neither --home nor SOLARCHIVE_HOME is set',
}

const archiveSources: Readonly<Record<ArchiveSource, string>> = {
  option: 'set by --archive',
  environment: 'set by SOLARCHIVE_ARCHIVE',
  settings: 'set in settings.json',
  owner: 'that of the running Solarchive',
  default: 'the default, because neither --archive nor SOLARCHIVE_ARCHIVE is set',
}

type Folders = Pick<HostSettings, 'homeFolder' | 'homeSource' | 'archiveFolder' | 'archiveSource'>

/** Returns the data folder for people, and where it comes from. */
function describeHome({ homeFolder, homeSource }: Pick<Folders, 'homeFolder' | 'homeSource'>): string {
  return `the data folder ${plainText(homeFolder)} (${homeSources[homeSource]})`
}

function describeArchive({ archiveFolder, archiveSource }: Folders): string {
  return `the archive folder ${plainText(archiveFolder)} (${archiveSources[archiveSource]})`
}

/** Returns what to do about an empty list of projects. `name` is the program's in examples. */
export function describeNoProjects(settings: Pick<Folders, 'homeFolder' | 'homeSource'>, name: string): string {
  return [
    `There are no projects in ${describeHome(settings)}, so nothing is ` +
      'archived. If your projects are in another data folder, name it with --home or SOLARCHIVE_HOME. To add projects:',
    `  ${name} projects discover    adds all that the service lists`,
    `  ${name} projects add ID      adds one by its ID`,
  ].join('\n')
}

/** Returns why there is nothing to verify, and what to do. */
export function describeNothingToVerify(settings: Folders): string {
  return (
    `There is nothing to verify: no projects are in ${describeHome(settings)}, and no archived project is in ` +
    `${describeArchive(settings)}. If your archive is elsewhere, name both folders, with --home ` +
    'and --archive, or with SOLARCHIVE_HOME and SOLARCHIVE_ARCHIVE.'
  )
}

/** Returns the warning about a database that is made from an archive. */
export function describeNewDatabase(settings: Folders): string {
  return (
    `There was no database of this archive in ${describeHome(settings)}: a new one is made from the projects in ` +
    `${describeArchive(settings)}. If you already have a data folder for this archive, use that one: name it with ` +
    '--home or SOLARCHIVE_HOME.'
  )
}
