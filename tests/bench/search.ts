import Database from 'better-sqlite3'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSearchIndexer } from '../../electron/engine/catalog/search/search-indexer.ts'
import { search } from '../../electron/engine/catalog/search/search.ts'
import { createEngine } from '../../electron/engine/create-engine.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { createStore, type Store } from '../../electron/engine/store/create-store.ts'
import { searchQuerySchema } from '../../shared/search.ts'
import { silentLogger, silentPorts } from '../support/silent-logger.ts'
import { openSite, type Site } from './contest.ts'
import { median, printRow } from './rows.ts'

interface Size {
  readonly projects: number
  readonly checklistsPerProject: number
  readonly questionsPerChecklist: number
  /** Each with its thumbnail; a checklist has a report of four pages, too. */
  readonly photosPerChecklist: number
}

/** A million assets, 200,000 answers, and 20,000 reports. */
const big: Size = { projects: 10_000, checklistsPerProject: 2, questionsPerChecklist: 10, photosPerChecklist: 25 }
const brief: Size = { ...big, projects: 200 }
const pagesPerReport = 4

const [surnames, streets, towns] = [
  ['Delgado', 'Núñez', 'Okafor', 'Smith', 'Nguyen', 'Garcia', 'Kowalski', 'Haddad', 'Brown', 'Ito', 'Silva', 'Weber'],
  ['Elm', 'Oak', 'Maple', 'Pine', 'Cedar', 'Walnut', 'Birch', 'Lake', 'Hill', 'Park', 'Main', 'Mill', 'River'],
  ['Boise', 'Ithaca', 'Austin', 'Fresno', 'Tucson', 'Albany', 'Reno', 'Salem', 'Provo', 'Tampa', 'Mesa', 'Dayton'],
]
const titles = ['Site survey', 'Final inspection', 'Pre-install checklist', 'Service visit']
const labels: readonly (readonly [string, string])[] = [
  ['Electrical', 'Main service panel, cover off'],
  ['Electrical', 'Main breaker rating'],
  ['Electrical', 'Utility meter'],
  ['Electrical', 'Inverter serial'],
  ['Roof', 'Roof planes to be used'],
  ['Roof', 'Roof near the chimney'],
  ['Roof', 'Shingle condition and exposure'],
  ['Attic', 'Rafters and sheathing'],
  ['Site', 'Access and parking'],
  ['Site', 'House from the street'],
]
const answers = ['200 A, Square D', '100 A', 'Composite shingle, 17 years', 'Ladder needed', 'Clear of obstructions']

/** Words with the frequencies of a natural language: the n-th is n times as rare as the first. */
const vocabulary = Array.from({ length: 20_000 }, (_, n) => `${(n * 7919 + 13).toString(36)}${'aeiou'[n % 5]}`)

/** Times 200 queries by keystroke on a big archive, and measures the index, its build, and what it costs a sync. */
export async function benchSearch([mode]: readonly string[]): Promise<void> {
  const size = mode === 'brief' ? brief : big
  const folder = await mkdtemp(join(tmpdir(), 'solarchive-search-'))
  try {
    const file = join(folder, 'solarchive.sqlite3')
    fill(file, size)
    const store = createStore(file)
    await measureBuild(store, file)
    measureQueries(store, size)
    const peakMb = process.resourceUsage().maxRSS / 1_000
    console.log(`Peak memory of the process that built and searched: ${peakMb.toFixed(0)} MB`)
    measureCheck(file)
    store.close()
    await measureSyncs(folder, mode === 'brief' ? 2 : 12)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A generator of numbers from 0 to 1 that repeats. */
function repeatable(): () => number {
  let state = 42
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
}

function fill(file: string, size: Size): void {
  createStore(file).close()
  const db = new Database(file)
  db.pragma('synchronous = OFF')
  const random = repeatable()
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const page = () =>
    Array.from({ length: 250 }, () => vocabulary[Math.floor(vocabulary.length ** random()) - 1]).join(' ')
  const insert = {
    project: db.prepare('INSERT INTO projects (id, name, address, added_at) VALUES (?, ?, ?, ?)'),
    checklist: db.prepare(`INSERT INTO checklists (project_id, id, title, status, updated_at, fingerprint, entry_raw)
      VALUES (?, ?, ?, 'completed', ?, 'f', '{}')`),
    question:
      db.prepare(`INSERT INTO questions (checklist_key, position, section_label, label, section_folder, folder, answer)
      VALUES (?, ?, ?, ?, '01', '01', ?)`),
    asset:
      db.prepare(`INSERT INTO assets (checklist_key, question_key, kind, remote_key, path, path_key, record, sha256,
        size_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, 'x', 1)`),
    page: db.prepare('INSERT INTO report_pages (asset_id, page, text) VALUES (?, ?, ?)'),
  }
  const at = '2026-01-01T00:00:00.000Z'
  const record = JSON.stringify({ filename: 'IMG.jpg', note: 'x'.repeat(200) })
  let photos = 0
  for (let from = 0; from < size.projects; from += 500) {
    db.transaction(() => {
      for (let p = from; p < Math.min(from + 500, size.projects); p += 1) {
        const id = `64b5f0c2a1d3${p.toString(16).padStart(12, '0')}`
        const address = `${p % 997} ${pick(streets ?? [])} Street, ${pick(towns ?? [])}, ID ${83_000 + (p % 900)}`
        insert.project.run(id, `${pick(surnames ?? [])} residence ${(p % 180) / 10} kW`, address, at)
        for (let c = 0; c < size.checklistsPerProject; c += 1) {
          const key = Number(insert.checklist.run(id, `${id}-${c}`, pick(titles), at).lastInsertRowid)
          const questions = Array.from({ length: size.questionsPerChecklist }, (_, n) => {
            const [section, label] = labels[n % labels.length] ?? ['', '']
            const answer =
              label === 'Inverter serial'
                ? `SN ${(key * 7_919 + n).toString(36).toUpperCase()}-${key % 10_000}`
                : pick(answers)
            return insert.question.run(key, n, section, label, answer).lastInsertRowid
          })
          const report = insert.asset.run(key, null, 'report', 'report', `${key}/report.pdf`, `${key}/report.pdf`, null)
          for (let n = 1; n <= pagesPerReport; n += 1) insert.page.run(report.lastInsertRowid, n, page())
          for (let n = 0; n < size.photosPerChecklist; n += 1) {
            photos += 1
            const question = questions[n % questions.length]
            const name = `${n % 5 === 0 ? 'DSC' : 'IMG'}_${String(photos % 100_000).padStart(5, '0')}.jpg`
            for (const kind of ['photo', 'thumbnail']) {
              const path = `${key}/${kind}s/${n}/${name}`
              insert.asset.run(key, question, kind, `id:${photos}`, path, path.toLowerCase(), record)
            }
          }
        }
      }
    })()
  }
  db.close()
}

async function measureBuild(store: Store, file: string): Promise<void> {
  const db = new Database(file)
  const bytesOf = (sql: string) => Number((db.prepare(sql).get() as { bytes: number | null }).bytes)
  const text =
    bytesOf('SELECT SUM(length(CAST(text AS BLOB))) AS bytes FROM report_pages') +
    bytesOf(
      "SELECT SUM(length(section_label) + length(label) + length(COALESCE(answer, ''))) AS bytes FROM questions",
    ) +
    bytesOf('SELECT SUM(length(name) + length(address) + length(id)) AS bytes FROM projects') +
    bytesOf('SELECT SUM(length(title) + length(id)) AS bytes FROM checklists') +
    bytesOf(`SELECT 13 * COUNT(*) AS bytes FROM assets WHERE kind = 'photo'`)
  const documents = bytesOf('SELECT COUNT(*) AS bytes FROM search_queue')
  const indexer = createSearchIndexer({ store, clock: systemClock, logger: silentLogger })
  const before = process.cpuUsage()
  const turns = longestTurns()
  await indexer.complete(new AbortController().signal)
  const { p99, max } = turns.end()
  const { user, system } = process.cpuUsage(before)
  const seconds = (user + system) / 1e6
  const size = bytesOf(`SELECT SUM(pgsize) AS bytes FROM dbstat WHERE name LIKE 'search%'`)
  db.close()
  indexer.close()
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`
  console.log(
    `Indexed ${documents.toLocaleString('en-US')} documents in ${seconds.toFixed(1)} s of CPU: ` +
      `${Math.round(documents / seconds).toLocaleString('en-US')} a second, ${(text / 1e6 / seconds).toFixed(1)} MB ` +
      'of text a second',
  )
  printRow({
    name: 'Index / text',
    text: `${mb(size)} / ${mb(text)} = ${(size / text).toFixed(2)}`,
    value: size / text,
    target: 4,
  })
  printRow({
    name: 'Longest steps of a build, p99',
    text: `${p99.toFixed(1)} ms (max ${max.toFixed(1)})`,
    value: p99,
    target: 20,
  })
}

/** Measures for how long the event loop is busy without a break, as processor time. */
function longestTurns() {
  const turns: number[] = []
  let isRunning = true
  let last = process.cpuUsage()
  const look = () => {
    const { user, system } = process.cpuUsage(last)
    turns.push((user + system) / 1000)
    last = process.cpuUsage()
    if (isRunning) setImmediate(look)
  }
  setImmediate(look)
  return {
    end() {
      isRunning = false
      turns.sort((one, other) => one - other)
      return { p99: turns[Math.ceil(0.99 * turns.length) - 1] ?? 0, max: turns.at(-1) ?? 0 }
    },
  }
}

/** Returns 200 queries as people type them. */
function queries(size: Size): string[] {
  const random = repeatable()
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const forms: readonly (() => string)[] = [
    () => `main panel ${pick(surnames ?? [])} 200 A`,
    () => `${pick(surnames ?? [])} ${pick(towns ?? [])}`.toLowerCase(),
    () => 'main service panel',
    () => `roof chimney ${pick(towns ?? [])}`,
    () => `IMG_0${Math.floor(random() * 10_000)}`,
    () => `${Math.floor(random() * 997)} ${pick(streets ?? [])} street`,
    () => `SN ${(Math.floor(random() * size.projects) * 7_919 + 3).toString(36)}`,
    () => `"service panel" -${pick(towns ?? [])} ${pick(answers).split(' ')[0]}`,
    () => `${pick(vocabulary)} ${pick(vocabulary.slice(0, 50))}`,
    () => `${pick(surnames ?? [])} IMG_0${Math.floor(random() * 100)}`,
    () => `house street kind:photo ${pick(surnames ?? [])}`,
    () => `residence ${pick(titles)} report`,
  ]
  return Array.from({ length: 200 }, (_, n) => (forms[n % forms.length] ?? (() => ''))())
}

function measureQueries(store: Store, size: Size): void {
  const times: { ms: number; query: string }[] = []
  for (const query of queries(size)) {
    for (let length = 1; length <= query.length; length += 1) {
      const typed = query.slice(0, length)
      const before = process.cpuUsage()
      search(store, searchQuerySchema.parse({ query: typed, limit: 30 }))
      const { user, system } = process.cpuUsage(before)
      times.push({ ms: (user + system) / 1000, query: typed })
    }
  }
  times.sort((one, other) => one.ms - other.ms)
  const at = (share: number) => times[Math.ceil(share * times.length) - 1]?.ms ?? Number.NaN
  console.log(
    `Slowest: ${times
      .slice(-8)
      .map(({ ms, query }) => `${query} (${ms.toFixed(0)} ms)`)
      .join('; ')}`,
  )
  const text =
    `p50 ${at(0.5).toFixed(1)}, p95 ${at(0.95).toFixed(1)}, p99 ${at(0.99).toFixed(1)} ms of CPU, ` +
    `${times.length} keystrokes`
  printRow({ name: 'A keystroke of 200 queries, p99', text, value: at(0.99), target: 50, aim: 10 })
}

function measureCheck(file: string): void {
  const db = new Database(file, { readonly: true })
  const before = process.cpuUsage()
  db.pragma('integrity_check(10)')
  const { user, system } = process.cpuUsage(before)
  console.log(`Check of the database with its index: ${((user + system) / 1e6).toFixed(1)} s of CPU`)
  db.close()
}

/** Measures the processor time of syncs with the index and without its triggers, in turns. */
async function measureSyncs(folder: string, rounds: number): Promise<void> {
  const site = await openSite({ checklists: 10, photos: 1_000, photoBytes: 20_000, previews: 'like photos' })
  try {
    const times: Record<'on' | 'off', number[]> = { on: [], off: [] }
    // The first sync of a process compiles its code.
    await syncOnce(site, join(folder, 'first'), true)
    for (let round = 0; round < rounds; round += 1) {
      for (const index of round % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
        times[index].push(await syncOnce(site, join(folder, `${index}-${round}`), index === 'on'))
      }
    }
    const [on, off] = [median(times.on), median(times.off)]
    const text = `${off.toFixed(2)} ms a file without, ${on.toFixed(2)} with: ${(off / on).toFixed(3)}`
    printRow({
      name: 'Throughput of a sync with / without index',
      text,
      value: off / on,
      target: 0.95,
      isMinimum: true,
    })
  } finally {
    site.close()
  }
}

/** Returns the processor time of a file in milliseconds. */
async function syncOnce(site: Site, folder: string, hasIndex: boolean): Promise<number> {
  const homeFolder = join(folder, 'home')
  const engine = createEngine(
    { serviceUrl: site.url, homeFolder, archiveFolder: join(folder, 'archive'), apiCallsPerMinute: 0 },
    silentPorts(site.token),
  )
  try {
    if (!hasIndex) dropTriggers(join(homeFolder, 'solarchive.sqlite3'))
    engine.projects.add(site.projectIds.map((id) => ({ id, name: `Project ${id}` })))
    const before = process.cpuUsage()
    const { filesDownloaded } = await engine.sync()
    await engine.completeIndex()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / filesDownloaded
  } finally {
    await engine.close()
  }
}

function dropTriggers(file: string): void {
  const db = new Database(file)
  const triggers = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%queues_search'`)
    .all()
  for (const { name } of triggers as { name: string }[]) db.exec(`DROP TRIGGER ${name}`)
  db.close()
}
