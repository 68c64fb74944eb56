import { randomBytes } from 'node:crypto'
import { hookSettings } from '../../electron/app/hooks/hook-settings.ts'
import type { AppPorts, SettingsSource, TokenStore } from '../../electron/app/ports.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { startSampleService } from '../../electron/sample-service/start-sample-service.ts'
import { silentLogger } from './silent-logger.ts'

/** Keeps the token in memory. */
export function tokenStore(token?: string): TokenStore {
  let kept = token
  return {
    read: () => Promise.resolve(kept),
    save(value) {
      kept = value
      return Promise.resolve()
    },
    remove() {
      const removed = kept
      kept = undefined
      return Promise.resolve(() => {
        kept = removed
        return Promise.resolve()
      })
    },
    source: () => Promise.resolve(kept === undefined ? 'none' : 'file'),
    problem: () => Promise.resolve(null),
    keepsIn: () => Promise.resolve('file'),
  }
}

/** Resolves settings.json like a host without flags and environment. */
export function settingsSource(homeFolder: string, archiveFolder: string, serviceUrl: string): SettingsSource {
  return {
    homeFolder,
    userFolder: homeFolder,
    fixed: [],
    resolve: (file) => ({
      homeFolder,
      serviceUrl: file.serviceUrl ?? serviceUrl,
      archiveFolder: file.archiveFolder ?? archiveFolder,
      apiCallsPerMinute: file.apiCallsPerMinute ?? 0,
      useSample: false,
      homeSource: 'default',
      archiveSource: 'default',
      ...(file.concurrency !== undefined && { concurrency: file.concurrency }),
      ...(file.quietHours !== undefined && { quietHours: file.quietHours }),
      ...(file.logLevel !== undefined && { logLevel: file.logLevel }),
      ...hookSettings(file.hooks),
      ...(file.allowHttp !== undefined && { allowHttp: file.allowHttp }),
    }),
  }
}

const silent = () => undefined

/** Silent host ports with a small sample service. */
export function hostPorts(tokens: TokenStore, ports: Partial<AppPorts> = {}): AppPorts {
  return {
    clock: systemClock,
    logger: silentLogger,
    tokens,
    startSample: () =>
      startSampleService({ projects: 1, checklistsPerProject: 1, photoBytes: 2000, reportBytes: 5000 }),
    keepSecret: silent,
    setLogLevel: silent,
    stop: silent,
    deliverBundle: () => Promise.resolve({ kind: 'download', path: '/support-bundle.zip' }),
    appInfo: {
      version: randomBytes(3).toString('hex'),
      host: 'browser',
      canUpdate: false,
      platform: process.platform,
      logsFolder: '/logs',
      startedAt: new Date().toISOString(),
    },
    ...ports,
  }
}
