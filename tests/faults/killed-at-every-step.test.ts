import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'
import { ArchiveAudit } from '../support/archive-audit.ts'
import { install, type TestInstallation } from '../support/installation.ts'
import { archivedBy, readLedger } from '../support/ledger.ts'
import { smallFilesFolder } from '../support/memory-disk.ts'
import { recordSnapshots, type Snapshot } from '../support/record-snapshots.ts'
import { downloadedAgain, servedFiles, ServedHistory } from '../support/served-files.ts'

/** Replaces a report and a photo, and adds and removes a photo. */
function changeEverything({ service }: TestInstallation): void {
  const [checklist] = service.projects[0]?.checklists ?? []
  if (checklist === undefined) throw new Error('The sample has no checklist')
  const [replaced, removed] = photosOf(checklist)
  service.replaceReport(checklist)
  if (replaced !== undefined) service.replacePhoto(replaced)
  if (removed !== undefined) service.removePhoto(removed)
  service.addPhoto(checklist)
}

/** Records one pass, and restarts from each moment at which it could have been killed. Returns their number. */
async function killEverywhere(kind: 'first' | 'changes'): Promise<number> {
  const installation = await install({
    service: { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 1, photosPerQuestion: 3 },
    within: smallFilesFolder,
  })
  onTestFinished(() => installation.close())
  const { service, home, root } = installation
  const history = new ServedHistory()
  history.note(await servedFiles(service))
  if (kind === 'changes') {
    await installation.syncHere()
    changeEverything(installation)
  }
  const served = await servedFiles(service)
  history.note(served)
  const problems: string[] = []

  /** Runs a complete pass and adds the problems of it and of its results. */
  async function pass(name: string, audit: ArchiveAudit, run: () => Promise<unknown>): Promise<void> {
    const archived = archivedBy(readLedger(home))
    const requestsBefore = service.requests.records.length
    await run()
    const again = downloadedAgain(service.requests.records.slice(requestsBefore), served, archived)
    const found = [...again.map((path) => `downloaded again: ${path}`), ...audit.atRest(readLedger(home), served)]
    problems.push(...found.map((problem) => `${name}: ${problem}`))
  }
  async function sync(): Promise<void> {
    const { failures } = await installation.syncHere()
    problems.push(...failures.map(({ code, path }) => `a pass failed: ${code} ${path}`))
  }

  const before = new ArchiveAudit(root, history)
  problems.push(...before.afterEnd(readLedger(home)))
  let { committed } = before
  let snapshots: readonly Snapshot[] = []
  await pass('not killed', new ArchiveAudit(root, history, committed), async () => {
    snapshots = await recordSnapshots([home, root], sync)
  })
  for (const { name, restore } of snapshots) {
    restore()
    // Files archived at any earlier moment must still be there.
    const audit = new ArchiveAudit(root, history, committed)
    problems.push(...audit.afterEnd(readLedger(home)).map((problem) => `killed ${name}: ${problem}`))
    ;({ committed } = audit)
    await pass(`after a kill ${name}`, audit, sync)
  }
  expect(problems).toEqual([])
  process.stdout.write(`Started again from ${snapshots.length} moments.\n`)
  return snapshots.length
}

it('killed before any call that changes a file or a row, a first pass loses nothing', async () => {
  expect(await killEverywhere('first')).toBeGreaterThan(50)
})

it('killed before any call that changes a file or a row, a pass with replacements loses nothing', async () => {
  expect(await killEverywhere('changes')).toBeGreaterThan(50)
})

/** Size of the photo whose download broke twice, and of what arrives of it each time. */
const [photoBytes, arrivedBytes] = [6_000_000, 2_000_000]

/** An installation with one photo, of which the first bytes are kept for a later try. */
async function leaveUnfinishedPhoto() {
  const installation = await install({
    service: { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 1, photosPerQuestion: 1, photoBytes },
    within: smallFilesFolder,
  })
  onTestFinished(() => installation.close())
  const { service, home, root } = installation
  const broken = { kind: 'truncate', framing: 'contentLength', keepBytes: arrivedBytes } as const
  service.faults.add({ route: 'photo', fault: broken, count: 2 })
  service.faults.add({ route: 'photo', fault: { kind: 'status', status: 503 } })
  expect(await installation.syncHere()).toMatchObject({ filesFailed: 1 })
  service.faults.clear()

  /** Returns the bytes of the unfinished file, if there is one, and how many of them the database has as kept. */
  function unfinished(): { readonly part: Buffer | undefined; readonly recorded: number | null } {
    const [path] = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\/\d+-[0-9a-f]{12}\.part$/.test(name),
    )
    const db = new Database(join(home, 'solarchive.sqlite3'), { readonly: true })
    const recorded = db.prepare<[], number | null>('SELECT MAX(part_bytes) FROM jobs').pluck().get() ?? null
    db.close()
    return { part: path === undefined ? undefined : readFileSync(join(root, path)), recorded }
  }
  const { part, recorded } = unfinished()
  expect(recorded).toBe(2 * arrivedBytes)
  if (part?.length !== recorded) throw new Error('Nothing was kept')
  const record = () => recordSnapshots([home, root], () => installation.syncHere())
  return { ...installation, kept: part, unfinished, record }
}

it('killed while it continues an unfinished file, a pass is followed by one that continues with the same bytes', async () => {
  const world = await leaveUnfinishedPhoto()
  const { kept, unfinished, record, service, home, root } = world
  const served = await servedFiles(service)
  const history = new ServedHistory()
  history.note(served)
  const ranges: (string | undefined)[] = []
  for (const { restore, name } of await record()) {
    restore()
    const { part, recorded } = unfinished()
    restore()
    service.requests.clear()
    expect(await world.syncHere(), name).toMatchObject({ failures: [] })
    expect(new ArchiveAudit(root, history).atRest(readLedger(home), served), name).toEqual([])
    if (part === undefined) continue
    expect(recorded, name).toBe(kept.length)
    const [request] = service.requests.records.filter(({ route }) => route === 'photo')
    ranges.push(request?.headers.range)
  }
  expect(ranges.length).toBeGreaterThan(3)
  expect(new Set(ranges)).toEqual(new Set([`bytes=${kept.length}-`]))
})

it('killed while another file takes the place of an unfinished one, a pass leaves no record of its bytes', async () => {
  const { kept, unfinished, record, service } = await leaveUnfinishedPhoto()
  const other = Buffer.concat([kept.subarray(0, 4096), Buffer.alloc(photoBytes - 4096, 'other')])
  service.faults.add({ route: 'photo', fault: { kind: 'body', body: other, contentType: 'image/jpeg' } })
  const found = new Set<string>()
  for (const { restore, name } of await record()) {
    restore()
    const { part, recorded } = unfinished()
    if (part === undefined) continue
    const isKept = part.subarray(0, kept.length).equals(kept)
    found.add(`${isKept ? 'kept' : 'other'} ${recorded}`)
    if (recorded !== null) expect(isKept, name).toBe(true)
  }
  expect(found).toContain(`kept ${kept.length}`)
  expect(found).toContain('other null')
})
