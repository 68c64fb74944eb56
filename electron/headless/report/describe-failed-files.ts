import type { FailedFile } from '../../engine/engine.ts'
import { formatCount } from '../format/count-of.ts'
import { formatLocalTime } from '../format/format-local-time.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { Painter } from '../output/painter.ts'
import { listSome } from './list-some.ts'

/** Lines that a person reads; the others come up as these are mended. */
const listedLines = 20

/** Files that failed, why, and when `watch` tries them again; empty when there are none. */
export function describeFailedFiles(files: readonly FailedFile[], paint: Painter): string[] {
  if (files.length === 0) return []
  const lines = files.map(({ path, message, nextTryAt }) => {
    const next = nextTryAt === null ? '' : ` Next try of "watch": ${formatLocalTime(nextTryAt)}.`
    return `  ${plainText(path)}: ${plainText(message)}${next}`
  })
  return [
    paint.bad(`Failed files (${formatCount(files.length)}); "sync" tries all of them at once:`),
    ...listSome(lines, listedLines, 'the others come up as these are mended'),
  ]
}
