import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { cloneFolder } from '../../headless/run-solarchive.ts'
import { electronProgram } from './electron-runtime.ts'

/** A packaged app, as an installer would put it on a disk. */
export interface PackagedApp {
  readonly folder: string
  readonly program: string
  /** The command line that comes with it. */
  readonly launcher: string
  readonly resources: string
  remove(): void
}

/** Packages the build output for Linux, with the suite's Electron. */
export async function packageApp(): Promise<PackagedApp> {
  const work = mkdtempSync(join(tmpdir(), 'solarchive-packaged-'))
  const runtime = dirname(electronProgram())
  const dist = join(work, 'electron')
  // The runtime's files for apps that are not packaged are left out.
  const isOwn = (path: string) => basename(dirname(path)) !== 'resources'
  cpSync(runtime, dist, { recursive: true, filter: isOwn })
  const version = readFileSync(join(runtime, 'version'), 'utf8').trim().replace(/^v/, '')
  await build([
    '--linux',
    'dir',
    '--publish',
    'never',
    `-c.directories.output=${join(work, 'dist')}`,
    `-c.electronDist=${dist}`,
    `-c.electronVersion=${version}`,
  ])
  rmSync(dist, { recursive: true })
  const folder = join(work, 'dist', 'linux-unpacked')
  const resources = join(folder, 'resources')
  return {
    folder,
    resources,
    program: join(folder, 'solarchive-app'),
    launcher: join(resources, 'bin', 'solarchive'),
    remove: () => rmSync(work, { recursive: true, force: true }),
  }
}

/** A runtime older than the product's comes with a native file that it can load, which replaces the packaged one. */
export function fitToRuntime({ resources }: PackagedApp): void {
  const fitting = join(dirname(electronProgram()), 'resources', 'better_sqlite3.node')
  const packaged = join(resources, 'app.asar.unpacked', 'node_modules/better-sqlite3/prebuilds/linux-x64.node')
  if (existsSync(fitting)) cpSync(fitting, packaged)
}

function build(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(cloneFolder, 'node_modules/electron-builder/cli.js'), ...args], {
      cwd: cloneFolder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`The app could not be packaged:\n${printed}`)),
    )
  })
}
