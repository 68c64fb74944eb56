import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { forkProcess } from '../../../electron/app/fork-process.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import {
  photosOf,
  type SampleChecklist,
  type SamplePhoto,
  type SampleQuestion,
} from '../../../electron/sample-service/site/site-types.ts'
import { type SearchHit, searchQuerySchema } from '../../../shared/search.ts'
import { sampleArchive, type SampleArchive } from '../../support/sample-archive.ts'

/** The pictures of the scene "inverter" show a battery whose plate has a QR code and a serial number. */
const plates = [
  { code: 'PAIR-HC13-5QK8XW', serial: '7731-204417' },
  { code: 'PAIR-VS13-9TR2MB', serial: '8842-119056' },
] as const
const plateOf = ({ picture, revision }: SamplePhoto) => plates[(picture + revision) % plates.length] ?? plates[0]

const questionsOf = ({ sections }: SampleChecklist) => sections.flatMap(({ questions }) => questions)

function sampleOf({ service }: SampleArchive) {
  const [survey, install] = service.projects[0]?.checklists ?? []
  const questions = survey === undefined ? [] : questionsOf(survey)
  const answered = questions.find(({ label }) => label === 'Rafter size and spacing')
  const photo = install && photosOf(install).find(({ scene }) => scene === 'inverter')
  if (survey === undefined || answered === undefined || photo === undefined) throw new Error('The sample has changed')
  return { survey, answered, photo, named: photosOf(survey)[0]?.filename ?? '' }
}

/** Returns what must be found now: a query, and what the hit is. */
function expected(archive: SampleArchive): [query: string, hit: Partial<SearchHit>][] {
  const { answered, photo, named } = sampleOf(archive)
  const { code, serial } = plateOf(photo)
  const { filename: fileName } = photo
  return [
    [`"${answered.answer}"`, { kind: 'answer', question: answered.label }],
    ['rafters sheath', { kind: 'photo', question: 'Rafters and sheathing' }],
    [named.slice(1, -4), { kind: 'photo', fileName: named, state: 'archived' }],
    ['kind:report sheathing rafter', { kind: 'report', page: 3, checklistTitle: 'Site survey' }],
    [code.toLowerCase(), { kind: 'photo', fileName, textSource: 'code', snippet: code }],
    [serial, { kind: 'photo', fileName, textSource: 'print' }],
  ]
}

const find = (engine: Engine, query: string) => engine.search(searchQuerySchema.parse({ query })).hits

async function untilFound(engine: Engine, archive: SampleArchive): Promise<void> {
  for (const [query, hit] of expected(archive)) {
    await expect.poll(() => find(engine, query), { message: query }).toContainEqual(expect.objectContaining(hit))
  }
}

/** Syncs, and reads the files as the app does, in a watch. */
async function watching(archive: SampleArchive, work: (engine: Engine) => Promise<void>): Promise<void> {
  await archive.withEngine(
    async (engine) => {
      await engine.sync()
      const stop = new AbortController()
      const watch = engine.watch.run(stop.signal)
      try {
        await work(engine)
      } finally {
        stop.abort()
        await watch
      }
    },
    { readPhotos: true },
    { startProcess: forkProcess },
  )
}

test('an answer, a label, a file name, a report, a QR code, and a serial number are found', async () => {
  const archive = await sampleArchive(
    {
      projects: 1,
      checklistsPerProject: 2,
      statuses: ['completed'],
      awkwardNames: false,
      photosPerQuestion: 1,
      photoBytes: undefined,
      reportBytes: undefined,
    },
    systemClock,
  )
  const { service } = archive
  const { survey, answered, photo } = sampleOf(archive)
  // Reading takes a second or two for a photo, more on a busy machine.
  for (const { photos } of service.projects[0]?.checklists.flatMap(questionsOf) ?? []) {
    if (!['inverter', 'attic', 'roof'].includes(photos[0]?.scene ?? '')) photos.splice(0)
  }
  const before = { answer: answered.answer, plate: plateOf(photo) }
  await watching(archive, async (engine) => {
    await untilFound(engine, archive)
    const [hit] = find(engine, plateOf(photo).serial)
    const [box] = engine
      .photoWords({ assetId: hit?.assetId ?? 0, find: [plateOf(photo).serial] })
      .map((word) => word.box.map((part) => Math.round(10 * part)))
    // The serial number is at the bottom of the battery's plate.
    expect(box).toEqual([6, 7, 1, 0])

    service.replacePhoto(photo)
    setAnswer(answered, 'Trusses, 19.2 in on center')
    service.renameChecklist(survey, 'Site survey')
    service.replaceReport(survey)
    await engine.sync()
    await untilFound(engine, archive)
    await expect
      .poll(() => find(engine, 'kind:report "Issue 2"'))
      .toContainEqual(expect.objectContaining({ checklistTitle: 'Site survey' }))
    const reports = find(engine, 'kind:report "Issue 1"').map(({ checklistTitle }) => checklistTitle)
    expect(reports).not.toContain('Site survey')
    for (const old of [`"${before.answer}"`, before.plate.code, before.plate.serial])
      expect(find(engine, old)).toEqual([])
  })

  rmSync(join(archive.home, 'solarchive.sqlite3'))
  await watching(archive, (engine) => untilFound(engine, archive))
})

function setAnswer(question: SampleQuestion, answer: string): void {
  Object.assign(question, { answer })
}
