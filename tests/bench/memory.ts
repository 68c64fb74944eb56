import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type Arena, launcher, openSite, prepareCommandLine, syncArguments } from './contest.ts'
import type { SiteProgress } from './processes/messages.ts'
import type { AnyRow } from './rows.ts'

const photosPerChecklist = 200

/** The smallest photo of the sample service, rounded up: only their number matters here. */
const photoBytes = 2_000

/**
 * Peak memory of the command line in a first sync of many small files. It should not grow with their number: the row
 * has the peaks when a quarter, half, and all of them were sent.
 */
export async function measureMemory(arena: Arena, files: number): Promise<AnyRow[]> {
  const name = `Peak memory, ${files.toLocaleString('en-US')} small files, MB`
  if (process.platform !== 'linux') return [{ name, missing: 'peaks are read from /proc, which Linux alone has' }]
  const photos = Math.ceil(files / 2)
  const checklists = Math.ceil(photos / photosPerChecklist)
  const site = await openSite({ checklists, photos, photoBytes, previews: 'like photos' })
  try {
    const { env } = prepareCommandLine(site, arena.next('memory'))
    const total = site.paths.length
    const peaks = { quarter: 0, half: 0 }
    let latest = 0
    const child = spawn(process.execPath, launcher(...syncArguments), { env, stdio: ['ignore', 'ignore', 'inherit'] })
    const look = () => {
      latest = peakBelow(child.pid ?? 0) ?? latest
    }
    const timer = setInterval(look, 200)
    site.server.on('message', ({ served }: SiteProgress) => {
      look()
      if (served <= total / 4) peaks.quarter = latest
      if (served <= total / 2) peaks.half = latest
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    clearInterval(timer)
    if (code !== 0) throw new Error(`The sync ended with ${code}`)
    const text = `${latest.toFixed(0)} (${peaks.quarter.toFixed(0)} at a quarter, ${peaks.half.toFixed(0)} at half)`
    return [{ name, text, value: latest, target: 150, aim: 120 }]
  } finally {
    site.close()
  }
}

/** Returns the peak of the process that the launcher runs, in megabytes, or `undefined` while there is none. */
export function peakBelow(launcherPid: number): number | undefined {
  try {
    const [child] = readFileSync(`/proc/${launcherPid}/task/${launcherPid}/children`, 'utf8').trim().split(' ')
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
  } catch {
    // It has just started, or ended.
    return undefined
  }
}
