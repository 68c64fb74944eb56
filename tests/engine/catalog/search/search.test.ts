import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSearchIndexer } from '../../../../electron/engine/catalog/search/search-indexer.ts'
import { search, searchAll } from '../../../../electron/engine/catalog/search/search.ts'
import type { NewAsset } from '../../../../electron/engine/store/assets-store.ts'
import type { Store } from '../../../../electron/engine/store/create-store.ts'
import { searchVersion } from '../../../../electron/engine/store/search-schema.ts'
import { searchQuerySchema, type SearchHit } from '../../../../shared/search.ts'
import { silentLogger } from '../../../support/silent-logger.ts'
import { storeFolder } from '../../store/store-folder.ts'
import { anyCharacter } from '../../../support/any-character.ts'

const at = '2026-01-01T00:00:00.000Z'

/** An archive with two projects, and functions to change and to search it as its owner does. */
function archive() {
  const home = storeFolder()
  const store = home.open()
  const indexer = createSearchIndexer({ store, clock: home.clock, logger: silentLogger })
  store.projects.put('64b5f0c2a1d3e4f5a6b7c8d9', 'Delgado residence', '12 Elm Street, Boise, ID 83702', at)
  store.projects.put('64b5f0c2a1d3e4f5a6b7c8da', 'Núñez garage', '7 Oak Avenue, Ithaca, NY', at)
  const find = (query: string, more: object = {}) => {
    indexer.refresh()
    return search(store, searchQuerySchema.parse({ query, ...more }))
  }
  return {
    home,
    store,
    indexer,
    find,
    /** Returns hits as short texts. */
    hits: (query: string, more: object = {}) => find(query, more).hits.map(describeHit),
    run: (sql: string) => {
      const db = new Database(home.file)
      db.exec(sql)
      db.close()
    },
  }
}

function describeHit({ kind, projectName, question, fileName, page, state, snippet }: SearchHit): string {
  const [name = ''] = projectName.split(' ')
  if (kind === 'photo') return `${kind} ${name}: ${question}, ${fileName ?? 'no file'}, ${state}`
  return `${kind} ${name}: ${kind === 'report' ? `page ${page}, ` : ''}${snippet}`
}

interface Question {
  readonly section: string
  readonly label: string
  readonly answer?: string
  readonly photos?: readonly string[]
  readonly expected?: number
}

function addChecklist(store: Store, projectId: string, id: string, title: string, questions: readonly Question[]) {
  const status = 'awaitingMedia'
  const key = store.checklists.put({ projectId, id, title, status, updatedAt: at, fingerprint: 'f', entryRaw: '{}' })
  store.checklists.setFolder(key, `${projectId}/${id}`, `${projectId}/${id}`)
  for (const [position, { section, label, answer = null, photos = [], expected }] of questions.entries()) {
    store.questions.insert({
      checklistKey: key,
      position,
      sectionLabel: section,
      label,
      sectionFolder: section,
      folder: `${position}`,
      mediaCategoryId: `${position}`,
      answer,
      clientRefIds: expected === undefined ? null : Array.from({ length: expected }, (_, index) => String(index)),
    })
    const questionKey = store.questions.listForChecklist(key).at(-1)?.key ?? 0
    for (const name of photos) addAsset(store, { checklistKey: key, questionKey, path: `${key}/${position}/${name}` })
  }
  return key
}

function addAsset(store: Store, asset: Pick<NewAsset, 'checklistKey' | 'questionKey' | 'path'>): number {
  const { questionKey, path } = asset
  return store.assets.insert({
    remoteKey: path,
    sourceHash: null,
    fileName: null,
    record: null,
    takenAt: null,
    latitude: null,
    longitude: null,
    ...asset,
    pathKey: path,
    kind: questionKey === null ? 'report' : 'photo',
  })
}

const [delgado, nunez] = ['64b5f0c2a1d3e4f5a6b7c8d9', '64b5f0c2a1d3e4f5a6b7c8da']

function filledArchive() {
  const world = archive()
  const { store } = world
  const key = addChecklist(store, delgado, 'checklist-1', 'Site survey', [
    {
      section: 'Electrical',
      label: 'Main service panel',
      answer: '200 A, Square D',
      photos: ['IMG_0100.jpg', 'IMG_0101.jpg'],
    },
    { section: 'Electrical', label: 'Meter', answer: 'SN 7E14-0042-XK' },
    { section: 'Roof', label: 'Roof near the chimney', photos: ['north-ridge.jpg'], expected: 3 },
    { section: 'Roof', label: 'Access' },
  ])
  addChecklist(store, nunez, 'checklist-2', 'Site survey', [
    { section: 'Electrical', label: 'Main service panel', answer: '100A', photos: ['IMG_0100.jpg'] },
  ])
  const photo = store.assets.listForChecklist(key)[0]
  if (photo !== undefined) {
    const file = { id: photo.id, sha256: 'a'.repeat(64), sizeBytes: 1, etag: null, lastModified: null, archivedAt: at }
    store.assets.markArchived({ ...file, urlIdentity: null })
  }
  return { ...world, key }
}

test('words match in any order, across project, checklist, section, question, and answer', () => {
  const { hits } = filledArchive()
  const panel = [
    'answer Delgado: 200 A, Square D',
    'photo Delgado: Main service panel, IMG_0100.jpg, archived',
    'photo Delgado: Main service panel, IMG_0101.jpg, missing',
  ]
  expect(hits('main panel, Delgado, 200 A')).toEqual(panel)
  expect(hits('200a DELGADO electrical pan')).toEqual(panel)
  expect(hits('delgado boise')).toContain('project Delgado: Delgado residence')
  expect(hits('delgado boise')[0]).toBe('project Delgado: Delgado residence')
  // Without its diacritics, and while it is being typed.
  expect(hits('nunez')[0]).toBe('project Núñez: Núñez garage')
  expect(hits('nun')[0]).toBe('project Núñez: Núñez garage')
  expect(hits('nun ')).toEqual([])
  expect(hits('100 A')[0]).toBe('answer Núñez: 100A')
})

test('a number and its unit match with and without the space between them', () => {
  const { find, store } = archive()
  const answers = ['7.6 kW', '12.5ft', '13.5kWh', '1,200W', '200 Amp', '400A', '12 12A']
  addChecklist(
    store,
    nunez,
    'amounts',
    'Survey',
    answers.map((answer, n) => ({ section: 'Site', label: `Question ${'abcdefg'[n]}`, answer })),
  )
  const found = (query: string) =>
    find(query, { kinds: ['answer'] }).hits.map(({ snippet, marks }) => [
      snippet,
      ...marks.map(([start, end]) => snippet.slice(start, end)),
    ])
  for (const [queries, answer] of [
    [['7.6kW', '7.6 kW', '7.6kw ', '7.6 kW.', 'question 7.6kW'], '7.6 kW'],
    [['12.5ft', '12.5 ft', '12.5 ft,'], '12.5ft'],
    [['13.5kWh', '13.5 kWh', '13.5 kW', '13.5kwh '], '13.5kWh'],
    [['1,200W', '1,200 W', '1,200 w.'], '1,200W'],
    [['200amp', '200 Amp', '200 am', '200AMP. '], '200 Amp'],
    [['400A', '400 A', '400 A.', '400A,'], '400A'],
  ] as const) {
    for (const query of queries) expect([query, found(query)]).toEqual([query, [[answer, answer]]])
  }
  expect(found('1212A')).toEqual([])
  expect(found('7.6kWh')).toEqual([])
  expect(found('"7.6kW"')).toEqual([])
})

test('a question is highlighted in the hit of its answer, and a project is named by its whole name or ID', () => {
  const { find, store } = filledArchive()
  const [answer] = find('service panel square').hits
  expect(answer).toMatchObject({ kind: 'answer', question: 'Main service panel', snippet: '200 A, Square D' })
  expect(answer).toMatchObject({
    marks: [[7, 13]],
    questionMarks: [
      [5, 12],
      [13, 18],
    ],
  })
  store.projects.put('64b5f0c2a1d3e4f5a6b7c8db', 'Delgado residence 2', '13 Elm Street', at)
  const projects = (query: string) => find(`${query} kind:project`).hits.map(({ projectName }) => projectName)
  expect(projects('project:delgado')).toEqual(['Delgado residence 2', 'Delgado residence'])
  expect(projects('project:"delgado residence"')).toEqual(['Delgado residence'])
  expect(projects(`project:${delgado}`)).toEqual(['Delgado residence'])
})

test('a project is named without its case, its accents, and their encoding', () => {
  const { find, store } = archive()
  const names = ['MÜLLER Straße', 'Mu\u0308ller  Haus', '太陽光発電所', null]
  for (const [n, name] of names.entries()) store.projects.put(`64b5f0c2a1d3e4f5a6b7c80${n}`, name, null, at)
  const named = (project: string) => {
    const { hits, problems } = find(`project:"${project}"`, { kinds: ['project'] })
    expect(problems).toHaveLength(hits.length === 0 ? 1 : 0)
    return hits.map(({ projectName }) => projectName)
  }
  for (const text of ['nunez', 'NÚÑEZ', 'núñez', 'nu\u0301n\u0303ez garage'])
    expect(named(text)).toEqual(['Núñez garage'])
  for (const text of ['müller', 'Müller', 'MU\u0308LLER', 'muller']) expect(named(text)).toEqual([names[1], names[0]])
  for (const text of ['Müller  Haus', 'mu\u0308ller  haus', 'MULLER  HAUS']) expect(named(text)).toEqual([names[1]])
  expect(named('müller straße')).toEqual([names[0]])
  expect(named('光発電')).toEqual([names[2]])
  expect(named('64b5f0c2a1d3e4f5a6b7c803')).toEqual(['64b5f0c2a1d3e4f5a6b7c803'])
  expect(named('\u0301')).toEqual([])
})

test('identifiers are found by any part of three characters or more', () => {
  const { hits } = filledArchive()
  expect(hits('mg_01')).toEqual([
    'photo Núñez: Main service panel, IMG_0100.jpg, missing',
    'photo Delgado: Main service panel, IMG_0101.jpg, missing',
    'photo Delgado: Main service panel, IMG_0100.jpg, archived',
  ])
  expect(hits('IMG_0100 delgado')).toEqual(['photo Delgado: Main service panel, IMG_0100.jpg, archived'])
  expect(hits('ridge delgado')).toEqual(['photo Delgado: Roof near the chimney, north-ridge.jpg, missing'])
  expect(hits('0042-x')).toEqual(['answer Delgado: SN 7E14-0042-XK'])
  expect(hits('f5a6b7c8da')).toEqual(['project Núñez: 64b5f0c2a1d3e4f5a6b7c8da'])
  expect(hits('lgad')).toEqual(['project Delgado: Delgado residence'])
  expect(hits('checklist-1')).toContain('checklist Delgado: checklist-1')
  // Few characters are in the middle of many ids by chance.
  expect(hits('5f0c')).toEqual([])
  expect(hits('64b5f')).toHaveLength(2)
  expect(hits('5f0c2a')).toHaveLength(2)
})

test('a photo is found by its whole name, also with spaces, digits, and signs', () => {
  const world = archive()
  const { store, find } = world
  const photos = [
    'Front View (1).jpg',
    'Front View (2).jpg',
    'Screenshot 2026-01-01 at 10.02.33.png',
    'Photo Jan 15, 9 41 22 AM.jpg',
    'View at dusk.jpg',
    'Delgado, roof (1).jpg',
  ]
  const key = addChecklist(store, delgado, 'names', 'Survey', [{ section: 'Out', label: 'House', photos }])
  addChecklist(store, nunez, 'other', 'Survey', [{ section: 'Out', label: 'House', photos: ['Front View (1).jpg'] }])
  readPhotos(world, key, { 'Front View (1).jpg': ['House with a view, see (1).jpg', 'Front View (1).jpg'] })
  const names = (query: string, more: object = { projectId: delgado }) =>
    find(query, more).hits.map(({ fileName }) => fileName)
  for (const name of photos) {
    expect(names(name)).toEqual([name])
    expect(names(name.slice(0, -5))).toContain(name)
    expect(names(name.toUpperCase(), { kinds: ['photo'], projectId: delgado })).toEqual([name])
    expect(names(`${name} -delgado`)).toEqual([])
    expect(names(`-delgado ${name}`)).toEqual([])
    expect(names(`${name} before:2025`)).toEqual([])
  }
  expect(names('Front View (1).jpg', {})).toEqual(['Front View (1).jpg', 'Front View (1).jpg'])
  expect(names('Front View (1).jpg -delgado', {})).toEqual(['Front View (1).jpg'])
  expect(names('view (1).jpg fron')).toEqual(['Front View (1).jpg'])
  // Words beside an identifier still match the question, and each photo is found once.
  expect(names('house (1).jpg')).toEqual(['Delgado, roof (1).jpg', 'Front View (1).jpg'])
})

test('a photo whose question is found by the same identifier is listed once', () => {
  const { find, store } = archive()
  const questions = [
    { section: 'Site', label: 'Inverter', answer: '7.6kW SN7E140042', photos: ['7.6kW label.jpg', 'SN7E140042.jpg'] },
    { section: 'Site', label: 'House', answer: 'see Front View (1)', photos: ['Front View (1).jpg', 'b.jpg'] },
  ]
  addChecklist(store, delgado, 'once', 'Survey', questions)
  const names = (query: string) => find(query, { kinds: ['photo'] }).hits.map(({ fileName }) => fileName)
  for (const query of ['7.6', 'E14004', 'ront View (1)', 'iew (1)']) {
    const found = names(query)
    expect([query, found]).toEqual([query, [...new Set(found)]])
    expect(found).toHaveLength(2)
    expect(find(query)).toMatchObject({ total: 3 })
  }
  // By chance in the middle of an ID.
  store.projects.put('64b5f0c2a1d3e4f5aadd7ead', 'Oak', '13 Elm Street', at)
  expect(find('64b5f add', { kinds: ['project'] }).hits).toEqual([])
})

test('a word finds all that starts with it, if few words do and if many do, in any script', () => {
  const { find, store } = archive()
  const count = (query: string) => find(query, { kinds: ['question'] }).total
  const ask = (id: string, labels: readonly string[]) =>
    addChecklist(
      store,
      nunez,
      id,
      'Survey',
      labels.map((label) => ({ section: 'Site', label })),
    )
  ask('few', ['Rafter', 'Rafters', 'Raft', 'A raftered roof', 'Rafé'])
  expect(['raft', 'rafte', 'rafters', 'raft ', 'raftx', 'rafe', '"rafte', 'a rafte', 'site raft'].map(count)).toEqual([
    4, 3, 1, 1, 0, 1, 0, 1, 4,
  ])
  ask('other', ['Rafterø', 'Rafter屋根'])
  expect(['raft', 'rafte', 'rafterø', 'rafter屋', 'raftered'].map(count)).toEqual([6, 5, 1, 1, 1])
  ask(
    'many',
    Array.from({ length: 40 }, (_, n) => `Meter${n + 10}`),
  )
  while (find('mete').isIndexing);
  expect(['mete', 'meter1', 'meter12', 'meter5', 'survey mete'].map(count)).toEqual([40, 10, 1, 0, 40])
})

test('phrases, excluded words, kinds, projects, statuses, and dates narrow a search', () => {
  const { hits, find } = filledArchive()
  expect(hits('"panel main"')).toEqual([])
  expect(hits('"service panel" -delgado', { kinds: ['answer'] })).toEqual(['answer Núñez: 100A'])
  expect(hits('survey kind:checklist project:delgado')).toEqual(['checklist Delgado: Site survey'])
  expect(hits('survey kind:checklist', { projectId: nunez })).toEqual(['checklist Núñez: Site survey'])
  expect(hits('main kind:answers status:completed')).toEqual([])
  expect(hits('main kind:answers status:awaitingmedia after:2025-12 before:2027')).toHaveLength(2)
  expect(hits('main before:2025')).toEqual([])
  expect(hits('panel -0101', { kinds: ['photo'] })).toEqual([
    'photo Núñez: Main service panel, IMG_0100.jpg, missing',
    'photo Delgado: Main service panel, IMG_0100.jpg, archived',
  ])
  // A lone identifier without what is excluded by the photo's question, and within a project.
  expect(hits('IMG_0 -panel')).toEqual([])
  expect(hits('IMG_0 -panel', { projectId: delgado })).toEqual([])
  expect(hits('IMG_0 -square')).toEqual(['photo Núñez: Main service panel, IMG_0100.jpg, missing'])
  expect(hits('ridge -panel -"main roof"')).toEqual(['photo Delgado: Roof near the chimney, north-ridge.jpg, missing'])
  // Also of a query that has only filters.
  expect(hits('kind:answer -square')).toEqual(['answer Núñez: 100A', 'answer Delgado: SN 7E14-0042-XK'])
  expect(hits('missing -roof -0101')).toEqual(['photo Núñez: Main service panel, IMG_0100.jpg, missing'])
  expect(hits('status:awaitingMedia kind:checklist -delgado')).toEqual(['checklist Núñez: Site survey'])
  expect(find('main before:2026-02-30').problems).toEqual([
    { text: 'before:2026-02-30', message: expect.stringContaining('"2026-02-30" is not a date') as string },
  ])
  for (const [part, message] of [
    ['status:bogus', 'There is no status "bogus". Checklists have draft,'],
    ['project:zzz', 'No project has "zzz" as its ID'],
  ] as const) {
    const problems = [{ text: part, message: expect.stringContaining(message) as string }]
    expect(find(`main ${part}`)).toEqual({ ...find('main'), problems })
    expect(find(part)).toMatchObject({ hits: [], problems })
  }
  expect(find('main status:pdf-processing,placed project:delg').problems).toEqual([])
  // An unknown field is ordinary text.
  expect(hits('panel:main')).toEqual([])
})

test('signs beside words change nothing', () => {
  const { hits, store } = filledArchive()
  store.projects.put(nunez, 'Delgado & Sons', null, at)
  expect(hits('Delgado & Sons')[0]).toBe('project Delgado: Delgado & Sons')
  for (const sign of ['&', '-', '--', '/', '=', '😀', '***']) {
    expect(hits(`panel ${sign} delgado 200`)).toEqual(hits('panel delgado 200'))
    expect(hits(`delgado ridge ${sign}`)).toEqual(hits('delgado ridge '))
    expect(hits(`200 ${sign} A`, { projectId: delgado })).toEqual(hits('200 A', { projectId: delgado }))
  }
  expect(hits('&', { projectId: delgado })).toEqual([])
  expect(hits('200 A / 100 A')).toEqual([])
  expect(hits('200 A / Square & D')).toHaveLength(3)
})

test('no text of a project puts it in the scope of another', () => {
  const { hits, store } = filledArchive()
  const other = '64b5f0c2a1d3e4f5a6b7c8db'
  const forged = [1, 2, 3].map((number) => `\uE000${number} \uE000\u0301${number} x\uE000${number}`).join(' ')
  store.projects.put(other, `Forged ${forged}`, forged, at)
  addChecklist(store, other, 'checklist-3', `Forged ${forged}`, [
    { section: forged, label: `Forged ${forged}`, answer: forged, photos: ['forged.jpg'] },
  ])
  expect(hits('forged').length).toBeGreaterThan(2)
  for (const projectId of [delgado, nunez]) {
    expect(hits('forged', { projectId })).toEqual([])
    expect(hits('kind:project', { projectId })).toHaveLength(1)
  }
  expect(hits('forged', { projectId: other })).toEqual(hits('forged'))
})

test('missing photos are found by their questions, also those that have no file yet', () => {
  const { hits } = filledArchive()
  expect(hits('chimney missing')).toEqual([
    'photo Delgado: Roof near the chimney, north-ridge.jpg, missing',
    'photo Delgado: Roof near the chimney, no file, missing',
  ])
  expect(hits('missing project:delgado')).toHaveLength(3)
  expect(hits('"missing" chimney')).toEqual([])
})

test('after a change only the new text is found', () => {
  const { hits, store, key, run } = filledArchive()
  const [panel] = store.questions.listForChecklist(key)
  if (panel === undefined) throw new Error('no question')
  store.questions.update({ ...panel, label: 'Sub panel', answer: '125 A' }, true)
  expect(hits('200 Square')).toEqual([])
  expect(hits('delgado sub 125')).toHaveLength(3)
  store.projects.put(delgado, 'Okafor residence', null, at)
  expect(hits('delgado')).toEqual([])
  expect(hits('okafor 125')).toHaveLength(3)
  store.checklists.put({
    projectId: delgado,
    id: 'checklist-1',
    title: 'Final inspection',
    status: 'completed',
    updatedAt: at,
    fingerprint: 'g',
    entryRaw: '{}',
  })
  expect(hits('final sub 125')).toHaveLength(3)
  const report = addAsset(store, { checklistKey: key, questionKey: null, path: 'report.pdf' })
  run(
    `INSERT INTO report_pages (asset_id, page, text) VALUES (${report}, 3, 'Inverter layout\nZJ-778 on the west wall')`,
  )
  expect(hits('okafor west wall')).toEqual(['report Okafor: page 3, ZJ-778 on the west wall'])
  run(`UPDATE assets SET sha256 = 'x' WHERE id = ${report}; UPDATE assets SET sha256 = 'y' WHERE id = ${report}`)
  expect(hits('west wall')).toEqual([])
  const photo = store.assets.listForChecklist(key)[0]?.id
  run(`INSERT INTO photo_texts (asset_id, source, text, words) VALUES (${photo}, 'code', 'S3RIAL-99812', '[]')`)
  expect(hits('rial-998')).toEqual(['photo Okafor: Sub panel, IMG_0100.jpg, archived'])
  store.projects.remove(delgado, at)
  expect(hits('okafor')).toEqual([])
  expect(hits('IMG_0101')).toEqual([])
})

/** Marks the photos of a checklist as archived, and adds texts on those with any, as the analysis does. */
function readPhotos({ store, run }: ReturnType<typeof archive>, key: number, texts: Record<string, readonly string[]>) {
  for (const { id, path, kind } of store.assets.listForChecklist(key)) {
    if (kind !== 'photo') continue
    const file = { id, sha256: 'a'.repeat(64), sizeBytes: 1, etag: null, lastModified: null, archivedAt: at }
    store.assets.markArchived({ ...file, urlIdentity: null })
    for (const [index, text] of (texts[path.split('/').at(-1) ?? ''] ?? []).entries()) {
      const source = index === 0 ? 'print' : 'code'
      run(`INSERT INTO photo_texts (asset_id, source, text, words) VALUES (${id}, '${source}', '${text}', '[]')`)
    }
  }
}

test('the text on a photo is a part of it: one hit, never missing, and without what is excluded', () => {
  const world = filledArchive()
  const { hits, find } = world
  readPhotos(world, world.key, {
    'IMG_0100.jpg': ['Main panel\nCIRCUIT DIRECTORY of IMG_0100', 'SN-7781-0101 circuit'],
    'IMG_0101.jpg': ['Vet'],
  })
  const [first, second] = ['IMG_0100.jpg', 'IMG_0101.jpg'].map(
    (name) => `photo Delgado: Main service panel, ${name}, archived`,
  )
  const photos = (query: string) => hits(query, { kinds: ['photo'], projectId: delgado })
  expect(photos('main panel')).toEqual([first, second])
  expect(find('kind:photo').hits).toHaveLength(5)
  expect(photos('directory')).toEqual([first])
  expect(photos('circuit')).toEqual([first])
  // In a name and in a text.
  expect(photos('g_0100')).toEqual([first])
  expect(photos('IMG_0100')).toEqual([first])
  expect(photos('0101')).toEqual([first, second])
  expect(photos('7781-01')).toEqual([first])
  expect(photos('main -circuit')).toEqual([second])
  expect(photos('-circuit')).not.toContain(first)
  expect(photos('IMG_010 -circuit')).toEqual([second])
  expect(photos('directory -sn')).toEqual([])
  expect(photos('directory -square')).toEqual([])
  expect(hits('missing project:delgado')).toEqual(['photo Delgado: Roof near the chimney, no file, missing'])
  expect(hits('directory missing')).toEqual([])
})

test('pages with texts on photos have every photo once', () => {
  const world = archive()
  const { store, find } = world
  for (let n = 0; n < 40; n += 1) {
    const photos = [`roof_${n}.jpg`, `x_${n}.jpg`]
    const label = n % 2 === 0 ? 'Roof' : 'Eave'
    const key = addChecklist(store, nunez, `c${n}`, 'Survey', [{ section: 'Out', label, photos }])
    readPhotos(world, key, {
      [`roof_${n}.jpg`]: ['Roof of slate', 'roof-code'],
      [`x_${n}.jpg`]: ['slate roof', 'roofing'],
    })
  }
  while (find('roof').isIndexing);
  for (const [query, count] of [
    ['roof', 80],
    ['slate', 80],
    ['roof slate', 80],
    ['oof', 80],
    ['kind:photo', 80],
    ['roof -slate', 0],
    ['kind:photo -eave', 40],
  ] as const) {
    const ids: (number | null)[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = find(query, { limit: 7, cursor, kinds: ['photo'] })
      expect(page.total).toBe(count)
      ids.push(...page.hits.map(({ assetId }) => assetId))
      cursor = page.cursor
    }
    expect([query, ids.length, new Set(ids).size]).toEqual([query, count, count])
  }
})

test('archived reports, and photos as set, are unread until they were read or could not be', () => {
  const { store, key } = filledArchive()
  const end = (assetId: number, kind: 'pages' | 'text', reason: string | null) => {
    store.analysis.end({ assetId, kind, version: 1, reason, tries: 1, retryAt: null })
  }
  const unread = () => [store.analysis.hasUnread(false), store.analysis.hasUnread(true)]
  const [photo] = store.assets.listForChecklist(key)
  expect(unread()).toEqual([false, true])
  store.analysis.createJobs(200)
  expect(unread()).toEqual([false, true])
  end(photo?.id ?? 0, 'text', null)
  expect(unread()).toEqual([false, false])
  const report = addAsset(store, { checklistKey: key, questionKey: null, path: 'report.pdf' })
  const file = { id: report, sha256: 'b'.repeat(64), sizeBytes: 1, etag: null, lastModified: null, archivedAt: at }
  store.assets.markArchived({ ...file, urlIdentity: null })
  expect(unread()).toEqual([true, true])
  store.analysis.createJobs(200)
  expect(unread()).toEqual([true, true])
  end(report, 'pages', 'encrypted')
  expect(unread()).toEqual([false, false])
})

test('an order is found by a project that is added after it, and that has its ID in other capitals', () => {
  const { hits, find, store } = archive()
  for (const projectId of ['64b5f0c2a1d3e4f5a6b7c8db', '64B5F0C2A1D3E4F5A6B7C8DB'])
    store.orders.insertDraft({ source: 'app', texts: { projectId, homeownerName: 'Ana' }, region: null, at })
  expect(hits('ana maple')).toEqual([])
  store.projects.put('64b5f0c2a1d3e4f5a6b7c8db', 'Maple garage', null, at)
  expect(hits('ana maple')).toEqual(['order Maple: Ana', 'order Maple: Ana'])
  expect(find('ana project:maple').total).toBe(2)
  store.projects.put('64b5f0c2a1d3e4f5a6b7c8db', 'Cedar garage', null, at)
  expect(find('ana cedar').total).toBe(2)
})

test('an order is found by its homeowner, module, and address, until it is discarded', () => {
  const { hits, store } = archive()
  const texts = { projectId: delgado, homeownerName: 'Ana Delgado', designOneModule: 'Q.PEAK DUO BLK-G10 400' }
  const order = store.orders.insertDraft({ source: 'app', texts, region: null, at })
  expect(hits('ana peak')).toEqual(['order Delgado: Ana Delgado'])
  expect(hits('blk-g10')).toEqual(['order Delgado: Q.PEAK DUO BLK-G10 400'])
  store.orders.discard(order)
  expect(hits('ana peak')).toEqual([])
})

test('pages continue where the last one ended, and every hit comes once', () => {
  const { find, store } = filledArchive()
  for (let n = 0; n < 30; n += 1) {
    const photos = Array.from({ length: 3 }, (_, index) => `DSC_${n}_${index}.jpg`)
    addChecklist(store, nunez, `c${n}`, 'Roof survey', [{ section: 'Roof', label: 'Roof', answer: 'Shingle', photos }])
  }
  const all = find('roof', { limit: 200 })
  expect(all).toMatchObject({ isCapped: false, cursor: null, isIndexing: false, problems: [] })
  expect(all.total).toBe(all.hits.length)
  const hits: SearchHit[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = find('roof', { limit: 7, cursor })
    expect(page.total).toBe(all.total)
    hits.push(...page.hits)
    cursor = page.cursor
  }
  expect(hits).toEqual(all.hits)
  const { cursor } = find('roof', { limit: 7 })
  for (const [query, more] of [
    ['roof', { cursor: 'x' }],
    ['roof survey', { cursor }],
    ['roof', { cursor, projectId: nunez }],
    ['roof', { cursor, kinds: ['photo'] }],
  ] as const) {
    expect(() => find(query, more)).toThrow('not a cursor')
  }
})

test('any text is a query', () => {
  const { find } = filledArchive()
  const piece = fc.constantFrom(
    '"',
    '-',
    '*',
    'AND',
    'NOT(',
    'NEAR(',
    'kind:',
    'before:',
    '{own}:',
    '^',
    ':',
    'pan',
    ' ',
    '\u0000',
    '\uE000',
    "'",
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.array(piece).map((pieces) => pieces.join('')),
      ),
      (query) => {
        expect(find(query.slice(0, 500)).hits.length).toBeLessThan(20)
      },
    ),
  )
})

test('an index by other rules, and that of an archive from an earlier version, is built in steps', async () => {
  const { run, hits, store, indexer, key, find } = filledArchive()
  const access = { title: 'Access', mediaCategoryId: '3', value: 'Ladder needed' }
  const detail = { id: 'checklist-1', title: 'Site survey', sections: [{ title: 'Roof', questions: [access] }] }
  store.checklists.saveDetail(key, JSON.stringify(detail), 'f', at)
  expect(hits('delgado 200')).not.toEqual([])
  run(`UPDATE search_state SET version = 99; UPDATE questions SET answer = NULL; DELETE FROM search_queue;
    INSERT INTO search_words (search_words) VALUES ('delete-all');
    INSERT INTO search_parts (search_parts) VALUES ('delete-all');`)
  expect(search(store, searchQuerySchema.parse({ query: 'delgado' }))).toMatchObject({ isIndexing: true, hits: [] })
  await indexer.complete(new AbortController().signal)
  expect(hits('ladder')).toEqual(['answer Delgado: Ladder needed'])
  expect(hits('img_0101')).toEqual(['photo Delgado: Main service panel, IMG_0101.jpg, missing'])
  expect(find('delgado')).toMatchObject({ isIndexing: false, total: 8 })
})

test.each([
  ['and began by other rules starts over', -99, true],
  ['in an earlier version, which did not record its rules, starts over', 0, true],
  ['and began by the same rules is continued', -searchVersion, false],
])('a build of the index that was interrupted %s', async (_name, version, startsOver) => {
  const { run, hits, indexer } = filledArchive()
  run(`UPDATE search_state SET version = ${version}, checklist_key = (SELECT MAX(key) FROM checklists);
    INSERT INTO search_words (search_words) VALUES ('delete-all');
    INSERT INTO search_parts (search_parts) VALUES ('delete-all'); DELETE FROM search_queue`)
  await indexer.complete(new AbortController().signal)
  expect(hits('img_0101').length > 0).toBe(startsOver)
})

test('all that matches is found beyond the limits of a page, and a name of too many projects is reported', async () => {
  const { store, indexer, find } = archive()
  const photos = Array.from({ length: 1_100 }, (_, index) => `IMG_${String(index).padStart(4, '0')}.jpg`)
  addChecklist(store, '64b5f0c2a1d3e4f5a6b7c8d9', 'many', 'Many photos', [{ section: 'Roof', label: 'Roof', photos }])
  for (let number = 0; number < 201; number += 1)
    store.projects.put(`64b5f0c2a1d3e4f5a6b70${String(number).padStart(3, '0')}`, `Maple ${number}`, null, at)
  await indexer.complete(new AbortController().signal)
  const all = (query: string) => store.reading(() => [...searchAll(store, { query })])
  expect(find('img_').isCapped).toBe(true)
  expect(new Set(all('img_').map(({ fileName }) => fileName))).toEqual(new Set(photos))
  const tooMany = /^More than 200 projects have "maple" in their names, and only the newest 200 are searched/
  expect(find('project:maple').problems).toMatchObject([{ message: expect.stringMatching(tooMany) as string }])
  expect(() => all('project:maple')).toThrow(tooMany)
  expect(() => all(`${'img_ '.repeat(32)} -roof`)).toThrow(/^A search has at most 32 words/)
  expect(all('project:"maple 200"')).toMatchObject([{ kind: 'project', projectName: 'Maple 200' }])
})

test('an identifier in very many files is found in every one, whatever else is left out', async () => {
  const world = archive()
  const { store, indexer, find } = world
  const names = (first: number, count: number) =>
    Array.from({ length: count }, (_, n) => `IMG_${String(first + n).padStart(5, '0')}.jpg`)
  const ask = (projectId: string, id: string, photos: readonly string[], answers: readonly string[] = []) =>
    addChecklist(store, projectId, id, 'Survey', [
      { section: 'Out', label: 'Porch', photos },
      ...answers.map((answer) => ({ section: 'Out', label: 'Date', answer })),
    ])
  const old = names(0, 20)
  const removed = '64b5f0c2a1d3e4f5a6b7c8db'
  store.projects.put(removed, 'Removed', null, at)
  const answers = Array.from({ length: 1_100 }, (_, n) => `XIMG_${n}`)
  store.transaction(() => {
    readPhotos(world, ask(delgado, 'old', old), {})
    readPhotos(world, ask(nunez, 'new', names(100, 4_200)), {})
    ask(removed, 'removed', names(6_000, 1_100))
    ask(nunez, 'answers', [], answers)
  })
  store.projects.remove(removed, at)
  store.checklists.put({
    projectId: delgado,
    id: 'old',
    title: 'Survey',
    status: 'completed',
    updatedAt: '2024-01-01T00:00:00.000Z',
    fingerprint: 'g',
    entryRaw: '{}',
  })
  await indexer.complete(new AbortController().signal)
  const all = (query: string, more: object) => {
    const hits: SearchHit[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = find(query, { limit: 200, cursor, ...more })
      hits.push(...page.hits)
      cursor = page.cursor
    }
    return hits.map(({ fileName, snippet }) => fileName ?? snippet)
  }
  const photos = { kinds: ['photo'] }
  for (const query of [
    'IMG_ before:2025',
    'IMG_ status:completed',
    'img_00 before:2025',
    'IMG_ project:delgado',
    'IMG_ -nunez',
  ])
    expect([query, all(query, photos).toSorted()]).toEqual([query, old])
  expect(all('IMG_ survey before:2025', photos).toSorted()).toEqual(old)
  expect(all('IMG_ missing', {})).toEqual([])
  const every = all('IMG_', {})
  expect([every.length, new Set(every).size]).toEqual([5_320, 5_320])
  const near = all('IMG_ porch', photos)
  expect([near.length, new Set(near).size]).toEqual([4_220, 4_220])
  // No page says that nothing was found before all were looked at.
  expect(find('IMG_ before:2025')).toMatchObject({ isCapped: true, cursor: expect.any(String) as string })
  expect(find('IMG_ kind:report')).toMatchObject({ total: 0, isCapped: false, cursor: null })
})

test('pages with identifiers on and in the names of very many photos have every photo once', async () => {
  const world = archive()
  const { store, indexer, find } = world
  const photos = Array.from({ length: 1_300 }, (_, n) => `SN-${10_000 + n}.jpg`)
  const key = store.transaction(() =>
    addChecklist(store, nunez, 'many', 'Survey', [
      { section: 'Out', label: 'Porch', photos: photos.slice(0, 700) },
      { section: 'Out', label: 'Eave', photos: photos.slice(700) },
    ]),
  )
  const texts = photos.map((name, n): [string, string[]] => [name, [`Serial SN-${10_000 + n}`, `SN-1${n} porch`]])
  store.transaction(() => {
    for (const { id } of store.assets.listForChecklist(key)) {
      const file = { id, sha256: 'a'.repeat(64), sizeBytes: 1, etag: null, lastModified: null, archivedAt: at }
      store.assets.markArchived({ ...file, urlIdentity: null })
    }
  })
  const values = store.assets
    .listForChecklist(key)
    .flatMap(({ id }, n) =>
      (texts[n]?.[1] ?? []).map((text, index) => `(${id}, '${index === 0 ? 'print' : 'code'}', '${text}', '[]')`),
    )
  world.run(`INSERT INTO photo_texts (asset_id, source, text, words) VALUES ${values.join(', ')}`)
  await indexer.complete(new AbortController().signal)
  for (const [query, count] of [
    ['SN-1', 1_300],
    ['SN-1 porch', 1_300],
    ['N-1 eave', 600],
    ['N-1 urvey', 0],
    ['porch N-1', 1_300],
  ] as const) {
    const ids: (number | null)[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = find(query, { limit: 150, cursor, kinds: ['photo'] })
      ids.push(...page.hits.map(({ assetId }) => assetId))
      cursor = page.cursor
    }
    expect([query, ids.length, new Set(ids).size]).toEqual([query, count, count])
    const exported = store.reading(() => [...searchAll(store, { query, kinds: ['photo'] })])
    expect(new Set(exported.map(({ assetId }) => assetId))).toEqual(new Set(ids))
  }
})

test('names with all words are found once, also if very many have one of them', async () => {
  const { store, indexer, find } = archive()
  const named = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}${n}.jpg`)
  store.transaction(() =>
    addChecklist(store, nunez, 'many', 'Survey', [
      { section: 'Out', label: 'Shingle', photos: [...named(5, 'roof-shingle'), ...named(5, 'roof')] },
      { section: 'Out', label: 'Porch', photos: named(1_010, 'roof') },
    ]),
  )
  await indexer.complete(new AbortController().signal)
  const ids: (number | null)[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = find('roof shingle ', { cursor })
    ids.push(...page.hits.map(({ assetId }) => assetId))
    cursor = page.cursor
  }
  expect([ids.length, new Set(ids).size]).toEqual([10, 10])
})
