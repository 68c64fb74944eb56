import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { type FoundElectron, findElectron, hasDisplay } from '../../electron/headless/electron-app.ts'
import { cloneFolder } from '../headless/run-solarchive.ts'
import { fillBigDatabase } from '../support/big-database.ts'
import { pageWithDevtools, startWithDevtools } from '../support/start-with-devtools.ts'
import { launcher } from './contest.ts'
import { type AnyRow, countOf, median, printRow } from './rows.ts'

const projects = 1_000

/** Milliseconds beyond `node -e 0`, and of a window. */
const targets = { version: 100, status: 250, window: 700 }

/**
 * `npm run bench -- start [rounds]`: how long starts take, the median of nine rounds in turn. The window needs
 * Electron, a display (`xvfb-run -a`), and `npm run build`. What npm itself adds to a command is printed alone: it
 * cannot be shortened here. Sets the exit code to 1 when a target is missed.
 */
export async function benchStart([rounds]: readonly string[]): Promise<void> {
  for (const row of await measureStart(countOf(rounds, 9))) printRow(row)
}

export async function measureStart(rounds: number): Promise<AnyRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-bench-start-'))
  try {
    const env = { ...process.env, ...fillHome(folder) }
    const run = (args: readonly string[], program = process.execPath) => timeOf(program, args, env)
    const electron = findElectron(cloneFolder, process.env, process.platform)
    const programs = {
      node: () => run(['-e', '0']),
      version: () => run(launcher('--version')),
      status: () => run(launcher('status', '--json')),
      npm: () => run(['run', '--silent', 'cli', '--', '--version'], 'npm'),
    }
    const times = { node: [] as number[], version: [] as number[], status: [] as number[], npm: [] as number[] }
    // Once before: the bundle and what Node compiles are made then.
    for (const program of Object.values(programs)) program()
    const windows: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      for (const name of ['node', 'version', 'status', 'npm'] as const) times[name].push(programs[name]())
      if (electron.kind === 'found' && hasDisplay(process.env, process.platform)) {
        windows.push(await paintOf(electron, join(folder, 'window')))
      }
    }
    const node = median(times.node)
    const beyond = (name: 'version' | 'status', what: string): AnyRow => {
      const value = Math.round(median(times[name]) - node)
      const ratio = `${(median(times[name]) / node).toFixed(1)} times ${ms(node)}`
      const text = `${value} ms (${ms(median(times[name]))}, ${ratio})`
      return { name: `${what}, beyond node -e 0`, text, value, target: targets[name] }
    }
    console.log(`npm adds ${ms(median(times.npm) - median(times.version))} to each command.`)
    return [
      beyond('version', '--version'),
      beyond('status', `status of ${projects.toLocaleString('en-US')} projects`),
      windowRow(windows, electron),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const ms = (value: number) => `${Math.round(value)} ms`

function windowRow(windows: readonly number[], electron: FoundElectron): AnyRow {
  const name = 'Window, from its launch to its first content'
  if (electron.kind === 'absent') return { name, missing: electron.why }
  if (windows.length === 0) return { name, missing: 'there is no display (xvfb-run -a provides one)' }
  return { name, text: ms(median(windows)), value: median(windows), target: targets.window }
}

/** Creates the folders of a service with many small projects. Returns the environment that names them. */
function fillHome(folder: string): NodeJS.ProcessEnv {
  const [home, archive] = [join(folder, 'home'), join(folder, 'archive')]
  mkdirSync(home)
  mkdirSync(join(folder, 'window'))
  // Not the archive folder in the user's home, which is the default.
  const settings = { serviceUrl: 'https://solarchive.invalid', archiveFolder: join(folder, 'window', 'archive') }
  writeFileSync(join(folder, 'window', 'settings.json'), JSON.stringify(settings))
  const database = join(home, 'solarchive.sqlite3')
  fillBigDatabase(database, { projects, checklistsPerProject: 1, filesPerChecklist: 3 })
  const db = new Database(database)
  const recorded = db.prepare<[], { path: string; size: number }>(
    'SELECT path, size_bytes AS size FROM assets WHERE size_bytes IS NOT NULL',
  )
  for (const { path, size } of recorded.all()) {
    mkdirSync(join(archive, dirname(path)), { recursive: true })
    const file = openSync(join(archive, path), 'w')
    // Status looks at names and sizes only.
    ftruncateSync(file, size)
    closeSync(file)
  }
  db.close()
  return { SOLARCHIVE_HOME: home, SOLARCHIVE_ARCHIVE: archive, INIT_CWD: cloneFolder }
}

/** Returns the milliseconds of a program from its start to its end. Exit code 4 is an incomplete archive. */
function timeOf(program: string, args: readonly string[], env: NodeJS.ProcessEnv): number {
  const startMs = performance.now()
  try {
    execFileSync(program, args, { cwd: cloneFolder, env, stdio: ['ignore', 'ignore', 'ignore'] })
  } catch (error) {
    if (!(error instanceof Error && 'status' in error && error.status === 4)) throw error
  }
  return performance.now() - startMs
}

/** Starts the built app; returns the milliseconds from the start of its process to the first content of its page. */
async function paintOf({ program }: Extract<FoundElectron, { kind: 'found' }>, home: string): Promise<number> {
  const startedMs = Date.now()
  const { child, address } = startWithDevtools(program, home, [cloneFolder])
  try {
    const page = await pageOf(await address)
    for (;;) {
      const paintedMs = await evaluate(
        page,
        "performance.timeOrigin + (performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN)",
      )
      if (paintedMs !== null) return paintedMs - startedMs
      await sleep(50)
    }
  } finally {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
}

/** Resolves to the address of the page once it is there. */
async function pageOf(address: string): Promise<string> {
  for (;;) {
    const page = await pageWithDevtools(address)
    if (page !== undefined) return page
    await sleep(50)
  }
}

/** Returns the number that an expression has in the page, or `null` if it has none, as while the page is replaced. */
async function evaluate(page: string, expression: string): Promise<number | null> {
  const socket = new WebSocket(page)
  try {
    await once(socket, 'open')
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression, returnByValue: true } }))
    const [message] = (await once(socket, 'message')) as [{ data: string }]
    const answer = JSON.parse(message.data) as { result?: { result: { value?: number | null } } }
    return answer.result?.result.value ?? null
  } finally {
    socket.close()
  }
}
