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
    // Photos are too large for a group of small files; reports and thumbnails are written in one.
    service: {
      projects: 1,
      checklistsPerProject: 1,
      photoQuestionsPerChecklist: 1,
      photosPerQuestion: 3,
      photoBytes: 300_000,
    },
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
