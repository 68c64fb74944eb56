import { readdir, readFile, stat, statfs } from 'node:fs/promises'
import { arch, cpus, freemem, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { toAppError } from '../../../shared/errors.ts'
import { isDatabaseFile } from '../../engine/store/database-files.ts'
import {
  type HostEnvironment,
  type HostSettings,
  resolveHomeFolder,
  resolveSettings,
  type StartSettings,
} from '../settings/resolve-settings.ts'
import { readSettingsFile, type SettingsFile } from '../settings/settings-file.ts'

/** A share whose server is unreachable can block a process for minutes. */
const diskTimeoutMs = 2_000

/**
 * Whole names of Solarchive's own files in the data folder, besides its databases. Other files are only counted: the
 * folder may be a home folder, and `window-<customer>.pdf` somebody else's.
 */
const ownFile = /^(?:solarchive\.pid|lock\.sqlite3(?:-journal)?|settings\.json|logs|backups|chromium|window\.json)$/

/** Returns facts about the machine that help to find the cause of a problem. Sizes are in bytes. */
export async function environmentFacts(homeFolder: string, archiveFolder: string | undefined, nowMs: number) {
  return {
    madeAt: new Date(nowMs).toISOString(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    solarchive: packageJson.version,
    node: process.versions.node,
    libraries: { v8: process.versions.v8, openssl: process.versions.openssl, uv: process.versions.uv },
    system: { type: type(), release: release(), platform: process.platform, architecture: arch() },
    processors: cpus().length,
    memory: { total: totalmem(), free: freemem() },
    dataFolder: { ...(await diskOf(homeFolder)), files: await filesOf(homeFolder), owner: await ownerOf(homeFolder) },
    archiveFolder: archiveFolder === undefined ? null : await diskOf(archiveFolder),
  }
}

async function diskOf(folder: string) {
  const measure = async () => {
    const [{ bavail, blocks, bsize }, stats] = await Promise.all([statfs(folder), stat(folder)])
    return { isFolder: stats.isDirectory(), freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
  }
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<{ error: string }>((resolve) => {
    timer = setTimeout(() => resolve({ error: 'no answer' }), diskTimeoutMs)
  })
  const found = measure().catch((error: unknown) => ({ error: codeOf(error) }))
  return Promise.race([found, timeout]).finally(() => clearTimeout(timer))
}

async function filesOf(folder: string) {
  const names = await readdir(folder).catch((): string[] => [])
  const own = names.filter((name) => ownFile.test(name) || isDatabaseFile(name)).sort()
  const files = await Promise.all(
    own.map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => undefined)
      return { name, sizeBytes: found?.isFile() ? found.size : null, changedAt: found?.mtime.toISOString() ?? null }
    }),
  )
  return { own: files, others: names.length - own.length }
}

/** Returns the id of the last process that owned the data folder, and whether a process with that id is running. */
async function ownerOf(folder: string) {
  const pid = Number.parseInt(await readFile(join(folder, 'solarchive.pid'), 'utf8').catch(() => ''), 10)
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  try {
    process.kill(pid, 0)
    return { pid, isRunning: true }
  } catch (error) {
    return { pid, isRunning: codeOf(error) === 'EPERM' }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unexpected'
}

/** Sources of the settings of proxies and certificates, without the addresses themselves. */
interface NetworkFacts {
  readonly httpsProxy: string | null
  readonly httpProxy: string | null
  readonly hasNoProxy: boolean
  readonly hasCaFile: boolean
  readonly hasExtraCaFile: boolean
}

/** The settings as far as they can be read: a support bundle is most useful when something is wrong with them. */
export interface FoundSettings {
  readonly homeFolder: string
  readonly file: SettingsFile | undefined
  /** Errors and unknown keys in the file; may contain paths. */
  readonly remarks: readonly string[]
  readonly effective: (Omit<HostSettings, 'accessToken' | 'network'> & { readonly network: NetworkFacts }) | undefined
  readonly hasToken: boolean
}

/** Reads and resolves settings. Never rejects for invalid settings. */
export async function findSettings(started: StartSettings, environment: HostEnvironment): Promise<FoundSettings> {
  const homeFolder = resolveHomeFolder(started, environment)
  const remarks: string[] = []
  // The full path would cut the sentence off when it is anonymized.
  const remark = (thrown: unknown) => {
    remarks.push(toAppError(thrown).message.replaceAll(join(homeFolder, 'settings.json'), 'settings.json'))
  }
  let file: SettingsFile | undefined
  let effective: FoundSettings['effective']
  try {
    const read = await readSettingsFile(homeFolder)
    file = read.settings
    if (read.warnings.length > 0) remarks.push(`Unknown settings keys: ${read.warnings.length}`)
  } catch (thrown) {
    remark(thrown)
  }
  try {
    const { accessToken: _, network = {}, ...settings } = resolveSettings(started, environment, file ?? {})
    effective = {
      ...settings,
      network: {
        httpsProxy: network.httpsProxy?.from ?? null,
        httpProxy: network.httpProxy?.from ?? null,
        hasNoProxy: network.noProxy !== undefined,
        hasCaFile: network.caFile !== undefined,
        hasExtraCaFile: network.extraCaFile !== undefined,
      },
    }
  } catch (thrown) {
    remark(thrown)
  }
  return { homeFolder, file, remarks, effective, hasToken: Boolean(environment.env['SOLARCHIVE_TOKEN']?.trim()) }
}

/** Returns a copy of a JSON value with `clean` applied to every string. */
export function withCleanTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withCleanTexts(item, clean))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withCleanTexts(item, clean)]))
}
