import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { cloneFolder } from '../../headless/run-solarchive.ts'

const sources = [
  'renderer',
  'shared',
  'resources',
  'electron.vite.config.ts',
  'scripts/pdf-runtime-files.mjs',
  'package-lock.json',
]

/** A build takes seconds, and minutes on a slow machine that is busy. */
const longestBuildMs = 900_000

/**
 * Builds the app if the renderer is older than its sources, or than the files and folders in `more`. Test files that
 * ask at the same time wait for one build.
 */
export async function buildRenderer(more: readonly string[] = []): Promise<void> {
  const lock = join(cloneFolder, 'out', 'build-renderer.lock')
  mkdirSync(join(cloneFolder, 'out'), { recursive: true })
  while (!isFresh([...sources, ...more])) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
    } catch {
      if (isAbandoned(lock)) rmSync(lock, { force: true })
      await pause(200)
      continue
    }
    try {
      const bundler = join(cloneFolder, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
      await promisify(execFile)(process.execPath, [bundler, 'build'], { cwd: cloneFolder })
    } finally {
      rmSync(lock, { force: true })
    }
  }
}

/** Vitest's global setup: one build before the first test file. */
export default (): Promise<void> => buildRenderer()

/** Returns whether the process that holds the lock has ended. Its id may belong to another process since. */
function isAbandoned(lock: string): boolean {
  const lockedAtMs = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
  if (lockedAtMs < Date.now() - longestBuildMs) return true
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function isFresh(sources: readonly string[]): boolean {
  const built = statSync(join(cloneFolder, 'out', 'renderer', 'index.html'), { throwIfNoEntry: false })
  return built !== undefined && Math.max(...sources.map((source) => newest(join(cloneFolder, source)))) < built.mtimeMs
}

function newest(path: string): number {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
  const times = files
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs)
  return Math.max(0, ...times)
}
