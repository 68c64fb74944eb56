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
