import { type Arena, commandLine, compete, curl, engine, openSite, rclone } from './contest.ts'
import type { DownloadFigures } from './processes/messages.ts'
import { type AnyRow, median } from './rows.ts'

const photoBytes = 20_000
const photosPerChecklist = 100

/**
 * Thousands of files of 20 KB: the engine beside rclone, the whole command line beside curl, each followed by `sync
 * -f`, and how long the engine's event loop is blocked meanwhile. `files`: numbers of files, photos and previews.
 */
export async function measureSmallFiles(arena: Arena, rounds: number, files: readonly number[]): Promise<AnyRow[]> {
  const rows: AnyRow[] = []
  for (const count of files) {
    const photos = Math.ceil(count / 2)
    const checklists = Math.ceil(photos / photosPerChecklist)
    const site = await openSite({ checklists, photos, photoBytes, previews: 'like photos' })
    const figures: DownloadFigures[] = []
    const label = `${count.toLocaleString('en-US')} files of 20 KB`
    try {
      const common = { site, arena, rounds }
      const own = engine((measured) => figures.push(measured))
      rows.push(
        await compete({
          ...common,
          name: `${label}, engine / rclone`,
          ours: own,
          theirs: rclone,
          target: 1.8,
          aim: 1.2,
        }),
        await compete({
          ...common,
          name: `${label}, command line / curl`,
          ours: commandLine,
          theirs: curl,
          target: 2.5,
          aim: 1.5,
        }),
      )
    } finally {
      site.close()
    }
    if (figures.length === 0) continue
    const value = median(figures.map(({ loopDelayP99Ms }) => loopDelayP99Ms))
    const text = `${value.toFixed(1)} ms`
    rows.push({ name: `${label}, event-loop delay p99`, text, value, target: 20, aim: 10 })
  }
  return rows
}
