import { expect, it, vi } from 'vitest'
import { startSampleService } from '../../../../electron/sample-service/start-sample-service.ts'
import { openReport } from '../../../../renderer/features/report/open-report.ts'
import { Report } from '../../../../renderer/features/report/use-report.ts'

/** Returns a report that is larger than what is read of it at a time. */
async function largeReport(): Promise<Buffer> {
  const service = await startSampleService({ projects: 1, statuses: ['completed'], reportBytes: 1_000_000 })
  try {
    const [checklist] = service.projects[0]?.checklists ?? []
    if (checklist === undefined) throw new Error('There is no checklist')
    return await service.reportBytes(checklist)
  } finally {
    await service.close()
  }
}

it('a report of a drive that is unplugged while it is open is said to be lost, and can be closed', async () => {
  const library = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const file = await largeReport()
  let isUnplugged = false
  vi.stubGlobal('document', { baseURI: import.meta.url })
  vi.stubGlobal('fetch', (_url: string, { headers }: { headers: { Range: string } }) => {
    const [, begin, end] = /(\d+)-(\d+)/.exec(headers.Range) ?? []
    const range = { 'Content-Range': `bytes ${begin}-${end}/${file.length}` }
    const bytes = Uint8Array.from(file.subarray(Number(begin), Number(end) + 1))
    return Promise.resolve(
      isUnplugged ? new Response(null, { status: 503 }) : new Response(bytes, { status: 206, headers: range }),
    )
  })
  try {
    const { document: opened, lost } = openReport(library, 'archive://files/1')
    const document = await opened
    isUnplugged = true
    // Reads the whole file.
    document.getData().catch(() => undefined)
    await expect(lost).rejects.toThrow('503')
    await document.loadingTask.destroy()

    const report = new Report()
    report.document.value = document
    report.pages.value = document.numPages
    expect(() => report.close()).not.toThrow()
  } finally {
    vi.unstubAllGlobals()
  }
})
