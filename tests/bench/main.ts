import { benchBacklog } from './backlog.ts'
import { benchBeside } from './beside.ts'
import { benchExport } from './export.ts'
import { benchFreshness } from './freshness.ts'
import { benchInstalled } from './installed.ts'
import { benchKill } from './kill.ts'
import { benchKillOwner } from './kill-owner.ts'
import { benchLists } from './lists.ts'
import { benchPaint } from './paint.ts'
import { benchPhotos } from './photos.ts'
import { benchPowerCut } from './power-cut.ts'
import { benchPart, benchReport } from './report.ts'
import { benchSearch } from './search.ts'
import { benchSoak } from './soak.ts'
import { benchStart } from './start.ts'
import { benchTyping } from './typing.ts'

/** Each bench prints its figures itself; ratios are always within one run, since machines are noisy. */
const benches: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  backlog: benchBacklog,
  beside: benchBeside,
  export: benchExport,
  freshness: benchFreshness,
  installed: benchInstalled,
  kill: benchKill,
  'kill-owner': benchKillOwner,
  'large-files': benchPart('large-files'),
  lists: benchLists,
  memory: benchPart('memory'),
  paint: benchPaint,
  photos: benchPhotos,
  'power-cut': benchPowerCut,
  report: benchReport,
  search: benchSearch,
  'small-files': benchPart('small-files'),
  soak: benchSoak,
  start: benchStart,
  typing: benchTyping,
  verify: benchPart('verify'),
}

const [name = '', ...args] = process.argv.slice(2)
const bench = benches[name]
if (bench === undefined) {
  console.error(`Usage: npm run bench -- <name>\nBenches: ${Object.keys(benches).join(', ')}`)
  process.exitCode = 2
} else {
  await bench(args)
}
