import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { electronFlags } from '../../electron/headless/electron-app.ts'
import { cloneFolder } from '../headless/run-solarchive.ts'
import { archivedHashes, servedHashes } from '../support/sample-archive.ts'
import { until } from '../support/watching.ts'
import { withServer } from '../support/with-server.ts'
import { electronProgram } from './support/electron-runtime.ts'
import { makeSandbox, startDesktop } from './support/open-desktop.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Installs the suite's Electron under an app's name, which makes it an installed app, with an update URL. */
function installApp(folder: string, updateUrl: string): string {
  const app = join(folder, 'app')
  linkFolder(dirname(electronProgram()), app)
  const program = join(app, 'solarchive-app')
  renameSync(join(app, 'electron'), program)
  const config = { provider: 'generic', url: updateUrl, updaterCacheDirName: 'solarchive-updater' }
  writeFileSync(join(app, 'resources', 'app-update.yml'), JSON.stringify(config))
  return program
}

/** Links every file of a folder where the disk allows it, since copying 270 MB delays the start on a slow disk. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      linkFolder(source, target)
      continue
    }
    try {
      linkSync(source, target)
    } catch {
      copyFileSync(source, target)
    }
  }
}

/** An AppImage of a newer version: records its process id and then runs the installed app. */
function newerVersion(program: string, pidFile: string): Buffer {
  const args = [...electronFlags(), cloneFolder, '--hidden'].map((arg) => `'${arg}'`).join(' ')
  return Buffer.from(`#!/bin/sh\necho $$ >'${pidFile}'\nexec '${program}' ${args}\n`)
}

/** `latest-linux.yml` as JSON, which is valid YAML. */
function release(version: string, file: Buffer, says = file): string {
  const url = `Solarchive-${version}.AppImage`
  const sha512 = createHash('sha512').update(says).digest('base64')
  return JSON.stringify({ version, path: url, sha512, files: [{ url, sha512, size: file.length }] })
}

const isRunning = (pid: number) => existsSync(`/proc/${pid}`)

// On another disk, so that the archive is copied there.
const otherDisk = '/dev/shm'

test.runIf(process.platform === 'linux' && existsSync(otherDisk))(
  'a newer version is installed once all work is done; an older or altered one never is',
  async () => {
    const sandbox = await makeSandbox({ projects: 1, checklistsPerProject: 1, reportBytes: 20_000_000 })
    onTestFinished(() => sandbox.remove())
    const elsewhere = temporaryFolder(otherDisk)
    const [settingsFile, noted] = [join(sandbox.home, 'settings.json'), join(sandbox.folder, 'newer.pid')]
    const settings = JSON.parse(readFileSync(settingsFile, 'utf8')) as object
    writeFileSync(settingsFile, JSON.stringify({ ...settings, looksForUpdates: false }))
    const images = join(sandbox.folder, 'Applications')
    mkdirSync(images)
    const image = join(images, 'Solarchive-0.1.0.AppImage')
    writeFileSync(image, 'the version that runs')
    let offered = ''
    let newer: Buffer = Buffer.alloc(0)

    await withServer(
      ({ url }, response) => void response.end(url.startsWith('/latest-linux.yml') ? offered : newer),
      async ({ url, requests }) => {
        const program = installApp(sandbox.folder, url)
        newer = newerVersion(program, noted)
        const env = {
          APPIMAGE: image,
          APPDIR: dirname(program),
          XDG_CACHE_HOME: join(sandbox.folder, 'cache'),
          XDG_CONFIG_HOME: join(sandbox.folder, 'config'),
        }
        const { electron, call, untilArchived } = await startDesktop(sandbox, [], env, program)
        const child = electron.process()
        const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
        const log = () => readFileSync(join(sandbox.home, 'logs', 'solarchive.log'), 'utf8')
        const lookNow = async () => {
          await call('settings.save', { looksForUpdates: false })
          await call('settings.save', { looksForUpdates: true })
        }
        await electron.evaluate(({ dialog }) => {
          const asked: { detail: string; answer: () => void }[] = []
          Object.assign(globalThis, { asked })
          dialog.showMessageBox = ((options: Electron.MessageBoxOptions) =>
            new Promise((resolve) => {
              const answer = () => resolve({ response: 0, checkboxChecked: false })
              asked.push({ detail: `${options.message} ${options.detail}`, answer })
            })) as typeof dialog.showMessageBox
        })
        const asked = () =>
          electron.evaluate(() =>
            (globalThis as unknown as { asked: { detail: string }[] }).asked.map(({ detail }) => detail),
          )
        expect(await call('app.info', {})).toMatchObject({ canUpdate: true })
        await call('projects.add', { projects: sandbox.service.projects.map(({ id, name }) => ({ id, name })) })
        await untilArchived()

        offered = release('9.9.9', newer, Buffer.from('something else'))
        await lookNow()
        await until('the altered one is refused', () => log().includes('Checking for a newer version failed'))
        offered = release('0.0.1', newer)
        const before = requests.length
        await lookNow()
        await until('the older one was looked at', () => requests.length > before)
        expect(await asked()).toEqual([])

        offered = release('9.9.9', newer)
        await until('the user is asked', async () => {
          await lookNow()
          return (await asked()).length > 0
        })
        expect(await asked()).toEqual([expect.stringMatching(/^Solarchive 9\.9\.9 is ready .* finished first/)])
        expect(readFileSync(image, 'utf8')).toBe('the version that runs')

        const moved = join(elsewhere, 'archive')
        expect(await call('archive.move', { folder: moved })).toMatchObject({ kind: 'running' })
        await electron.evaluate(() => (globalThis as unknown as { asked: { answer: () => void }[] }).asked[0]?.answer())
        expect(await exited).toBe(0)
        expect(archivedHashes(moved)).toEqual(await servedHashes(sandbox.service))
        expect(archivedHashes(sandbox.archive)).toEqual([])
        expect(JSON.parse(readFileSync(settingsFile, 'utf8'))).toMatchObject({ archiveFolder: moved })
        expect(log()).toContain('The newer version is installed')
        expect(log()).not.toContain('"level":"error"')

        await until('the newer version has started', () => existsSync(noted) && readFileSync(noted, 'utf8') !== '')
        const pid = Number(readFileSync(noted, 'utf8'))
        onTestFinished(() => void (isRunning(pid) && process.kill(pid, 'SIGKILL')))
        const owner = join(sandbox.home, 'solarchive.pid')
        await until(
          'the data folder is its own',
          () => existsSync(owner) && readFileSync(owner, 'utf8').startsWith(String(pid)),
        )
        expect(existsSync(image)).toBe(false)
        expect(readFileSync(join(images, 'Solarchive-9.9.9.AppImage'))).toEqual(newer)
        process.kill(pid, 'SIGTERM')
        await until('it has ended', () => !isRunning(pid))
      },
    )
  },
)

test.runIf(process.platform === 'linux')(
  'if a newer version cannot be installed, the current one runs again',
  async () => {
    const sandbox = await makeSandbox({ projects: 1, checklistsPerProject: 1 })
    onTestFinished(() => sandbox.remove())
    const file = newerVersion('/nowhere', join(sandbox.folder, 'newer.pid'))
    await withServer(
      ({ url }, response) => void response.end(url.startsWith('/latest-linux.yml') ? release('9.9.9', file) : file),
      async ({ url }) => {
        const program = installApp(sandbox.folder, url)
        // There is no AppImage to replace.
        const env = { APPIMAGE: join(sandbox.folder, 'gone.AppImage'), XDG_CACHE_HOME: join(sandbox.folder, 'cache') }
        const { electron, call } = await startDesktop(sandbox, [], env, program)
        const exited = new Promise<number | null>((resolve) => electron.process().once('exit', resolve))
        await electron.evaluate(({ dialog }) => {
          dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false })
        })
        const owner = join(sandbox.home, 'solarchive.pid')
        const before = readFileSync(owner, 'utf8')
        await call('settings.save', { looksForUpdates: false })
        await call('settings.save', { looksForUpdates: true })
        expect(await exited).toBe(1)
        expect(readFileSync(join(sandbox.home, 'logs', 'solarchive.log'), 'utf8')).toContain(
          'The newer version could not be installed',
        )
        const after = () => (existsSync(owner) ? readFileSync(owner, 'utf8') : '')
        await until('it runs again', () => Number.parseInt(after(), 10) > 0 && after() !== before)
        const pid = Number.parseInt(after(), 10)
        process.kill(pid, 'SIGTERM')
        await until('it has ended', () => !isRunning(pid))
      },
    )
  },
)
