import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { expect, test } from 'vitest'
import type { SampleService } from '../../electron/sample-service/start-sample-service.ts'
import type { SampleChecklist } from '../../electron/sample-service/site/site-types.ts'
import { first, read, serviceForTest } from './sample-client.ts'

const pages = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type \/Page\b(?!s)/g)?.length ?? 0

async function download(service: SampleService, checklist: SampleChecklist): Promise<Buffer> {
  const { pdfUrl } = await read<{ pdfUrl: string }>(service, `checklist/${checklist.projectId}/${checklist.id}`)
  const response = await fetch(pdfUrl)
  expect(response.headers.get('content-type')).toBe('application/pdf')
  return Buffer.from(await response.arrayBuffer())
}

test('a completed checklist has a PDF of several pages', async () => {
  const service = await serviceForTest()
  const checklist = first(first(service.projects).checklists)
  const pdf = await download(service, checklist)
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect(pdf.subarray(-6).toString()).toBe('%%EOF\n')
  expect(pages(pdf)).toBeGreaterThanOrEqual(3)
  expect(pdf.equals(await service.reportBytes(checklist))).toBe(true)
})

/** The text of each page, as PDF.js reads it. */
async function pageTexts(pdf: Buffer): Promise<string[]> {
  const loading = getDocument({ data: new Uint8Array(pdf), verbosity: 0 })
  const document = await loading.promise
  const texts: string[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent()
    texts.push(items.map((item) => ('str' in item ? item.str : '')).join(' '))
  }
  await loading.destroy()
  return texts
}

test('a report has its checklist, its answers, and its questions, from the first page on', async () => {
  const service = await serviceForTest({
    awkwardNames: false,
    statuses: ['completed'],
    checklistsPerProject: 6,
    projects: 1,
  })
  const project = first(service.projects)
  expect(project.checklists).toHaveLength(6)
  for (const checklist of project.checklists) {
    const [cover = '', ...photoPages] = await pageTexts(await service.reportBytes(checklist))
    for (const text of [checklist.title, project.address, project.homeownerName, checklist.id]) {
      expect(cover.replace(/\s+/g, ' ')).toContain(text)
    }
    for (const { label, questions } of checklist.sections) {
      expect(cover).toContain(label)
      for (const question of questions) {
        expect(cover).toContain(`${question.label}: `)
        if (question.answer === null) expect(photoPages.join(' ')).toContain(question.label)
        else expect(cover).toContain(question.answer)
      }
    }
  }
})

test('a report is unchanged when a photo changes, and differs once it is generated again', async () => {
  const service = await serviceForTest({ photosPerQuestion: 1 })
  const checklist = first(first(service.projects).checklists)
  const before = await service.reportBytes(checklist)
  service.addPhoto(checklist)
  service.renameChecklist(checklist, 'Renamed')
  expect((await service.reportBytes(checklist)).equals(before)).toBe(true)
  service.replaceReport(checklist)
  expect((await service.reportBytes(checklist)).equals(before)).toBe(false)
})

test('a checklist with awkward names has a report too', async () => {
  const service = await serviceForTest({ photosPerQuestion: 1 })
  const awkward = service.projects[2]
  const pdf = await service.reportBytes(first(awkward?.checklists ?? []))
  expect(pages(pdf)).toBeGreaterThanOrEqual(2)
})

test('reports of a fixed size are complete PDFs of exactly that size and all differ', async () => {
  const service = await serviceForTest({ reportBytes: 12_345, statuses: ['completed'] })
  const [one, other] = first(service.projects).checklists
  if (!one || !other) throw new Error('The sample has too few checklists')
  const [pdf, another] = [await service.reportBytes(one), await service.reportBytes(other)]
  expect([pdf.length, another.length]).toEqual([12_345, 12_345])
  expect(pdf.equals(another)).toBe(false)
  const tableAt = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(pdf.subarray(-60).toString())?.[1])
  const table = pdf.subarray(tableAt).toString()
  expect(table.startsWith('xref\n')).toBe(true)
  const objectAt = Number(/^xref\n\d+ 1\n(\d{10})/.exec(table)?.[1])
  expect(pdf.subarray(objectAt, objectAt + 20).toString()).toMatch(/^\d+ 0 obj\n/)
})

test('a checklist that was never completed has no report', async () => {
  const service = await serviceForTest()
  const draft = first(service.projects).checklists.find(({ status }) => status === 'draft')
  if (!draft) throw new Error('The sample has no draft')
  await expect(service.reportBytes(draft)).rejects.toThrow(RangeError)
})
