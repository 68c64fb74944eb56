import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Arena, commandLine, isInstalled, launcher, openSite, prepareCommandLine, timed } from './contest.ts'
import { peakBelow } from './memory.ts'
import { countOf, median, printRow, seconds } from './rows.ts'

const photosPerChecklist = 200
const photoBytes = 20_000

/** Interval at which the peak of memory is read. */
const checkMs = 50

/**
 * `npm run bench -- export [photos] [rounds]`: an export of 10,000 photos (200 MB) to a zip, beside `zip -0 -r` of the
 * same files followed by `sync -f`, in alternating order; and the peak of its memory.
 */
export async function benchExport([photosText, roundsText]: readonly string[]): Promise<void> {
  const photos = countOf(photosText, 10_000)
  const rounds = countOf(roundsText, 5)
  const label = `Export of ${photos.toLocaleString('en-US')} photos to a zip`
  if (!isInstalled('zip')) return printRow({ name: label, missing: 'zip is not installed' })
  const arena = new Arena()
  const site = await openSite({
    checklists: Math.ceil(photos / photosPerChecklist),
    photos,
    photoBytes,
    previews: 'small',
  })
  try {
    const folder = arena.next('archive')
    await commandLine.run(site, folder)
    const { env, archive } = prepareCommandLine(site, folder)
    site.close()
    const out = arena.next('out')
    const peaks: number[] = []
    const exported = async () => {
      const path = join(out, 'ours.zip')
      const args = ['export', '--quiet', '--to', path, '--format', 'zip', '--include', 'photos']
      const { ms, peak } = await watched(args, env)
      peaks.push(peak)
      rmSync(path)
      return ms
    }
    const zipped = async () => {
      const path = join(out, 'theirs.zip')
      const list = `find . -type d -name photos | zip -0 -q -r '${path}' -@`
      const ms = (await timed('sh', ['-c', list], { cwd: archive })) + (await timed('sync', ['-f', out]))
      rmSync(path)
      return ms
    }
    // The first of each reads the files into memory.
    await exported()
    await zipped()
    const times: { ours: number; theirs: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      const measured = { ours: 0, theirs: 0 }
      const pair = [['ours', exported] as const, ['theirs', zipped] as const]
      for (const [side, run] of round % 2 === 0 ? pair : pair.toReversed()) measured[side] = await run()
      times.push(measured)
    }
    const value = median(times.map(({ ours, theirs }) => ours / theirs))
    const [ours, theirs] = [median(times.map((time) => time.ours)), median(times.map((time) => time.theirs))]
    const text = `${value.toFixed(2)} (${seconds(ours)} beside ${seconds(theirs)})`
    printRow({ name: `${label} / zip -0 -r`, text, value, target: 1.2 })
    const peak = Math.max(...peaks)
    if (peak === 0)
      printRow({ name: `${label}, peak memory`, missing: 'peaks are read from /proc, which Linux alone has' })
    else printRow({ name: `${label}, peak memory, MB`, text: peak.toFixed(0), value: peak, target: 120 })
  } finally {
    site.close()
    arena.remove()
  }
}

/** Runs a command and follows its memory. */
async function watched(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ ms: number; peak: number }> {
  const startMs = performance.now()
  const child = spawn(process.execPath, launcher(...args), { env, stdio: ['ignore', 'ignore', 'inherit'] })
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, peakBelow(child.pid ?? 0) ?? 0)
  }, checkMs)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearInterval(timer)
  if (code !== 0) throw new Error(`The export ended with ${code}`)
  return { ms: performance.now() - startMs, peak }
}
