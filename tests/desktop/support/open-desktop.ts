import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright-core'
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/calls.ts'
import type { bridgeKey, DesktopBridge } from '../../../shared/contract/channel-names.ts'
import type { Answer } from '../../../shared/envelope.ts'
import {
  startSampleService,
  type SampleService,
  type SampleServiceOptions,
} from '../../../electron/sample-service/start-sample-service.ts'
import { cloneFolder, longLimits } from '../../headless/run-solarchive.ts'
import { until } from '../../support/watching.ts'
import { electronFlags } from '../../../electron/headless/electron-app.ts'
import { electronProgram } from './electron-runtime.ts'

/** A user's folders and a sample service for the test. They outlive the app, which may be started repeatedly. */
export interface Sandbox {
  readonly folder: string
  readonly home: string
  readonly archive: string
  readonly service: SampleService
  remove(): Promise<void>
}

export interface SandboxOptions extends SampleServiceOptions {
  /** Writes the service and the archive folder to the settings, and the token to the private file. Default true. */
  readonly isSetUp?: boolean
}

/** The installed app, running. */
export interface DesktopApp {
  readonly electron: ElectronApplication
  readonly page: Page
  /** Violations by the page: errors, and requests to other hosts. */
  readonly problems: readonly string[]
  /** Calls the engine as the page does. */
  readonly ask: <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<Answer<CallOutput<Name>>>
  /** Like `ask`, but throws if the call fails. */
  readonly call: <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<CallOutput<Name>>
  /** Waits until every expected file of every project is archived. */
  readonly untilArchived: () => Promise<void>
  /** Shows the view at this path of the app, such as `/projects`. */
  readonly show: (path: string) => Promise<void>
  readonly quit: () => Promise<void>
}

/** Time for the app to start and to show its window: a busy machine with a cold disk takes over 30 s. */
export const startTimeoutMs = 240_000

type BridgeWindow = { readonly [key in typeof bridgeKey]: DesktopBridge }

export async function makeSandbox({ isSetUp = true, ...options }: SandboxOptions = {}): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-desktop-'))
  const [home, archive] = [join(folder, 'home'), join(folder, 'archive')]
  mkdirSync(home, { mode: 0o700 })
  const service = await startSampleService({ photoBytes: 4000, reportBytes: 8000, ...options })
  if (isSetUp) {
    const settings = { serviceUrl: service.url, archiveFolder: archive, apiCallsPerMinute: 0 }
    writeFileSync(join(home, 'settings.json'), JSON.stringify(settings))
    writeFileSync(join(home, 'token'), service.token, { mode: 0o600 })
  }
  return {
    folder,
    home,
    archive,
    service,
    async remove() {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts the built app. */
export async function startDesktop(
  sandbox: Sandbox,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  program = electronProgram(),
): Promise<DesktopApp> {
  const electron = await launch(sandbox, args, env, program)
  const problems: string[] = []
  electron.on('window', (page) => watchForProblems(page, problems))
  let output = ''
  electron.process().stderr?.on('data', (text: Buffer) => (output += text.toString()))
  const readLog = () => {
    const logFile = join(sandbox.home, 'logs', 'solarchive.log')
    return existsSync(logFile) ? readFileSync(logFile, 'utf8') : 'The app wrote no log.'
  }
  const page = await electron.firstWindow({ timeout: startTimeoutMs }).catch((error: unknown) => {
    throw new Error(`No window was shown. The app printed:\n${output}\n${readLog()}`, { cause: error })
  })
  await page.locator('main h1').waitFor()

  const ask: DesktopApp['ask'] = async (name, input) =>
    (await page.evaluate(([name, input]) => (globalThis as unknown as BridgeWindow).solarchive.invoke(name, input), [
      name,
      input,
    ] as const)) as never
  const call: DesktopApp['call'] = async (name, input) => {
    const answer = await ask(name, input)
    if (!answer.ok) throw new Error(`${name}: ${answer.error.code}: ${answer.error.message}`)
    return answer.value
  }
  // The window is shown before the data folder is open.
  await ask('app.info', {})
  return {
    electron,
    page,
    problems,
    ask,
    call,
    quit: () => quit(electron),
    async untilArchived() {
      await until('everything is archived', async () => {
        const { items } = await call('projects.list', {})
        return items.length > 0 && items.every((item) => item.lastSyncedAt !== null && item.waitingFiles === 0)
      }).catch((error: unknown) => {
        throw new Error(`Not everything is archived. The log of the app:\n${readLog()}`, { cause: error })
      })
    },
    async show(path) {
      await page.evaluate((path) => {
        const { location } = globalThis as unknown as { readonly location: { hash: string } }
        location.hash = path
      }, path)
      await page.locator('main h1').waitFor()
    },
  }
}

/** Starts the built app without waiting. */
export async function launch(
  { home }: Pick<Sandbox, 'home'>,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  program = electronProgram(),
): Promise<ElectronApplication> {
  const preloaded = [longLimits, join(import.meta.dirname, 'wait-for-client.cjs')].flatMap((path) => ['-r', path])
  const electron = await _electron.launch({
    executablePath: program,
    args: [...electronFlags(), ...preloaded, '.', ...args],
    cwd: cloneFolder,
    env: { ...inherited(), WAIT_FOR_CLIENT: '1', SOLARCHIVE_HOME: home, ...env },
    timeout: startTimeoutMs,
  })
  // Playwright's 30 s are too few on a busy machine.
  electron.context().setDefaultTimeout(startTimeoutMs)
  return electron
}

/** Starts the built app as the system does. Resolves to its exit code and its output. */
export async function startAgain(
  { home }: Sandbox,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const child = spawn(electronProgram(), [...electronFlags(), '.', ...args], {
    cwd: cloneFolder,
    env: { ...inherited(), SOLARCHIVE_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let stdout = ''
  child.stdout.on('data', (text: Buffer) => (stdout += text.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout }
}

/** Quits the app as a user does. */
export async function quit(electron: ElectronApplication): Promise<void> {
  const ended = electron.waitForEvent('close', { timeout: startTimeoutMs })
  await electron.evaluate(({ app }) => void setTimeout(() => app.quit(), 0)).catch(() => undefined)
  await ended
}

/** Returns the environment without Solarchive's settings and the test runner's own variables. */
function inherited(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(SOLARCHIVE_|VITEST|NODE_OPTIONS)/.test(entry[0]),
  )
  return Object.fromEntries(kept)
}

function watchForProblems(page: Page, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`${message.type()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!/^(app:\/\/solarchive|archive:|data:|blob:)/.test(request.url())) problems.push(`request to ${request.url()}`)
  })
}
