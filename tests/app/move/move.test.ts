import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryPath } from '../../../electron/engine/lib/fs/side-files.ts'
import { createApp } from '../../../electron/app/create-app.ts'
import { copyTree } from '../../../electron/app/move/copy-tree.ts'
import { isMoveOf, isNewFolder, isOldFolder } from '../../../electron/app/move/move-record.ts'
import { walkTree } from '../../../electron/app/move/walk-tree.ts'
import type { MoveState } from '../../../shared/background-tasks.ts'
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/calls.ts'
import type { Answer } from '../../../shared/envelope.ts'
import { flipBit } from '../../support/flip-bit.ts'
import { hostPorts, settingsSource, tokenStore } from '../../support/host-ports.ts'
import { otherDisk } from '../../support/other-disk.ts'
import { readFiles, sampleArchive, sha256 } from '../../support/sample-archive.ts'
import { canMountOverlay, mountAsOverlay } from '../../support/small-disk.ts'
import { until } from '../../support/watching.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { sendJson, withServer } from '../../support/with-server.ts'
import { filledIn } from '../../engine/orders/order-world.ts'

/** A complete archive, and an app on it. */
async function archived() {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1 })
  await archive.sync()
  return { ...archive, archive, ...(await opened(archive)) }
}

async function opened(
  archive: Awaited<ReturnType<typeof sampleArchive>>,
  source = settingsSource(archive.home, archive.root, archive.service.url),
) {
  const app = await createApp({
    source,
    ports: hostPorts(tokenStore(archive.service.token)),
  })
  const phases: string[] = []
  const totals: number[] = []
  app.api.subscribe(({ name, value }) => {
    if (name !== 'move-progress' || !('phase' in value) || phases.at(-1) === value.phase) return
    phases.push(value.phase)
    totals.push(value.filesTotal)
  })
  onTestFinished(() => app.close())
  const call = async <Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Answer<CallOutput<Name>>> =>
    (await app.api.call(name, input)) as never
  let state: MoveState = { kind: 'idle', last: null, unfinished: null }
  app.api.subscribe(({ name, value }) => {
    if (name === 'move-state') state = value
  })
  const ended = async () => {
    await until('the move has ended', () => state.kind === 'idle' && state.last !== null)
    return state.kind === 'idle' ? state.last : null
  }
  const unfinished = () => (state.kind === 'idle' ? state.unfinished : null)
  return { app, call, ended, unfinished, phases, totals }
}

const hashesIn = (folder: string) => new Map([...readFiles(folder)].map(([path, bytes]) => [path, sha256(bytes)]))

/** A folder that does not exist yet, on another disk if there is one. */
function moveTarget(): { readonly folder: string; readonly isOtherDisk: boolean } {
  const above = temporaryFolder(otherDisk ?? tmpdir())
  return { folder: join(above, 'photos', 'archive'), isOtherDisk: otherDisk !== undefined }
}

test('the archive moves unchanged, other files stay, and a verify finds it intact', async () => {
  const { root, call, ended, app, phases, totals } = await archived()
  mkdirSync(join(root, '.evidence', '2026-06-12'), { recursive: true })
  writeFileSync(join(root, '.evidence', '2026-06-12', 'SHA256SUMS'), 'evidence moves along')
  const before = hashesIn(root)
  writeFileSync(join(root, 'my notes.txt'), 'mine')
  const { folder, isOtherDisk } = moveTarget()
  expect(await call('archive.move', { folder })).toMatchObject({ value: { kind: 'running', order: { to: folder } } })
  expect(await call('sync.now', {})).toMatchObject({ error: { code: 'wrong-usage' } })
  expect(await call('projects.list', {})).toMatchObject({ value: { total: 2 } })
  const report = { renamed: !isOtherDisk, files: before.size, damaged: 0, leftBehind: 0 }
  expect(await ended()).toMatchObject({ ok: true, report })
  expect(hashesIn(folder)).toEqual(before)
  expect(readdirSync(root)).toEqual(['my notes.txt'])
  expect(app.setupState()).toMatchObject({ archiveFolder: folder })
  const listed = { group: 'yours', kind: 'archive-moved', facts: { from: root, to: folder } }
  expect(await call('activity.list', { limit: 1 })).toMatchObject({ value: { items: [listed] } })
  if (isOtherDisk) expect(phases).toEqual(['copying', 'checking', 'removing'])
  if (isOtherDisk) expect(totals).toEqual([before.size, before.size, before.size])
  await call('verify.start', {})
  await until('the verify has ended', async () => {
    const overview = await call('overview', {})
    return overview.ok && overview.value.verify.kind === 'idle' && overview.value.verify.last !== null
  })
  const overview = await call('overview', {})
  expect(overview.ok && overview.value.verify).toMatchObject({
    last: { ok: true, report: { counts: { missing: 0, changed: 0, unexpected: 0 } } },
  })
})

test('a page that is opened as a move begins shows the archive during the move, not the setup', async () => {
  const { root, call, ended, app } = await archived()
  const states: unknown[] = []
  let isOpen = false
  app.followEngine((engine) => {
    if (engine !== undefined || isOpen) return
    isOpen = true
    app.api.subscribe(({ name, value }) => name === 'setup-state' && states.push(value))
  })
  expect(await call('archive.move', { folder: moveTarget().folder })).toMatchObject({ ok: true })
  await ended()
  expect(states[0]).toMatchObject({ ready: false })
  expect(states).toContainEqual(expect.objectContaining({ ready: true, archiveFolder: root }))
})

test('a project folder that a sync creates while the move waits for an order moves as well', async () => {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1 })
  const { root, home, service } = archive
  const [projectId = '', laterId = ''] = service.projects.map(({ id }) => id)
  await archive.withEngine((engine) => engine.sync({ projectIds: [projectId] }))
  const [moving, created] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held: string[] = []
  await withServer(
    async ({ method, url }, response) => {
      const isOrder = method === 'POST'
      if (isOrder || url.includes(laterId)) {
        held.push(method)
        await (isOrder ? created : moving).promise
      }
      if (isOrder) sendJson(response, { id: 'A', status: 'ordered' })
      else sendJson(response, await (await fetch(service.url + url)).json())
    },
    async ({ url }) => {
      const { app, call, ended } = await opened(archive, settingsSource(home, root, url))
      const order = await call('orders.create', { projectId, texts: filledIn })
      const orderId = order.ok ? order.value.orderId : 0
      const review = await call('orders.review', { orderId })
      const fingerprint = (review.ok && review.value.fingerprint) || ''
      await call('sync.now', {})
      const placing = call('orders.place', { orderId, fingerprint, newModule: true })
      await until('the sync and the order wait for the service', () => new Set(held).size === 2)
      const { folder } = moveTarget()
      expect(await call('archive.move', { folder })).toMatchObject({ ok: true })
      moving.resolve()
      await until('the project has a folder', () => readdirSync(root).length === 2)
      const folders = readdirSync(root)
      created.resolve()
      expect(await placing).toMatchObject({ ok: true })
      expect(await ended()).toMatchObject({ ok: true, report: { leftBehind: 0 } })
      expect([readdirSync(root), readdirSync(folder)]).toEqual([[], folders])
      await app.close()
    },
  )
})

test('a stopped move leaves the archive in the old folder, and nothing in the new one', async () => {
  const { root, call, ended, app } = await archived()
  const before = hashesIn(root)
  const { folder } = moveTarget()
  await call('archive.move', { folder })
  await call('archive.stopMove', {})
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  const listed = { kind: 'archive-move-undone', facts: { from: root, to: folder, code: 'cancelled' } }
  expect(await call('activity.list', { limit: 1 })).toMatchObject({ value: { items: [listed] } })
  expect(hashesIn(root)).toEqual(before)
  expect(hashesIn(folder).size).toBe(0)
  expect(app.setupState()).toMatchObject({ archiveFolder: root })
})

test('a changed file is moved unchanged, and reported', async () => {
  const { root, call, ended } = await archived()
  const { folder, isOtherDisk } = moveTarget()
  const [photo = ''] = [...hashesIn(root).keys()].filter((path) => path.includes('/photos/'))
  flipBit(join(root, photo))
  const before = hashesIn(root)
  await call('archive.move', { folder })
  expect(await ended()).toMatchObject({ ok: true, report: { damaged: isOtherDisk ? 1 : 0 } })
  expect(hashesIn(folder)).toEqual(before)
})

test('a project folder that is a relative link is refused up front, an absolute link is accepted', async () => {
  const { root, home, call, ended } = await archived()
  const before = hashesIn(root)
  const [project = ''] = readdirSync(root)
  const linked = join(home, 'linked')
  renameSync(join(root, project), linked)
  symlinkSync(relative(root, linked), join(root, project))
  const { folder } = moveTarget()
  const problem = expect.stringMatching(
    /^The project folder .* is a link to \.\..*a link with an absolute path/,
  ) as string
  expect(await call('archive.check', { folder, purpose: 'move' })).toMatchObject({ value: { usable: false, problem } })
  expect(await call('archive.move', { folder })).toMatchObject({ error: { code: 'wrong-settings', message: problem } })
  expect(existsSync(join(home, 'archive-move.json'))).toBe(false)
  rmSync(join(root, project))
  symlinkSync(linked, join(root, project))
  await call('archive.move', { folder })
  expect(await ended()).toMatchObject({ ok: true, report: { leftBehind: 0 } })
  const inside = [...before].map(([path, hash]) => [
    path,
    path.startsWith(project) ? sha256(readFileSync(join(folder, path))) : hash,
  ])
  expect(new Map(inside as [string, string][])).toEqual(before)
})

test('unusable folders are refused up front', async () => {
  const { root, home, call, app } = await archived()
  const full = temporaryFolder()
  writeFileSync(join(full, 'something'), '')
  for (const folder of ['archive', root, join(root, 'deeper'), dirname(root), join(home, 'x'), full]) {
    expect(await call('archive.move', { folder }), folder).toMatchObject({ error: { code: 'wrong-settings' } })
  }
  expect(app.setupState()).toMatchObject({ archiveFolder: root })
  expect(existsSync(join(home, 'archive-move.json'))).toBe(false)
})

test('an archive whose drive is missing is not treated as empty', async () => {
  const { root, call } = await archived()
  rmSync(root, { recursive: true })
  mkdirSync(root)
  expect(await call('archive.move', { folder: moveTarget().folder })).toMatchObject({
    error: { code: 'archive-unavailable' },
  })
})

test('a move is refused while a project folder is elsewhere, and moves it once it has its name back', async () => {
  const { root, home, call, ended } = await archived()
  const before = hashesIn(root)
  const [project = ''] = readdirSync(root)
  mkdirSync(join(root, '2025'))
  renameSync(join(root, project), join(root, '2025', project))
  const { folder } = moveTarget()
  const message = expect.stringContaining(project) as string
  expect(await call('archive.move', { folder })).toMatchObject({ error: { code: 'wrong-usage', message } })
  expect(existsSync(join(home, 'archive-move.json'))).toBe(false)
  await call('verify.start', { repair: true })
  await until('the verify has ended', async () => {
    const overview = await call('overview', {})
    return overview.ok && overview.value.verify.kind === 'idle' && overview.value.verify.last !== null
  })
  await call('archive.move', { folder })
  expect(await ended()).toMatchObject({ ok: true, report: { files: before.size, leftBehind: 0 } })
  expect(hashesIn(folder)).toEqual(before)
})

test('while a move waits for a drive nothing is downloaded, and stopping it restores the old folder', async () => {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1 })
  await archive.sync()
  const { root, home } = archive
  const before = hashesIn(root)
  const folder = temporaryFolder()
  const away = join(folder, 'away')
  const folders = readdirSync(root).filter((name) => statSync(join(root, name)).isDirectory())
  const [renamed = '', other = ''] = folders
  renameSync(join(root, renamed), join(folder, renamed))
  renameSync(join(root, other), away)
  const record = { from: root, to: folder, folders, renamed: [], phase: 'renaming' }
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
  const { app, call, ended, unfinished } = await opened(archive)
  const watching = new AbortController()
  const watch = app.run(watching.signal)
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'archive-unavailable' } })
  expect(unfinished()).toEqual({ from: root, to: folder, archive: 'between', isAtRest: true })

  const refused = { error: { code: 'wrong-usage', message: expect.stringContaining('Nothing is lost') as string } }
  expect(await call('sync.now', {})).toMatchObject(refused)
  expect(await call('verify.start', { repair: true })).toMatchObject(refused)
  expect(await call('settings.save', { concurrency: 2 })).toMatchObject(refused)
  expect(await call('setup.useSample', {})).toMatchObject(refused)
  const everything = { selection: { kind: 'everything' }, to: join(home, 'copies') } as const
  expect(await call('export.start', { ...everything, options: {} })).toMatchObject(refused)
  expect(await call('packets.start', { ...everything, template: 'any' })).toMatchObject(refused)
  expect(await call('watch.state', {})).toMatchObject({ value: { kind: 'stopped' } })
  expect(await call('projects.list', {})).toMatchObject({ value: { total: 2 } })
  expect(readdirSync(root)).not.toContain(renamed)

  renameSync(away, join(root, other))
  expect(await call('archive.stopMove', {})).toMatchObject({ value: { kind: 'running' } })
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(hashesIn(root)).toEqual(before)
  expect(existsSync(join(home, 'archive-move.json'))).toBe(false)
  expect(unfinished()).toBeNull()
  expect(await call('sync.now', {})).toMatchObject({ value: { kind: 'running' } })
  watching.abort()
  await watch
})

/** A whole copy of an archive in another folder, whose drive `unplug` takes away, and the record of a move to it. */
async function copiedElsewhere(phase: 'copying' | 'removing' | 'undoing', isBegun = false) {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1 })
  await archive.sync()
  const { root, home } = archive
  const drive = temporaryFolder()
  const folder = join(drive, 'archive')
  cpSync(root, folder, { recursive: true })
  const record = { from: root, to: folder, folders: readdirSync(root), renamed: [], phase, isBegun }
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
  if (phase === 'removing') writeFileSync(join(home, 'settings.json'), JSON.stringify({ archiveFolder: folder }))
  const hasRecord = () => existsSync(join(home, 'archive-move.json'))
  const unplug = () => renameSync(folder, join(drive, 'away'))
  const plugIn = () => renameSync(join(drive, 'away'), folder)
  return { archive, root, folder, whole: hashesIn(root), hasRecord, unplug, plugIn }
}

const absences = [
  ['copying', 'no folder'],
  ['copying', 'an empty folder'],
  ['removing', 'no folder'],
  ['removing', 'an empty folder'],
] as const

test.each(absences)(
  'a move that resumes in phase %s while the drive of the new folder leaves %s waits for it',
  async (phase, leaves) => {
    const isMountPoint = leaves === 'an empty folder'
    const { archive, root, folder, whole, hasRecord, unplug, plugIn } = await copiedElsewhere(phase, isMountPoint)
    unplug()
    if (isMountPoint) mkdirSync(folder)
    const { call, ended, unfinished } = await opened(archive)
    expect(await ended()).toMatchObject({ ok: false, error: { code: 'archive-unavailable' } })
    expect(unfinished()).toMatchObject({ from: root, to: folder })
    expect(hashesIn(root)).toEqual(whole)
    expect(existsSync(folder) && readdirSync(folder).length > 0).toBe(false)
    expect(hasRecord()).toBe(true)

    rmSync(folder, { recursive: true, force: true })
    plugIn()
    expect(await call('archive.move', { folder })).toMatchObject({ value: { kind: 'running' } })
    expect(await ended()).toMatchObject({ ok: true, report: { files: whole.size, leftBehind: 0 } })
    expect([hashesIn(root).size, hashesIn(folder)]).toEqual([0, whole])
    expect(hasRecord()).toBe(false)
  },
)

test.each(['no folder', 'an empty folder'])(
  'a move whose new drive is lost for good, which leaves %s, can be ended while old files are removed',
  async (leaves) => {
    const { archive, root, folder, whole, hasRecord, unplug } = await copiedElsewhere('removing')
    unplug()
    if (leaves === 'an empty folder') mkdirSync(folder)
    const { call, ended, unfinished } = await opened(archive)
    expect(await ended()).toMatchObject({ ok: false, error: { code: 'archive-unavailable' } })
    expect(unfinished()).toMatchObject({ archive: 'arrived' })
    expect(await call('archive.stopMove', {})).toMatchObject({ value: { kind: 'idle', unfinished: null } })
    expect([unfinished(), hasRecord(), hashesIn(root)]).toEqual([null, false, whole])
  },
)

test('a move that waits for the drive of the old folder can be ended, and then removes nothing', async () => {
  const { archive, root, whole, hasRecord } = await copiedElsewhere('removing')
  const away = `${root}-away`
  renameSync(root, away)
  onTestFinished(() => rmSync(away, { recursive: true, force: true }))
  const { call, ended, unfinished } = await opened(archive)
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'archive-unavailable' } })
  expect([unfinished()?.archive, hasRecord()]).toEqual(['arrived', true])
  renameSync(away, root)
  expect(await call('archive.stopMove', {})).toMatchObject({ value: { kind: 'idle', unfinished: null } })
  expect([unfinished(), hasRecord(), hashesIn(root)]).toEqual([null, false, whole])
})

const joined = (['copying', 'removing', 'undoing'] as const).flatMap((phase) => [
  [phase, 'old'] as const,
  [phase, 'new'] as const,
])

test.each(joined)(
  'a move that resumes in phase %s while its %s folder is a link to the other one removes nothing and says so',
  async (phase, which) => {
    const { archive, root, folder, whole, hasRecord } = await copiedElsewhere(phase)
    const [replaced, real] = which === 'old' ? [root, folder] : [folder, root]
    rmSync(replaced, { recursive: true })
    symlinkSync(real, replaced, 'junction')
    const { app, call, ended, unfinished } = await opened(archive)
    const last = await ended()
    expect(hashesIn(real)).toEqual(whole)
    const advice = phase === 'removing' ? ': end the move, or remove the mount' : ' Remove the link or the mount'
    const message = new RegExp(`one and the same folder.*${advice}`)
    const error = { code: 'wrong-usage', message: expect.stringMatching(message) as string }
    expect([last, hasRecord()]).toMatchObject([{ ok: false, error }, true])
    expect(unfinished()).toMatchObject({ from: root, to: folder })
    expect(app.setupState()).toMatchObject({ archiveFolder: phase === 'removing' ? folder : root })

    if (phase !== 'removing') rmSync(replaced)
    if (phase !== 'removing' && which === 'old') mkdirSync(root)
    await call('archive.stopMove', {})
    await until('the move is over', () => !hasRecord())
    expect(hashesIn(real)).toEqual(whole)
  },
)

test.skipIf(!canMountOverlay())(
  'of a folder that is mounted twice with two device numbers a move removes nothing',
  async () => {
    for (const phase of ['removing', 'undoing'] as const) {
      const { archive, root, folder, whole } = await copiedElsewhere(phase)
      // What is emptied shows the files of the other one.
      const [emptied, kept] = phase === 'removing' ? [root, folder] : [folder, root]
      rmSync(emptied, { recursive: true })
      mkdirSync(emptied)
      onTestFinished(mountAsOverlay(kept, emptied))
      expect(statSync(emptied).dev).not.toBe(statSync(kept).dev)
      const { ended } = await opened(archive)
      const error = { code: 'wrong-usage', message: expect.stringContaining('one and the same folder') as string }
      expect(await ended()).toMatchObject({ ok: false, error })
      expect([hashesIn(kept), hashesIn(emptied)]).toEqual([whole, whole])
    }
  },
)

test.skipIf(!canMountOverlay()).for(['upper', 'lower'] as const)(
  'over such a mount (%s), a move that copies does not end; once it is gone, it does',
  async (layer) => {
    const { archive, root, folder, whole, hasRecord } = await copiedElsewhere('copying', true)
    const [copied] = [...whole.keys()].filter((path) => path.includes('/photos/'))
    for (const path of whole.keys()) if (path !== copied) rmSync(join(folder, path))
    const unmount = mountAsOverlay(root, folder, layer)
    const { app, call, ended } = await opened(archive)
    const stopped = await ended()
    const named = app.setupState().archiveFolder
    unmount()
    const error = { code: 'wrong-usage', message: expect.stringContaining('one and the same folder') as string }
    expect([stopped, named]).toMatchObject([{ ok: false, error }, root])
    await call('archive.move', { folder })
    expect(await ended()).toMatchObject({ ok: true, report: { leftBehind: 0 } })
    expect([hashesIn(root).size, hashesIn(folder), hasRecord()]).toEqual([0, whole, false])
  },
)

test('a file with one name in each folder of a move, such as after a search for duplicates, stays', async () => {
  const { archive, root, folder, whole } = await copiedElsewhere('removing')
  const [photo = ''] = [...whole.keys()].filter((path) => path.includes('/photos/'))
  rmSync(join(root, photo))
  linkSync(join(folder, photo), join(root, photo))
  const { ended } = await opened(archive)
  expect(await ended()).toMatchObject({ ok: true, report: { leftBehind: 1, left: [photo] } })
  expect([[...hashesIn(root).keys()], hashesIn(folder)]).toEqual([[photo], whole])
})

test.each(['no folder', 'a link'])('a move that renamed everything ends with %s as its old folder', async (leaves) => {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1 })
  await archive.sync()
  const { root, home } = archive
  const folder = temporaryFolder()
  const renamed = readdirSync(root)
  for (const name of renamed) renameSync(join(root, name), join(folder, name))
  rmSync(root, { recursive: true })
  if (leaves === 'a link') symlinkSync(folder, root, 'junction')
  const whole = hashesIn(folder)
  const record = { from: root, to: folder, folders: [], renamed, phase: 'removing' }
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ archiveFolder: folder }))
  const { ended, unfinished } = await opened(archive)
  expect(await ended()).toMatchObject({ ok: true })
  expect([unfinished(), hashesIn(folder)]).toEqual([null, whole])
})

test('a move whose new drive is lost for good can be stopped', async () => {
  const { archive, root, folder, whole, hasRecord, unplug } = await copiedElsewhere('copying')
  unplug()
  const { call, ended, unfinished } = await opened(archive)
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'archive-unavailable' } })
  expect(await call('archive.stopMove', {})).toMatchObject({ value: { kind: 'running' } })
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(unfinished()).toBeNull()
  expect([hashesIn(root), existsSync(folder), hasRecord()]).toEqual([whole, false, false])
  expect(await call('sync.now', {})).toMatchObject({ value: { kind: 'running' } })
})

test('undoing a move says how many items stay in the new folder', async () => {
  const { archive, root, folder, whole, hasRecord } = await copiedElsewhere('undoing')
  const [photo = ''] = [...whole.keys()].filter((path) => path.includes('/photos/'))
  flipBit(join(folder, photo))
  writeFileSync(join(folder, dirname(photo), 'mine.txt'), 'mine')
  const { ended } = await opened(archive)
  const message = expect.stringContaining(`is where it was, in ${root}. 2 items stayed in ${folder}`) as string
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'cancelled', message } })
  expect([...readFiles(folder).keys()].sort()).toEqual([photo, `${dirname(photo)}/mine.txt`].sort())
  expect([hashesIn(root), hasRecord()]).toEqual([whole, false])
})

test('a project folder that is deleted in the new folder does not keep a move from its end', async () => {
  const { archive, root, folder, whole, hasRecord } = await copiedElsewhere('removing')
  const [deleted = ''] = readdirSync(folder)
  rmSync(join(folder, deleted), { recursive: true })
  const { ended } = await opened(archive)
  const stayed = [...whole].filter(([path]) => path.startsWith(`${deleted}/`))
  expect(await ended()).toMatchObject({ ok: true, report: { leftBehind: stayed.length } })
  expect([hashesIn(root), hasRecord()]).toEqual([new Map(stayed), false])
})

test('a move resumed with an option that names the old folder is undone and reported', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const { root, home } = archive
  const before = hashesIn(root)
  const { folder } = moveTarget()
  const record = { from: root, to: folder, folders: readdirSync(root), renamed: [], phase: 'renaming' }
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
  const source = settingsSource(home, root, archive.service.url)
  const { call, ended, unfinished } = await opened(archive, {
    ...source,
    fixed: ['archiveFolder'],
    resolve: (file) => ({ ...source.resolve(file), archiveFolder: root }),
  })
  const error = { code: 'wrong-usage', message: expect.stringContaining('Start Solarchive without it') as string }
  expect(await ended()).toMatchObject({ ok: false, error })
  expect(unfinished()).toBeNull()
  expect(hashesIn(root)).toEqual(before)
  expect(existsSync(join(home, 'archive-move.json'))).toBe(false)
  expect(await call('sync.now', {})).toMatchObject({ value: { kind: 'running' } })
})

const someRemoved = [
  {
    option: 'the old folder',
    removed: 'a file',
    removedFrom: (root: string) => join(root, readdirSync(root)[0] ?? '', 'SHA256SUMS'),
  },
  {
    option: 'a link to the old folder',
    removed: 'a project folder',
    removedFrom: (root: string) => join(root, readdirSync(root)[0] ?? ''),
  },
]

test.each(someRemoved)(
  'with an option that names $option nothing is touched once $removed is removed; without it the move ends',
  async ({ option, removedFrom }) => {
    const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1 })
    await archive.sync()
    const { root, home } = archive
    const whole = hashesIn(root)
    const folder = temporaryFolder()
    const record = { from: root, to: folder, folders: readdirSync(root), renamed: [], phase: 'removing' }
    cpSync(root, folder, { recursive: true })
    rmSync(removedFrom(root), { recursive: true })
    const left = hashesIn(root)
    writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ archiveFolder: folder }))
    const link = join(temporaryFolder(), 'link')
    symlinkSync(root, link, 'junction')
    const source = settingsSource(home, root, archive.service.url)
    const { app, call, ended, unfinished } = await opened(archive, {
      ...source,
      fixed: ['archiveFolder'],
      resolve: (file) => ({ ...source.resolve(file), archiveFolder: option === 'the old folder' ? root : link }),
    })
    const message = expect.stringContaining(`complete in ${folder}`) as string
    for (const again of [false, true]) {
      if (again) await call('archive.stopMove', {})
      expect(await ended()).toMatchObject({ ok: false, error: { code: 'wrong-usage', message } })
      expect(unfinished()).toEqual({ from: root, to: folder, archive: 'arrived', isAtRest: true })
      expect([hashesIn(root), hashesIn(folder)]).toEqual([left, whole])
      expect(JSON.parse(readFileSync(join(home, 'archive-move.json'), 'utf8'))).toEqual(record)
    }
    expect(await call('sync.now', {})).toMatchObject({ error: { code: 'wrong-usage', message } })
    await app.close()

    const { ended: finished } = await opened(archive)
    expect(await finished()).toMatchObject({ ok: true, report: { files: whole.size, leftBehind: 0 } })
    expect([hashesIn(root).size, hashesIn(folder)]).toEqual([0, whole])
    expect(existsSync(join(home, 'archive-move.json'))).toBe(false)
  },
)

test('the folders of a move are recognized by their paths without waiting for a drive that is away', () => {
  const move = { from: temporaryFolder(), to: temporaryFolder() }
  const resolved = vi.spyOn(realpathSync, 'native')
  onTestFinished(() => resolved.mockRestore())
  expect([isMoveOf(move, move.from), isMoveOf(move, move.to)]).toEqual([true, true])
  expect([isNewFolder(move, move.from), isNewFolder(move, move.to)]).toEqual([false, true])
  expect(isOldFolder(move, move.to)).toBe(false)
  expect(resolved).not.toHaveBeenCalled()
})

const halfMoved = ['renaming', 'copying'].flatMap((phase) =>
  ['the new folder', 'a link to the new folder', 'nothing', 'the old folder'].map((option) => ({ phase, option })),
)

test.each(halfMoved)(
  'half a move in phase $phase stays as it is with settings or an option that name the new folder ($option)',
  async ({ phase, option }) => {
    const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1 })
    await archive.sync()
    const { root, home } = archive
    const whole = hashesIn(root)
    const folder = temporaryFolder()
    const folders = readdirSync(root)
    const [arrived = ''] = folders
    if (phase === 'renaming') renameSync(join(root, arrived), join(folder, arrived))
    else cpSync(join(root, arrived), join(folder, arrived), { recursive: true })
    const [here, there] = [hashesIn(root), hashesIn(folder)]
    const record = { from: root, to: folder, folders, renamed: [], phase, isBegun: phase === 'copying', isWhole: false }
    writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
    const link = join(temporaryFolder(), 'link')
    symlinkSync(folder, link, 'junction')
    const source = settingsSource(home, root, archive.service.url)
    const named = { 'the new folder': folder, 'the old folder': root }[option] ?? link
    const hasOption = option !== 'nothing'
    // A take-over wrote the folder of another process, or a user did.
    const settings = join(home, 'settings.json')
    const isSaved = option === 'nothing' || option === 'the old folder'
    if (isSaved) writeFileSync(settings, JSON.stringify({ archiveFolder: folder }))
    const { app, call, ended, unfinished } = await opened(archive, {
      ...source,
      fixed: hasOption ? ['archiveFolder'] : [],
      resolve: (file) => ({ ...source.resolve(file), ...(hasOption && { archiveFolder: named }) }),
    })
    const error = { code: 'wrong-usage', message: expect.stringContaining('does not have all of it yet') as string }
    for (const again of [false, true]) {
      if (again) await call('archive.stopMove', {})
      expect(await ended()).toMatchObject({ ok: false, error })
      expect(unfinished()).toEqual({ from: root, to: folder, archive: 'between', isAtRest: true })
      expect([hashesIn(root), hashesIn(folder)]).toEqual([here, there])
      expect(JSON.parse(readFileSync(join(home, 'archive-move.json'), 'utf8'))).toEqual(record)
    }
    expect(await call('sync.now', {})).toMatchObject({ error })
    await app.close()

    if (isSaved) rmSync(settings)
    const { ended: finished } = await opened(archive)
    expect(await finished()).toMatchObject({ ok: true, report: { files: whole.size, leftBehind: 0 } })
    expect([hashesIn(root).size, hashesIn(folder)]).toEqual([0, whole])
    expect(existsSync(join(home, 'archive-move.json'))).toBe(false)
  },
)

test('a move that was killed once the settings name the new folder is not undone by an option for the old one', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const { root, home } = archive
  const whole = hashesIn(root)
  const folder = temporaryFolder()
  cpSync(root, folder, { recursive: true })
  const record = { from: root, to: folder, folders: readdirSync(root), renamed: [], phase: 'copying' }
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ archiveFolder: folder }))
  const source = settingsSource(home, root, archive.service.url)
  const { app, call, ended } = await opened(archive, {
    ...source,
    fixed: ['archiveFolder'],
    resolve: (file) => ({ ...source.resolve(file), archiveFolder: root }),
  })
  const message = expect.stringContaining(`complete in ${folder}`) as string
  for (const again of [false, true]) {
    if (again) await call('archive.stopMove', {})
    expect(await ended()).toMatchObject({ ok: false, error: { code: 'wrong-usage', message } })
    expect([hashesIn(root), hashesIn(folder)]).toEqual([whole, whole])
  }
  await app.close()

  const { ended: finished } = await opened(archive)
  expect(await finished()).toMatchObject({ ok: true, report: { files: whole.size, leftBehind: 0 } })
  expect([hashesIn(root).size, hashesIn(folder)]).toEqual([0, whole])
})

test('a finished move whose state could not be written reports a complete archive, and can be resumed', async () => {
  const { root, home, call, ended, unfinished, app } = await archived()
  const before = hashesIn(root)
  const { folder } = moveTarget()
  const inTheWay = temporaryPath(join(home, 'archive-move.json'))
  const stopListening = app.api.subscribe(({ name }) => {
    if (name === 'setup-state' && app.setupState().archiveFolder === folder) mkdirSync(inTheWay)
  })
  await call('archive.move', { folder })
  expect(await ended()).toMatchObject({ ok: false })
  stopListening()
  expect(unfinished()).toEqual({ from: root, to: folder, archive: 'arrived', isAtRest: true })
  expect(await call('sync.now', {})).toMatchObject({
    error: { code: 'wrong-usage', message: expect.stringContaining(`complete in ${folder}`) as string },
  })
  rmSync(inTheWay, { recursive: true })
  expect(await call('archive.move', { folder })).toMatchObject({ value: { kind: 'running' } })
  expect(await ended()).toMatchObject({ ok: true, report: { files: before.size, leftBehind: 0 } })
  expect(unfinished()).toBeNull()
  expect(hashesIn(folder)).toEqual(before)
  expect(await call('sync.now', {})).toMatchObject({ value: { kind: 'running' } })
})

test('a project folder in both folders of a move is reported, both are kept, and the move stays pending', async () => {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1 })
  await archive.sync()
  const { root, home } = archive
  const before = hashesIn(root)
  const folder = temporaryFolder()
  const folders = readdirSync(root).filter((name) => statSync(join(root, name)).isDirectory())
  const [renamed = ''] = folders
  renameSync(join(root, renamed), join(folder, renamed))
  mkdirSync(join(root, renamed))
  writeFileSync(join(root, renamed, 'downloaded again'), 'x')
  const [here, there] = [hashesIn(root), hashesIn(folder)]
  const record = { from: root, to: folder, folders, renamed: [], phase: 'renaming' }
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
  const { call, ended } = await opened(archive)
  for (let time = 0; time < 2; time += 1) {
    const error = { code: 'wrong-usage', message: expect.stringContaining(renamed) as string }
    expect(await ended()).toMatchObject({ ok: false, error })
    expect(hashesIn(root)).toEqual(here)
    expect(hashesIn(folder)).toEqual(there)
    expect(JSON.parse(readFileSync(join(home, 'archive-move.json'), 'utf8'))).toEqual(record)
    if (time === 0) await call('archive.stopMove', {})
  }
  renameSync(join(root, renamed), join(home, 'elsewhere'))
  await call('archive.stopMove', {})
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(hashesIn(root)).toEqual(before)
})

/** Two folders, the first with a project of one photo, and the methods of all open files. */
async function toBeCopied() {
  const [from, to] = [temporaryFolder(), temporaryFolder()]
  mkdirSync(join(from, 'project'))
  writeFileSync(join(from, 'project', 'photo'), 'photo')
  const handle = await open(import.meta.filename)
  const methods = Object.getPrototypeOf(handle) as typeof handle
  await handle.close()
  return { from, to, methods }
}

test('a copy has its name once its bytes are on the disk, and is complete once its folders are', async () => {
  const { from, to, methods } = await toBeCopied()
  const synced: string[][] = []
  const sync = Reflect.get(methods, 'sync')
  vi.spyOn(methods, 'sync').mockImplementation(function (this: FileHandle) {
    // Windows syncs no folder.
    return sync.call(this).finally(() => synced.push(readdirSync(join(to, 'project'))))
  })
  await copyTree('project', { from, to, signal: new AbortController().signal, onFile: () => undefined })
  expect(synced).toEqual([['.photo.part'], ['photo'], ['photo']])
})

test('a copy is complete on a disk that refuses the times of its files', async () => {
  const { from, to, methods } = await toBeCopied()
  const refusal = Object.assign(new Error('EPERM: operation not permitted, futime'), { code: 'EPERM' })
  const utimes = vi.spyOn(methods, 'utimes').mockRejectedValue(refusal)
  onTestFinished(() => utimes.mockRestore())
  await copyTree('project', { from, to, signal: new AbortController().signal, onFile: () => undefined })
  expect(hashesIn(to)).toEqual(hashesIn(from))
})

test('a walk skips a file deleted meanwhile, and throws if its folder is deleted', async () => {
  const root = temporaryFolder()
  mkdirSync(join(root, 'project', 'c'), { recursive: true })
  for (const name of ['a', 'b', 'd']) writeFileSync(join(root, 'project', name), name)
  const seen: string[] = []
  for await (const { path } of walkTree(root, 'project')) {
    seen.push(path)
    if (path === 'project/a') rmSync(join(root, 'project', 'b'))
    if (path === 'project/c') rmSync(join(root, 'project', 'c'), { recursive: true })
  }
  expect(seen).toEqual(['project', ...['a', 'c', 'd'].map((name) => `project/${name}`)])
  const walk = walkTree(root, 'project')
  await walk.next()
  await walk.next()
  rmSync(join(root, 'project'), { recursive: true })
  await expect(walk.next()).rejects.toMatchObject({ code: 'ENOENT' })
})
