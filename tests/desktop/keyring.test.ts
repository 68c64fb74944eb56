import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readFiles } from '../support/sample-archive.ts'
import { makeSandbox, startDesktop } from './support/open-desktop.ts'
import { canOpenKeyring, openKeyring } from './support/open-keyring.ts'

test.runIf(process.platform === 'linux' && canOpenKeyring())(
  'with a keyring the token is stored encrypted, used by the next start, and unreadable without it',
  async () => {
    const sandbox = await makeSandbox({ projects: 1, checklistsPerProject: 1, isSetUp: false })
    onTestFinished(() => sandbox.remove())
    const { service, home, archive, folder } = sandbox
    const keyring = await openKeyring(join(folder, 'keyring'))
    onTestFinished(() => keyring.close())
    const start = (store: string) => startDesktop(sandbox, [`--password-store=${store}`], keyring.env)

    const first = await start('gnome-libsecret')
    expect(await first.call('setup.state', {})).toMatchObject({ token: 'none', keepsTokenIn: 'keychain' })
    const asked = { serviceUrl: service.url, token: service.token, archiveFolder: archive }
    expect(await first.call('setup.complete', asked)).toMatchObject({ ready: true, token: 'keychain' })
    await first.quit()
    const kept = join(home, 'token.encrypted')
    expect(statSync(kept).mode & 0o777).toBe(0o600)
    expect(existsSync(join(home, 'token'))).toBe(false)
    for (const [path, bytes] of readFiles(home)) expect(bytes.includes(service.token), path).toBe(false)

    const second = await start('gnome-libsecret')
    expect(await second.call('setup.state', {})).toMatchObject({ token: 'keychain' })
    await second.call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
    await second.untilArchived()
    await second.quit()

    // A login session without the keyring.
    const third = await start('basic')
    expect(await third.call('setup.state', {})).toMatchObject({ token: 'none', keepsTokenIn: 'nowhere' })
    await third.quit()
    expect(existsSync(kept)).toBe(true)
    const log = readFileSync(join(home, 'logs', 'solarchive.log'), 'utf8')
    expect(log).toContain('The stored token could not be decrypted with the keychain')
    expect(log).not.toContain(service.token)
  },
)

test.runIf(process.platform === 'linux' && canOpenKeyring())(
  'a token that is replaced stays in the private file, although there is a keyring, unless the user chooses it',
  async () => {
    const sandbox = await makeSandbox({ projects: 1, checklistsPerProject: 1 })
    onTestFinished(() => sandbox.remove())
    const { service, home, folder } = sandbox
    const keyring = await openKeyring(join(folder, 'keyring'))
    onTestFinished(() => keyring.close())
    const { page, call, show, quit } = await startDesktop(sandbox, ['--password-store=gnome-libsecret'], keyring.env)
    onTestFinished(quit)
    expect(await call('setup.state', {})).toMatchObject({ token: 'file', keepsTokenIn: 'keychain' })
    const [token, choice] = [page.getByLabel('Access token'), page.getByLabel('Keep the token in a private file')]

    await show('/set-up')
    await token.fill(service.token)
    await choice.waitFor()
    expect(await choice.isChecked()).toBe(true)
    await token.fill('')

    await show('/settings?section=connection')
    const save = async () => {
      await token.fill(service.token)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect.poll(() => token.inputValue()).toBe('')
    }
    await save()
    expect(await call('setup.state', {})).toMatchObject({ token: 'file' })
    expect(readFileSync(join(home, 'token'), 'utf8').trim()).toBe(service.token)
    await token.fill(service.token)
    await choice.uncheck()
    await save()
    expect(await call('setup.state', {})).toMatchObject({ token: 'keychain' })
  },
)
