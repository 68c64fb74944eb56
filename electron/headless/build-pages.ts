import { spawn } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { childEnvironment } from '../app/child-environment.ts'

const sources = ['renderer', 'shared', 'resources', 'electron.vite.config.ts', 'package-lock.json']

/**
 * Builds the app if its pages are missing or older than their sources, or than the files and folders in `more`. Throws
 * `internal` if the build fails.
 */
export async function buildPages(
  clone: string,
  onBuild: () => void,
  signal: AbortSignal,
  more: readonly string[] = [],
): Promise<void> {
  const built = await stat(join(clone, 'out', 'renderer', 'index.html')).catch(() => undefined)
  if (built !== undefined && (await newestMs(clone, [...sources, ...more])) <= built.mtimeMs) return
  onBuild()
  const output = await run(clone, signal)
  if (output === undefined) return
  throw new AppError('internal', 'The pages of the app could not be built. The output of the build follows.', {
    cause: new Error(output),
  })
}

async function newestMs(clone: string, of: readonly string[]): Promise<number> {
  const times: number[] = []
  for (const source of of) {
    const path = join(clone, source)
    const found = await stat(path)
    times.push(found.mtimeMs)
    if (!found.isDirectory()) continue
    for (const name of await readdir(path, { recursive: true })) times.push((await stat(join(path, name))).mtimeMs)
  }
  return Math.max(...times)
}

/** Runs the build and returns its output if it fails. */
function run(clone: string, signal: AbortSignal): Promise<string | undefined> {
  const script = join(clone, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, 'build'], {
      cwd: clone,
      env: childEnvironment(process.env),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const stop = () => child.kill()
    signal.addEventListener('abort', stop, { once: true })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.once('error', reject)
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) reject(signal.reason as Error)
      else resolve(code === 0 ? undefined : output)
    })
  })
}
