import { execFileSync } from 'node:child_process'
import { statfsSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { cloneFolder } from '../headless/run-solarchive.ts'
import { Arena } from './contest.ts'
import { measureLargeFiles } from './large-files.ts'
import { measureMemory } from './memory.ts'
import { type AnyRow, countOf, printRow, tableOf } from './rows.ts'
import { measureSmallFiles } from './small-files.ts'
import { measureStart } from './start.ts'
import { measureVerify } from './verify.ts'

/** One bench of the report: `full` as the targets are defined, `brief` to see that it works. */
interface Part {
  readonly full: (arena: Arena, rounds: number) => Promise<AnyRow[]>
  readonly brief: (arena: Arena, rounds: number) => Promise<AnyRow[]>
}

/** In the order of the table. */
const parts = {
  'small-files': {
    full: (arena, rounds) => measureSmallFiles(arena, rounds, [5_000, 20_000]),
    brief: (arena, rounds) => measureSmallFiles(arena, rounds, [400]),
  },
  'large-files': {
    full: (arena, rounds) => measureLargeFiles(arena, rounds),
    brief: (arena, rounds) => measureLargeFiles(arena, rounds, { photos: 20, photoBytes: 1_000_000 }),
  },
  memory: {
    full: (arena) => measureMemory(arena, 100_000),
    brief: (arena) => measureMemory(arena, 4_000),
  },
  verify: {
    full: (arena, rounds) => measureVerify(arena, rounds),
    brief: (arena, rounds) => measureVerify(arena, rounds, { largePhotos: 10, smallPhotos: 100 }),
  },
} as const satisfies Record<string, Part>

type PartName = keyof typeof parts

/** Bytes that the runs of a full report leave on the disk until its end, per round. */
const bytesPerRound = 8e9

/** Returns the bench of one part: `npm run bench -- <part> [rounds] [brief]`, the median of five rounds by default. */
export function benchPart(name: PartName): (args: readonly string[]) => Promise<void> {
  return async ([rounds, size]) => {
    await inArena(async (arena) => {
      for (const row of await parts[name][sizeOf(size)](arena, countOf(rounds, 5))) printRow(row)
    })
  }
}

/**
 * `npm run bench -- report [rounds] [brief]`: all parts and the starts, into docs/benchmarks.md; with `brief` onto the
 * console. The machine has to be quiet. Five rounds take ten minutes to half an hour, and 40
 * GB until the end.
 */
export async function benchReport([roundsText, size]: readonly string[]): Promise<void> {
  const rounds = countOf(roundsText, 5)
  const isBrief = sizeOf(size) === 'brief'
  await inArena(async (arena) => {
    const { bavail, bsize } = statfsSync(arena.folder)
    if (!isBrief && bavail * bsize < rounds * bytesPerRound) {
      throw new Error(`${arena.folder} needs ${(rounds * bytesPerRound) / 1e9} GB free. TMPDIR names another folder.`)
    }
    const startMs = performance.now()
    const minutes = () => Math.round((performance.now() - startMs) / 60_000)
    const rows: AnyRow[] = []
    const add = (measured: readonly AnyRow[]) => {
      for (const row of measured) printRow(row)
      rows.push(...measured)
      console.log(`(${minutes()} min)`)
    }
    for (const part of Object.values(parts)) add(await part[sizeOf(size)](arena, rounds))
    add(await measureStart(isBrief ? rounds : 9))
    const page = pageOf(rows, rounds, arena)
    if (isBrief) console.log(`\n${page}`)
    else writeFileSync(join(cloneFolder, 'docs', 'benchmarks.md'), page)
  })
}

function sizeOf(text: string | undefined): keyof Part {
  if (text === undefined || text === 'full') return 'full'
  if (text === 'brief') return 'brief'
  throw new Error(`"${text}" must be "brief", or left out.`)
}

async function inArena(use: (arena: Arena) => Promise<void>): Promise<void> {
  const arena = new Arena()
  try {
    await use(arena)
  } finally {
    arena.remove()
  }
}

function pageOf(rows: readonly AnyRow[], rounds: number, { folder }: Arena): string {
  const [cpu] = cpus()
  return [
    '# Benchmarks',
    '',
    'Made by `npm run bench -- report`; do not edit. Each ratio is of runs in turn on one machine, in alternating',
    `order and with nothing deleted in between; the median of ${rounds}. The files are served from memory by a process`,
    'of its own on the same machine, 16 at a time. curl and rclone do not write durably: each is followed by',
    '`sync -f`. "Command line" is `npm run cli` without npm itself: the launcher, the calls to the service, the files,',
    'the database, and the documents. [testing.md](testing.md#benchmarks) lists the benches.',
    '',
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Processor: ${cpu?.model.trim() ?? 'unknown'}, ${cpus().length} cores`,
    `- Memory: ${Math.round(totalmem() / 2 ** 30)} GB`,
    `- File system: ${fileSystemOf(folder)}`,
    `- System: ${type()} ${release()}`,
    `- Node ${process.versions.node}`,
    '',
    ...tableOf(rows),
    '',
  ].join('\n')
}

function fileSystemOf(folder: string): string {
  try {
    return execFileSync('df', ['--output=fstype', folder], { encoding: 'utf8' }).trim().split('\n').at(-1) ?? 'unknown'
  } catch {
    return 'unknown'
  }
}
