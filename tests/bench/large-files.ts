import { type Arena, commandLine, compete, curl, openSite, rclone } from './contest.ts'
import type { AnyRow } from './rows.ts'

/** Two checklists of 125 photos by default. */
const checklists = 2

/**
 * Photos of 5 MB with their previews: the whole command line beside curl, and beside rclone if the service takes 30 ms
 * for each answer; each followed by `sync -f`.
 */
export async function measureLargeFiles(
  arena: Arena,
  rounds: number,
  { photos = 250, photoBytes = 5_000_000 } = {},
): Promise<AnyRow[]> {
  const label = `${photos} files of ${photoBytes / 1e6} MB`
  const task = { checklists, photos, photoBytes, previews: 'small' } as const
  const rows: AnyRow[] = []
  const site = await openSite(task)
  try {
    const name = `${label}, command line / curl`
    rows.push(await compete({ name, site, arena, rounds, ours: commandLine, theirs: curl, target: 1.3, aim: 1.1 }))
  } finally {
    site.close()
  }
  const slow = await openSite({ ...task, delayMs: 30 })
  try {
    const name = `${label}, 30 ms latency, command line / rclone`
    const common = { site: slow, arena, rounds }
    rows.push(await compete({ ...common, name, ours: commandLine, theirs: rclone, target: 1.1, aim: 1 }))
  } finally {
    slow.close()
  }
  return rows
}
