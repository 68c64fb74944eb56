import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core'
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/calls.ts'
import type { Answer } from '../../../shared/envelope.ts'
import {
  startSampleService,
  type SampleService,
  type SampleServiceOptions,
} from '../../../electron/sample-service/start-sample-service.ts'
import { formatSessionKeys, parseSessionKeys, sessionHeader, sessionName } from '../../../shared/browser-session.ts'
import { cloneFolder, startSolarchive } from '../../headless/run-solarchive.ts'
import { keysInPage } from '../../support/browser-session.ts'
import { startMain } from '../../support/run-main.ts'
import { until } from '../../support/watching.ts'

/** The app in a real browser, on the command line's `serve`, on a sample service that the test can change. */
export interface TestApp {
  readonly page: Page
  readonly service: SampleService
  readonly folder: string
  readonly home: string
  readonly archive: string
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** Shows the view at this path of the app, such as `/projects`. */
  readonly show: (path: string) => Promise<void>
  /** Calls the engine as the page does. Throws if the call fails. */
  readonly call: <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<CallOutput<Name>>
  /** Waits until every expected file of every project is archived. */
  readonly untilArchived: () => Promise<void>
  /** Ends `serve` as a supervisor does, and waits. */
  readonly stop: () => Promise<void>
  /**
   * Ends `serve` (with `hasOwnProcess`: as a power failure does) and starts it again on the same port, after
   * `meanwhile`. Resolves to the address that it then prints.
   */
  readonly startAgain: (meanwhile?: () => void) => Promise<string>
  /** Returns the address that `serve` printed last: each one can be opened once. */
  readonly latestAddress: () => string
}

export interface TestAppOptions {
  readonly service?: SampleServiceOptions
  /** Uses photos and reports of real size. Default false: small ones. */
  readonly isLifelike?: boolean
  /** Starts with the service's address, its token, and an archive folder. Default true. */
  readonly isSetUp?: boolean
  /** Adds the service's projects. Default true. */
  readonly addsProjects?: boolean
  /** Opens the page once every expected file is archived: a page that shows the sync costs more than the sync. */
  readonly isArchived?: boolean
  /** Runs `serve` in a separate process, which can be killed. Default: in the process of the test. */
  readonly hasOwnProcess?: boolean
  /** Shows animations, as for most users. Default false, since a single spinner keeps a processor busy. */
  readonly hasMotion?: boolean
  /** Opens the app in a new browser context, which has cached no file of an earlier archive. Default false. */
  readonly hasEmptyCache?: boolean
  readonly env?: NodeJS.ProcessEnv
  /** Folder in which that of the app is created. Default: the system's for temporary files. */
  readonly within?: string
  /**
   * Home folder of a fictional user, in which the app is started as by them: with its settings in the settings file,
   * and none fixed by options. It is emptied first.
   */
  readonly personFolder?: string
  /** Starts a proxy between the app and the sample service. The app gets its address instead of the service's. */
  readonly front?: (service: SampleService) => Promise<{ readonly url: string; readonly close: () => Promise<void> }>
  readonly viewport?: { readonly width: number; readonly height: number }
  /** Fills the folders before the process starts. */
  readonly prepare?: (folders: { readonly home: string; readonly archive: string }) => void | Promise<void>
  /** Expected console messages, such as for a request that is refused on purpose. */
  readonly expectedMessages?: RegExp
}

/**
 * Browser context with one page for apps that are opened one after the other, each at the same port if it is free: the
 * page keeps its process, and the browser keeps the files that it may cache.
 */
export interface Stage {
  readonly context: BrowserContext
  port: string
}

/** Opens a context for apps. Its page is opened with the first app. */
export async function openStage(browser: Browser): Promise<Stage> {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  // Playwright's 30 s are too few on a busy machine.
  context.setDefaultTimeout(240_000)
  return { context, port: '0' }
}

/**
 * Opens the app in the page of `stage`, lets `use` drive it, and ends it. Returns the page's violations: logged
 * errors, violations of the content security policy, and requests to other hosts. The renderer has to be built.
 */
export async function openApp(
  stage: Stage,
  options: TestAppOptions,
  use: (app: TestApp) => Promise<void>,
): Promise<string[]> {
  const { personFolder, within = tmpdir() } = options
  const folder = personFolder ?? mkdtempSync(join(within, 'solarchive-e2e-'))
  const home = personFolder === undefined ? join(folder, 'home') : join(folder, '.local', 'share', 'solarchive')
  const archive = join(folder, personFolder === undefined ? 'archive' : 'Solarchive')
  const service = await startSampleService({
    ...(options.isLifelike !== true && { photoBytes: 4000, reportBytes: 8000 }),
    ...options.service,
  })
  const front = await options.front?.(service)
  await options.prepare?.({ home, archive })
  if (personFolder !== undefined) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(home, { recursive: true, mode: 0o700 })
    if (options.isSetUp !== false) {
      const file = { serviceUrl: front?.url ?? service.url, archiveFolder: archive, apiCallsPerMinute: 0 }
      writeFileSync(join(home, 'settings.json'), JSON.stringify(file))
      writeFileSync(join(home, 'token'), service.token, { mode: 0o600 })
    }
  }
  const settings = {
    SOLARCHIVE_HOME: home,
    ...(options.isSetUp !== false && {
      SOLARCHIVE_URL: front?.url ?? service.url,
      SOLARCHIVE_TOKEN: service.token,
      SOLARCHIVE_ARCHIVE: archive,
    }),
  }
  const start = (port: string): Serving => {
    const args = ['serve', '--port', port, ...(personFolder === undefined ? ['--api-rate', '0'] : [])]
    const env = { ...(personFolder === undefined ? settings : { HOME: personFolder }), ...options.env }
    return options.hasOwnProcess === true ? serveInOwnProcess(args, env) : startMain(args, { env })
  }
  let serving = start(stage.port)
  const { context } = stage
  const page = context.pages()[0] ?? (await context.newPage())
  const connection = { wasCut: false }
  const stop = async () => {
    connection.wasCut = true
    await serving.stop()
  }
  try {
    const opening = await printedAddress(serving).catch((error: unknown) => {
      if (stage.port === '0') throw error
      // Another program may have taken the port.
      serving = start('0')
      return printedAddress(serving)
    })
    const { origin, port } = new URL(opening)
    stage.port = port

    /** Keys of the session whose cookie is in the context. */
    let callKey = ''
    const readKeys = async () => {
      const texts = await Promise.all(
        context.pages().map((one) => one.evaluate(`sessionStorage.getItem('${sessionName}')`).catch(() => null)),
      )
      const keys = texts.flatMap((text) => parseSessionKeys(text) ?? [])
      callKey = keys.sort((a, b) => b.openedAtMs - a.openedAtMs)[0]?.callKey ?? callKey
    }
    const call: TestApp['call'] = async (name, input) => {
      const post = () =>
        context.request.post(`${origin}/api/call/${name}`, { data: input, headers: { [sessionHeader]: callKey } })
      let response = await post()
      if (response.status() === 401) {
        await readKeys()
        response = await post()
      }
      const answer = (await response.json()) as Answer<CallOutput<typeof name>>
      if (!answer.ok) throw new Error(`${name}: ${answer.error.code}: ${answer.error.message}`)
      return answer.value
    }
    const addProjects = async () => {
      if (options.isSetUp === false || options.addsProjects === false) return
      await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
    }
    const untilArchived = () =>
      until('everything is archived', async () => {
        const { items } = await call('projects.list', {})
        return items.length > 0 && items.every((item) => item.lastSyncedAt !== null && item.waitingFiles === 0)
      })
    if (options.isArchived === true) {
      // The printed address can be opened once: the request leaves its cookie in the context, and the page gets the
      // keys.
      const keys = keysInPage(await (await context.request.get(opening)).text())
      callKey = keys.callKey
      await page.goto(`${origin}/no-such-page.html`)
      await page.evaluate(`sessionStorage.setItem('${sessionName}', '${formatSessionKeys(keys)}')`)
      await addProjects()
      await untilArchived()
    }
    await page.setViewportSize(options.viewport ?? { width: 1280, height: 800 })
    await page.emulateMedia({
      colorScheme: 'light',
      reducedMotion: options.hasMotion === true ? 'no-preference' : 'reduce',
    })
    const watched = watchForProblems(page, origin, connection, options.expectedMessages)
    await page.goto(options.isArchived === true ? origin : opening)
    await page.locator('main h1').waitFor()
    if (options.isArchived !== true) await addProjects()
    await use({
      page,
      service,
      folder,
      home,
      archive,
      origin,
      call,
      untilArchived,
      stop,
      async startAgain(meanwhile) {
        connection.wasCut = true
        await (serving.kill ?? serving.stop)()
        meanwhile?.()
        serving = start(port)
        return printedAddress(serving)
      },
      latestAddress: () => addressesOf(serving).at(-1) ?? '',
      async show(path) {
        await page.goto(`${origin}/#${path}`)
        await page.locator('main h1').waitFor()
      },
    })
    watched.end()
    return watched.problems
  } finally {
    await leave(page)
    await stop()
    await front?.close()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A running `serve`. */
interface Serving {
  readonly printed: { readonly stdout: string; readonly stderr: string }
  readonly hasEnded: () => boolean
  /** Ends it cleanly, and waits. */
  readonly stop: () => Promise<unknown>
  /** Kills its process, and waits. */
  readonly kill?: () => Promise<unknown>
}

/** Runs the command line as `npm run cli` does: from the bundle of this clone. */
function serveInOwnProcess(args: readonly string[], env: NodeJS.ProcessEnv): Serving {
  const script = join(cloneFolder, 'scripts', 'cli.mjs')
  const { child, printed, ended } = startSolarchive(args, { env, script })
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return {
    printed,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

async function printedAddress(serving: Serving): Promise<string> {
  await until('serve prints its address', () => addressesOf(serving).length > 0 || serving.hasEnded())
  const [found] = addressesOf(serving)
  if (found === undefined) throw new Error(`serve did not start: ${serving.printed.stderr}`)
  return found
}

const addressesOf = ({ printed }: Serving) =>
  (printed.stdout + printed.stderr).match(/http:\/\/\S+\/open\/[\w-]+/g) ?? []

/** The browser's messages about calls to a host that was stopped, has ended, or was replaced. */
const cutCall =
  /ERR_CONNECTION_\w+|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|status of 401/

/**
 * Leaves the app for a page of the same host without scripts, so that the page keeps its process. Closes a page that
 * has crashed or whose host has ended. Nothing that the app or the test stored remains, except for files in the cache.
 */
async function leave(page: Page): Promise<void> {
  const context = page.context()
  for (const other of context.pages()) {
    if (other !== page) await other.close()
  }
  try {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    const blank = await page.goto(new URL('/no-such-page.html', page.url()).href)
    if (blank === null) throw new Error('There is no page to stay at')
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await page.mouse.move(0, 0)
  } catch {
    await page.close()
  }
  await context.clearCookies()
}

/** Collects the page's violations: errors, warnings, and requests to other hosts. */
function watchForProblems(
  page: Page,
  origin: string,
  connection: { readonly wasCut: boolean },
  expected: RegExp | undefined,
): { readonly problems: string[]; readonly end: () => void } {
  const problems: string[] = []
  const onError = (error: Error) => void problems.push(`error: ${error.stack ?? error.message}`)
  const onMessage = (message: ConsoleMessage) => {
    const [kind, text] = [message.type(), message.text()]
    const isExpected = (connection.wasCut && cutCall.test(text)) || expected?.test(text) === true
    if ((kind === 'error' || kind === 'warning') && !isExpected)
      problems.push(`${kind}: ${text} ${message.location().url}`)
  }
  const onRequest = (request: Request) => {
    const { protocol, origin: to } = new URL(request.url())
    if (/^https?:|^wss?:/.test(protocol) && to !== origin) problems.push(`request to ${to}`)
  }
  page.on('pageerror', onError).on('console', onMessage).on('request', onRequest)
  return {
    problems,
    end: () => void page.off('pageerror', onError).off('console', onMessage).off('request', onRequest),
  }
}
