import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withServed } from './served.ts'

test('a photo, a checklist, and a project are located in the archive and shown, and nothing else', async () => {
  await withServed(
    async ({ archive, engine, call, shown }) => {
      await engine.sync()
      const projectId = archive.service.projects[0]?.id ?? ''
      const checklistId = archive.service.projects[0]?.checklists[0]?.id ?? ''
      const view = engine.catalog.checklist(projectId, checklistId)
      const photos = view.sections.flatMap(({ questions }) => questions).flatMap((question) => question.photos)
      const { assetId = 0, fileName = '' } = photos[0] ?? {}
      const located = async (target: Parameters<typeof call<'files.locate'>>[1]) => {
        const answer = await call('files.locate', target)
        if (!answer.ok) throw new Error(answer.error.message)
        expect(await call('files.show', target)).toEqual(answer)
        expect(answer.value.path).toBe(join(archive.root, answer.value.relativePath))
        expect(shown.at(-1)).toBe(answer.value.path)
        return answer.value.relativePath
      }
      const project = await located({ projectId })
      const checklist = await located({ projectId, checklistId })
      const photo = await located({ assetId })
      expect(checklist.startsWith(`${project}/`)).toBe(true)
      expect(photo.startsWith(`${checklist}/`) && photo.endsWith(`/${fileName}`)).toBe(true)

      const facts = await call('photos.facts', { assetId })
      expect(facts).toMatchObject({ ok: true, value: { size: { widthPixels: expect.any(Number) as number } } })
      const report = view.report?.assetId ?? 0
      expect(await call('files.open', { assetId: report })).toEqual(await call('files.locate', { assetId: report }))
      expect(shown.at(-1)).toMatch(/report\.pdf$/)
      const refused = { ok: false, error: { code: 'not-found' } }
      expect(await call('photos.facts', { assetId: report })).toMatchObject(refused)
      expect(await call('files.locate', { projectId: '../..' })).toMatchObject(refused)
      expect(await call('files.locate', { projectId, checklistId: 'nothing' })).toMatchObject(refused)
      expect(await call('files.show', { assetId: 999_999 })).toMatchObject(refused)
      expect(await call('files.open', { assetId: 999_999 })).toMatchObject(refused)

      const before = shown.length
      renameSync(join(archive.root, checklist), join(archive.home, 'elsewhere'))
      expect(await call('files.show', { projectId, checklistId })).toMatchObject(refused)
      symlinkSync(join(archive.home, 'elsewhere'), join(archive.root, checklist))
      expect(await call('files.show', { projectId, checklistId })).toMatchObject({ ok: false })
      expect(await call('files.show', { assetId })).toMatchObject({ ok: false })
      expect(shown).toHaveLength(before)
    },
    { statuses: ['completed'] },
  )
})

test('a list is previewed as adding it would read it, and nothing changes', async () => {
  await withServed(async ({ archive, engine, call }) => {
    const known = archive.service.projects[0]?.id ?? ''
    const preview = async (input: Parameters<typeof call<'projects.preview'>>[1]) => {
      const answer = await call('projects.preview', input)
      if (!answer.ok) throw new Error(answer.error.message)
      return answer.value
    }
    const first = ['id,name,address', 'new-1,Señor,"1 Elm St\nIthaca"', `${known},,`]
    const csv = [...first, 'new-1,Señor,1 Elm St Ithaca', 'a/b,Bad,', 'new-1,Other,', ''].join('\n')
    const listed = await preview({ text: csv })
    expect(listed.counts).toEqual({ new: 1, known: 1, duplicate: 1, wrong: 2 })
    expect(listed.rows.map(({ line, id, state }) => [line, id, state])).toEqual([
      [3, 'new-1', 'new'],
      [4, known, 'known'],
      [5, 'new-1', 'duplicate'],
      [6, 'a/b', 'wrong'],
      [7, 'new-1', 'wrong'],
    ])
    expect(listed.rows[0]).toMatchObject({ name: 'Señor', address: '1 Elm St Ithaca', problem: null })
    expect(await preview({ base64: Buffer.from(`\uFEFF${csv}`, 'utf16le').toString('base64') })).toEqual(listed)
    expect(await preview({ base64: Buffer.from(csv, 'latin1').toString('base64') })).toEqual(listed)
    const pasted = await preview({ text: `p-1, p-2;p-3\n p-4\tp-1 \r\n\n${known}` })
    expect(pasted.counts).toEqual({ new: 4, known: 1, duplicate: 1, wrong: 0 })
    const rows = await preview({ text: 'p-1\tMiller\t1 Elm St, Ithaca\np-2\tSmith\t2 Elm St, Ithaca\nOak\tx\ty' })
    expect(rows.counts).toEqual({ new: 2, known: 0, duplicate: 0, wrong: 1 })
    expect(rows.rows[0]).toMatchObject({ id: 'p-1', name: 'Miller', address: '1 Elm St, Ithaca' })
    expect(rows.reading).toMatchObject({ id: 'column 1', name: ['column 2'], address: ['column 3'] })
    expect((await preview({ text: ' ' })).rows).toMatchObject([{ line: 1, id: '', state: 'wrong' }])
    const most = Array.from({ length: 10_000 }, (_, row) => `id-${row},${'Name '.repeat(60)}`).join('\n')
    expect((await preview({ text: `id,name\n${most}` })).counts.new).toBe(10_000)
    expect(await call('projects.preview', { text: `id,name\n${most}\none-more,` })).toMatchObject({ ok: false })
    expect(engine.projects.list()).toHaveLength(2)
  })
})
