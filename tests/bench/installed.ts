import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPackaged } from '../desktop/support/open-packaged.ts'
import { fitToRuntime, packageApp } from '../desktop/support/package-app.ts'
import { median } from './rows.ts'

/** Of the clock, on a quiet machine. */
const targets = { firstViewMs: 3000 }

/**
 * `npm run bench -- installed [rounds]`, on Linux with a display (`xvfb-run -a`), after `npm run build`: packages the
 * app and prints its size, how long a start takes until the first view is there, and the memory of all its processes
 * then. The first start is one without a data folder. Sets the exit code to 1 when the median misses its target.
 */
export async function benchInstalled([roundsText = '5']: readonly string[]): Promise<void> {
  const rounds = Number(roundsText)
  if (!(rounds >= 1)) {
    console.error('Usage: npm run bench -- installed [rounds]')
    process.exitCode = 2
    return
  }
  const packaged = await packageApp()
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-installed-'))
  try {
    fitToRuntime(packaged)
    const own = sizeOf(packaged.resources)
    console.log(`Installed: ${megabytes(sizeOf(packaged.folder))}, of it Solarchive's own ${megabytes(own)}.`)
    const times: number[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const app = await openPackaged(packaged, { home: join(folder, 'home') })
      try {
        const memory = memoryBelow(app.child.pid ?? 0)
        times.push(app.firstViewMs)
        console.log(`Start ${round}: first view after ${Math.round(app.firstViewMs)} ms, memory ${megabytes(memory)}.`)
      } finally {
        await app.quit()
      }
    }
    const medianMs = median(times)
    console.log(`Median: ${Math.round(medianMs)} ms (target ${targets.firstViewMs} ms).`)
    if (medianMs > targets.firstViewMs) process.exitCode = 1
  } finally {
    packaged.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

/** Bytes of a process and all below it; what several of them share is counted once, in parts. */
function memoryBelow(root: number): number {
  const processes = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const family = new Set([root])
  for (const [pid = 0, parent = 0] of processes) if (family.has(parent)) family.add(pid)
  return [...family].reduce((sum, pid) => sum + shareOf(pid), 0)
}

/** Bytes; none of a process that has ended meanwhile. */
function shareOf(pid: number): number {
  try {
    const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return Number(kilobytes ?? 0) * 1024
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ESRCH', 'ENOENT'].includes(String(error.code))) return 0
    throw error
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
