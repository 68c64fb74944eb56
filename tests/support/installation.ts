import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  startSampleService,
  type SampleService,
  type SampleServiceOptions,
} from '../../electron/sample-service/start-sample-service.ts'
import { createEngine } from '../../electron/engine/create-engine.ts'
import type { Engine } from '../../electron/engine/engine.ts'
import { syncReportSchema, type SyncReport } from '../../shared/domain.ts'
import { bundledCommandLine } from './build-processes.ts'
import { newDataFolder } from './new-data-folder.ts'
import { runMain } from './run-main.ts'
import { cloneFolder, type Ended, type RunOptions, type Started, startSolarchive } from '../headless/run-solarchive.ts'
import { silentPorts } from './silent-logger.ts'

/** An ended command, and the document that `sync --json` printed: a report, or an error instead. */
export interface SyncEnd extends Ended {
  readonly report: SyncReport | undefined
  /** Distinct codes of the failures in the report, or of the error instead. */
  readonly codes: readonly string[]
}

/** A sample service in this process, and folders for the real command line, in this process or in separate ones. */
export interface TestInstallation {
  readonly service: SampleService
  /** Contains all folders of the installation. */
  readonly folder: string
  readonly home: string
  readonly root: string
  /** Starts one pass in a process of its own. */
  startSync(options?: RunOptions): Started
  /** Runs one pass of the command line to its end, in this process: a twentieth of the time of a process of its own. */
  sync(): Promise<SyncEnd>
  /** Runs one pass of the engine alone, in this process; for passes that are not under test. */
  syncHere(): Promise<SyncReport>
  close(): Promise<void>
}

export interface InstallOptions {
  readonly service?: SampleServiceOptions
  /** Existing parent of the installation's folder. Default: the system's folder for temporary files. */
  readonly within?: string
  /** An existing folder. Default: one below the installation's folder. */
  readonly home?: string
  readonly root?: string
}

/** Small, cheap files, since only their number matters here. */
const smallFiles: SampleServiceOptions = {
  photoBytes: 1700,
  reportBytes: 4000,
  statuses: ['completed'],
  awkwardNames: false,
  requestLogLimit: 1_000_000,
}

/** Node's compile cache, which halves the time of each of dozens of processes. */
const compileCache = join(cloneFolder, 'out', 'compile-cache')

const syncArguments = ['sync', '--json', '--quiet', '--api-rate', '0']

/** Starts the service and adds its projects. Nothing is archived yet. */
export async function install(options: InstallOptions = {}): Promise<TestInstallation> {
  const service = await startSampleService({ ...smallFiles, ...options.service })
  const folder = mkdtempSync(join(options.within ?? tmpdir(), 'solarchive-faults-'))
  const home = options.home ?? join(folder, 'home')
  const makeHome = newDataFolder(home)
  const root = options.root ?? join(folder, 'archive')

  async function withEngine<T>(work: (engine: Engine) => T | Promise<T>): Promise<T> {
    makeHome()
    const engine = createEngine(
      { serviceUrl: service.url, homeFolder: home, archiveFolder: root, apiCallsPerMinute: 0, writeMode: 'inline' },
      silentPorts(service.token),
    )
    try {
      return await work(engine)
    } finally {
      await engine.close()
    }
  }

  const env = {
    SOLARCHIVE_URL: service.url,
    SOLARCHIVE_TOKEN: service.token,
    SOLARCHIVE_HOME: home,
    SOLARCHIVE_ARCHIVE: root,
  }
  const installation: TestInstallation = {
    service,
    folder,
    home,
    root,
    startSync: (options) =>
      startSolarchive(syncArguments, {
        script: bundledCommandLine,
        ...options,
        env: { ...env, NODE_COMPILE_CACHE: compileCache, ...options?.env },
      }),
    sync: async () => readEnd(await runMain(syncArguments, { env })),
    syncHere: () => withEngine((engine) => engine.sync()),
    async close() {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await withEngine((engine) => engine.projects.add(service.projects.map(({ id, name }) => ({ id, name }))))
  return installation
}

/** Parses the single document of a `sync --json` that ended by itself. */
export function readEnd(ended: Ended): SyncEnd {
  const document: unknown = ended.stdout === '' ? undefined : JSON.parse(ended.stdout)
  const report = syncReportSchema.safeParse(document).data
  const error = document as { error?: { code?: string } } | undefined
  const codes = report?.failures.map(({ code }) => code) ?? [error?.error?.code ?? 'none']
  return { ...ended, report, codes: [...new Set(codes)] }
}
