import { expect, test } from 'vitest'
import { callNames, walkContract } from '../support/walk-contract.ts'
import { makeSandbox, startDesktop } from './support/open-desktop.ts'

test('every call returns its contract shape over the bridge, and nothing else is accepted', async () => {
  const sandbox = await makeSandbox({ projects: 2, checklistsPerProject: 2, photosPerQuestion: 1 })
  const { electron, call, ask, page, untilArchived, quit } = await startDesktop(sandbox)
  try {
    const bundle = `${sandbox.folder}/bundle.zip`
    await electron.evaluate(({ shell, dialog, Menu }, filePath) => {
      Menu.prototype.popup = (options) => options?.callback?.()
      shell.openPath = () => Promise.resolve('')
      dialog.showOpenDialog = () => Promise.resolve({ canceled: true, filePaths: [] })
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
    }, bundle)
    for (const name of callNames) {
      const answer = await ask(name, { nonsense: 'canary' } as never)
      expect(answer, name).toMatchObject({ ok: false, error: { code: 'wrong-usage' } })
      expect(JSON.stringify(answer)).not.toContain('canary')
    }
    expect(await ask('constructor' as never, {} as never)).toMatchObject({
      error: { code: 'wrong-usage', message: 'Solarchive has no call of this name.' },
    })
    await call('projects.add', { projects: sandbox.service.projects.map(({ id, name }) => ({ id, name })) })
    await untilArchived()
    await walkContract({ service: sandbox.service, archiveFolder: sandbox.archive, call: ask })
    expect(await page.content()).not.toContain(sandbox.service.token)
  } finally {
    await quit()
    await sandbox.remove()
  }
})
