import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { CallInput, CallOutput } from '../../../shared/contract.ts'
import type { CallName } from '../../../shared/channel-names.ts'
import type { Answer } from '../../../shared/envelope.ts'
import {
  startSampleService,
  type SampleService,
  type SampleServiceOptions,
} from '../../../electron/sample-service/start-sample-service.ts'
import { startSolarchive, type Started } from '../../headless/run-solarchive.ts'
import { bundledCommandLine } from '../../support/build-processes.ts'
import { until } from '../../support/watching.ts'
import { buildRenderer } from './built-renderer.ts'

/** The app in a real browser, on the real command line's `serve`, on a sample service that the test can change. */
export interface App {
  readonly page: Page
  readonly service: SampleService
  readonly folder: string
  readonly home: string
  readonly archive: string
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** Shows the view at this path of the app, `/projects` say. */
  readonly show: (path: string) => Promise<void>
  /** Calls the engine as the page does. Throws for an answer that is none. */
  readonly call: <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<CallOutput<Name>>
  /** Waits until every expected file of every project is archived. */
  readonly untilArchived: () => Promise<void>
  /** Ends the process as a supervisor does, and waits. */
  readonly stop: () => Promise<void>
  /**
   * Ends the process as a power cut does and starts it again on the same port, after `meanwhile`. Answers the address that it
   * then prints.
   */
  readonly crashAndStartAgain: (meanwhile?: () => void) => Promise<string>
}

export interface AppOptions {
  readonly service?: SampleServiceOptions
  /** Photos and reports as the sample service draws them; else small ones, made cheaply. */
  readonly isLifelike?: boolean
  /** Starts with the service's address, its token and an archive folder. Default true. */
  readonly isSetUp?: boolean
  /** Adds the service's projects before the page is opened. Default true. */
  readonly addsProjects?: boolean
  readonly env?: NodeJS.ProcessEnv
  /**
   * A made-up person's own folder, in which the app is started as they start it: with what stands in its settings file, and
   * nothing of it fixed. It is emptied first.
   */
  readonly personFolder?: string
  /** Stands between the app and the sample service: answers the address that the app is given in place of the service's. */
  readonly front?: (service: SampleService) => Promise<{ readonly url: string; readonly close: () => Promise<void> }>
  readonly viewport?: { readonly width: number; readonly height: number }
  /** Fills the folders before the process starts. */
  readonly prepare?: (folders: { readonly home: string; readonly archive: string }) => void | Promise<void>
  /** Messages of the console that belong to what is tested, such as a request that is refused on purpose. */
  readonly expectedMessages?: RegExp
}

/**
 * Opens the app in the browser, lets `use` drive it, and closes everything. Answers what the page may not do and did: what it
 * logged as an error, what the content policy refused, and every request to another host.
 */
export async function openApp(
  browser: Browser,
  options: AppOptions,
  use: (app: App) => Promise<void>,
): Promise<string[]> {
  await buildRenderer()
  const { personFolder } = options
  const folder = personFolder ?? mkdtempSync(join(tmpdir(), 'solarchive-e2e-'))
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
      const settings = { serviceUrl: front?.url ?? service.url, archiveFolder: archive, apiCallsPerMinute: 0 }
      writeFileSync(join(home, 'settings.json'), JSON.stringify(settings))
      writeFileSync(join(home, 'token'), service.token, { mode: 0o600 })
    }
  }
  const given = {
    SOLARCHIVE_HOME: home,
    ...(options.isSetUp !== false && {
      SOLARCHIVE_URL: front?.url ?? service.url,
      SOLARCHIVE_TOKEN: service.token,
      SOLARCHIVE_ARCHIVE: archive,
    }),
  }
  const start = (port: string) =>
    startSolarchive(['serve', '--port', port, ...(personFolder === undefined ? ['--api-rate', '0'] : [])], {
      script: bundledCommandLine,
      env: { ...(personFolder === undefined ? given : { HOME: personFolder }), ...options.env },
    })
  let started = start('0')
  const context = await browser.newContext({ viewport: options.viewport ?? { width: 1280, height: 800 } })
  const page = await context.newPage()
  const connection = { wasCut: false }
  const end = async (signal: NodeJS.Signals) => {
    connection.wasCut = true
    started.child.kill(signal)
    await started.ended
  }
  const stop = () => end('SIGTERM')
  try {
    const opening = await printedAddress(started)
    const { origin, port } = new URL(opening)
    const problems = watchForProblems(page, origin, connection, options.expectedMessages)

    const call: App['call'] = async (name, input) => {
      const response = await context.request.post(`${origin}/api/call/${name}`, { data: input })
      const answer = (await response.json()) as Answer<CallOutput<typeof name>>
      if (!answer.ok) throw new Error(`${name}: ${answer.error.code}: ${answer.error.message}`)
      return answer.value
    }
    await page.goto(opening)
    await page.locator('main h1').waitFor()
    if (options.isSetUp !== false && options.addsProjects !== false) {
      await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
    }
    await use({
      ...{ page, service, folder, home, archive, origin, call, stop },
      async crashAndStartAgain(meanwhile) {
        await end('SIGKILL')
        meanwhile?.()
        started = start(port)
        return printedAddress(started)
      },
      async show(path) {
        await page.goto(`${origin}/#${path}`)
        await page.locator('main h1').waitFor()
      },
      async untilArchived() {
        await until('everything is archived', async () => {
          const { items } = await call('projects.list', {})
          return items.length > 0 && items.every((item) => item.lastSyncedAt !== null && item.waitingFiles === 0)
        })
      },
    })
    return problems
  } finally {
    await context.close()
    await stop()
    await front?.close()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function printedAddress({ child, printed }: Started): Promise<string> {
  const address = () => /http:\/\/\S+\/open\/[\w-]+/.exec(printed.stdout + printed.stderr)?.[0]
  await until('serve prints its address', () => address() !== undefined || child.exitCode !== null)
  const found = address()
  if (found === undefined) throw new Error(`serve did not start: ${printed.stderr}`)
  return found
}

/** What the browser says of calls whose process was ended under them, is not there, or is another one by now. */
const cutCall = /ERR_CONNECTION_\w+|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|status of 401/

/** Collects what no page of the app may do. */
function watchForProblems(
  page: Page,
  origin: string,
  connection: { readonly wasCut: boolean },
  expected: RegExp | undefined,
): string[] {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    const [kind, text] = [message.type(), message.text()]
    const isExpected = (connection.wasCut && cutCall.test(text)) || expected?.test(text) === true
    if ((kind === 'error' || kind === 'warning') && !isExpected)
      problems.push(`${kind}: ${text} ${message.location().url}`)
  })
  page.on('request', (request) => {
    const { protocol, origin: to } = new URL(request.url())
    if (/^https?:|^wss?:/.test(protocol) && to !== origin) problems.push(`request to ${to}`)
  })
  return problems
}
