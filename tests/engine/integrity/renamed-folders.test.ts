import {
  cpSync,
  existsSync,
  mkdirSync,
  promises,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { checklistDocumentPath, versionPath } from '../../../electron/engine/archive/layout.ts'
import { findMisplaced, searchOnce } from '../../../electron/engine/checklists/find-misplaced.ts'
import { partPath } from '../../../electron/engine/downloads/part-file.ts'
import { isKnownArchive } from '../../../electron/engine/recovery/open-archive.ts'
import { createStore, openReadOnly } from '../../../electron/engine/store/create-store.ts'
import { databaseName } from '../../../electron/engine/store/database-files.ts'
import { installationId } from '../../../electron/engine/store/meta-store.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import type { VerifyReport } from '../../../shared/domain.ts'
import { flipBit } from '../../support/flip-bit.ts'
import { failCalls } from '../../support/hooks/fail-calls.ts'
import { recordSnapshots } from '../../support/record-snapshots.ts'
import {
  archivedHashes,
  checklistOf,
  readFiles,
  sampleArchive,
  type SampleArchive,
  servedHashes,
  sha256,
  shareArchive,
} from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { expectTrueChecksums } from '../../support/true-checksums.ts'

const site = {
  projects: 2,
  checklistsPerProject: 2,
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 1,
  statuses: ['completed'],
  awkwardNames: false,
} as const

const archiveOf = (projects: number) =>
  shareArchive(async (onDone) => {
    const archive = await sampleArchive({ ...site, statuses: [...site.statuses], projects }, undefined, onDone)
    expect((await archive.sync()).failures).toEqual([])
    return archive
  })
const sharedArchive = archiveOf(2)
const sharedProject = archiveOf(1)
const sharedProjects = archiveOf(3)

const verify = (archive: SampleArchive) => archive.withEngine((engine) => engine.verify())
const repair = (archive: SampleArchive) => archive.withEngine((engine) => engine.verify({ repair: true }))

/** Returns whether a folder is taken for the archive, as a probe of the disk asks. */
async function isKnown(archive: SampleArchive, root = archive.root, signal = new AbortController().signal) {
  const store = openReadOnly(join(archive.home, databaseName))
  try {
    return await isKnownArchive(root, store, signal)
  } finally {
    store.close()
  }
}

/** Names of the first project's folder and of its first checklist's, and functions that rename what is in the root. */
function namesIn(archive: SampleArchive) {
  const folders = (path: string) =>
    readdirSync(join(archive.root, path), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    )
  const [project = '', other = ''] = folders('').sort()
  const [first = '', second = ''] = folders(project).sort()
  const [ofOther = ''] = other === '' ? [] : folders(other).sort()
  const move = (from: string, to: string) => {
    mkdirSync(dirname(join(archive.root, to)), { recursive: true })
    renameSync(join(archive.root, from), join(archive.root, to))
  }
  const swap = (one: string, another: string) => {
    move(one, 'swapped')
    move(another, one)
    move('swapped', another)
  }
  const paths = { first: `${project}/${first}`, second: `${project}/${second}`, ofOther: `${other}/${ofOther}` }
  return { project, other, ...paths, checklist: first, move, swap }
}

type Names = ReturnType<typeof namesIn>

/** Renames that people make, and the folders that a verify reports as renamed, from and to. */
const cases: readonly [string, (names: Names) => (readonly [from: string, to: string])[]][] = [
  [
    'a project folder that was renamed',
    ({ project, move }) => {
      move(project, 'Delgado, paid')
      return [[project, 'Delgado, paid']]
    },
  ],
  [
    'a project folder that was moved into another folder',
    ({ project, move }) => {
      move(project, `2026/Done/${project}`)
      return [[project, `2026/Done/${project}`]]
    },
  ],
  [
    'a checklist folder that was renamed',
    ({ project, first, move }) => {
      move(first, `${project}/Old survey`)
      return [[first, `${project}/Old survey`]]
    },
  ],
  [
    'a checklist folder that was moved out of its project',
    ({ first, move }) => {
      move(first, 'Survey')
      return [[first, 'Survey']]
    },
  ],
  [
    'a project folder and a checklist folder in it that were renamed',
    ({ project, first, move }) => {
      move(first, `${project}/Old survey`)
      move(project, 'Delgado')
      return [
        [project, 'Delgado'],
        [first, 'Delgado/Old survey'],
      ]
    },
  ],
  [
    'two project folders that were swapped',
    ({ project, other, swap }) => {
      swap(project, other)
      return [
        [project, other],
        [other, project],
      ]
    },
  ],
  [
    'a project folder with the name of another one, which was renamed, too',
    ({ project, other, move }) => {
      move(other, 'Done')
      move(project, other)
      return [
        [project, other],
        [other, 'Done'],
      ]
    },
  ],
  [
    'a project folder that was moved into another project',
    ({ project, other, move }) => {
      move(project, `${other}/Attic/${project}`)
      return [[project, `${other}/Attic/${project}`]]
    },
  ],
  [
    'two checklist folders that were swapped',
    ({ first, second, swap }) => {
      swap(first, second)
      return [
        [first, second],
        [second, first],
      ]
    },
  ],
  [
    'checklist folders of two projects that were swapped',
    ({ first, ofOther, swap }) => {
      swap(first, ofOther)
      return [
        [first, ofOther],
        [ofOther, first],
      ]
    },
  ],
  [
    'a project folder that was renamed, with two swapped checklist folders in it',
    ({ project, first, second, move, swap }) => {
      swap(first, second)
      move(project, 'Delgado')
      return [
        [project, 'Delgado'],
        [first, second.replace(project, 'Delgado')],
        [second, first.replace(project, 'Delgado')],
      ]
    },
  ],
]

const byName = <Folder extends { readonly from: string }>(folders: readonly Folder[]) =>
  folders.toSorted((one, another) => (one.from < another.from ? -1 : 1))

describe.each(cases)('%s', (_, rename) => {
  it('is reported, and its files count as unchanged; a repair restores its name and downloads nothing', async () => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    const { checked } = await verify(archive)
    const renames = rename(namesIn(archive))
    const after = readFiles(archive.root)
    const projectId = expect.any(String) as string
    const renamed = (restored: boolean) => byName(renames.map(([from, to]) => ({ projectId, from, to, restored })))
    const sorted = (report: VerifyReport) => ({ ...report, renamed: byName(report.renamed) })
    const nothing = { checked, ok: checked, missing: [], changed: [], unexpected: [], repaired: 0, failures: [] }
    expect(sorted(await verify(archive))).toMatchObject({ ...nothing, renamed: renamed(false) })
    expect(readFiles(archive.root)).toEqual(after)

    archive.service.requests.clear()
    expect(sorted(await repair(archive))).toMatchObject({ ...nothing, renamed: renamed(true) })
    expect(archive.service.requests.records).toEqual([])
    expect(readFiles(archive.root)).toEqual(before)
    rmSync(join(archive.root, '2026'), { recursive: true, force: true })
    expectTrueChecksums(archive.root)
    expect(await verify(archive)).toMatchObject({ ...nothing, renamed: [] })
  })

  it('has its name back after the next sync, which says so and downloads nothing', async () => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    const renames = rename(namesIn(archive))
    archive.service.requests.clear()
    const report = await archive.sync()
    expect(report).toMatchObject({ failures: [], filesDownloaded: 0 })
    expect(byName(report.renamed)).toMatchObject(byName(renames.map(([from, to]) => ({ from, to }))))
    expect(archive.service.requests.count('files')).toBe(0)
    expect(readFiles(archive.root)).toEqual(before)
  })
})

describe('a renamed project folder', () => {
  it('that is the only one is not taken for an unplugged drive', async () => {
    const archive = sharedProject()
    const { project, move } = namesIn(archive)
    move(project, 'Delgado')
    expect(await isKnown(archive)).toBe(true)
    await expect(isKnown(archive, archive.root, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
    expect(await verify(archive)).toMatchObject({ missing: [], renamed: [{ from: project, to: 'Delgado' }] })
    expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 0 })
    expect(readdirSync(archive.root)).toEqual([project])
  })

  it('of each project has its name back if all were sorted into several folders', async () => {
    const archive = sharedProjects()
    const before = readFiles(archive.root)
    for (const [index, project] of readdirSync(archive.root).entries()) {
      namesIn(archive).move(project, `${2024 + index}/${project}`)
    }
    expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 0 })
    expect(readFiles(archive.root)).toEqual(before)
  })

  it('of two that were sorted into two folders is refused, and neither is named as the archive', async () => {
    const archive = sharedArchive()
    const [one = '', two = ''] = readdirSync(archive.root)
    namesIn(archive).move(one, `2024/${one}`)
    namesIn(archive).move(two, `2025/${two}`)
    const places = [join(archive.root, '2024'), join(archive.root, '2025')].join(' and ')
    await expect(archive.sync()).rejects.toMatchObject({
      code: 'archive-unavailable',
      message:
        `The project folders are in ${places}, and not directly in ${archive.root}. Nothing was changed. ` +
        `Move them back into ${archive.root}, with their names.`,
    })
    namesIn(archive).move(`2024/${one}`, one)
    namesIn(archive).move(`2025/${two}`, two)
    expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 0 })
  })

  it.each<readonly [string, (above: string, names: Names) => readonly string[]]>([
    ['alone', () => []],
    [
      'and one of its project folders was renamed',
      (above, { project }) => {
        renameSync(join(above, 'Backup/archive', project), join(above, 'Backup/archive/Delgado'))
        return []
      },
    ],
    [
      'and a project folder was copied out of it',
      (above, { project }) => {
        cpSync(join(above, 'Backup/archive', project), join(above, 'Delgado'), { recursive: true })
        return []
      },
    ],
    [
      'and a copy of the whole archive is beside it',
      (above) => {
        cpSync(join(above, 'Backup/archive'), join(above, 'Copies/archive'), { recursive: true })
        return ['Copies/archive']
      },
    ],
  ])('is none if the chosen folder is above the archive, which is named (%s)', async (_, change) => {
    const archive = sharedArchive()
    const names = namesIn(archive)
    const above = join(dirname(archive.root), 'above')
    const below = join(above, 'Backup/archive')
    mkdirSync(dirname(below), { recursive: true })
    renameSync(archive.root, below)
    const copies = change(above, names).map((copy) => join(above, copy))
    const before = readFiles(above)
    const message = `The archive is in ${[below, ...copies].join(' or ')}, and not directly in ${above}.`
    expect(await isKnown(archive, above)).toBe(false)
    const refusal = { code: 'archive-unavailable', message: expect.stringContaining(message) as string }
    await expect(archive.sync({ archiveFolder: above })).rejects.toMatchObject(refusal)
    await expect(archive.withEngine((engine) => engine.verify(), { archiveFolder: above })).rejects.toMatchObject(
      refusal,
    )
    expect(readFiles(above)).toEqual(before)
    expect(await archive.sync({ archiveFolder: below })).toMatchObject({ failures: [] })
  })

  it('is none if the chosen folder is above the archive, whose disk lists names in another Unicode form', async () => {
    const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
    for (const sampled of archive.service.projects) archive.service.renameProject(sampled, 'Peña residence')
    await archive.sync()
    const { project, move } = namesIn(archive)
    move(project, project.normalize('NFD'))
    const above = join(dirname(archive.root), 'above')
    const below = join(above, 'archive')
    mkdirSync(above)
    renameSync(archive.root, below)
    await expect(archive.sync({ archiveFolder: above })).rejects.toMatchObject({
      code: 'archive-unavailable',
      message: expect.stringContaining(`The archive is in ${below}, and not directly in ${above}.`) as string,
    })
    expect(await archive.sync({ archiveFolder: below })).toMatchObject({ failures: [], filesDownloaded: 0 })
  })

  it.runIf(process.platform === 'linux')(
    'in which only letters changed their case has its name back as well',
    async () => {
      const archive = sharedArchive()
      const before = readFiles(archive.root)
      const { project, move } = namesIn(archive)
      move(project, project.toLowerCase())
      expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 0 })
      expect(readdirSync(archive.root)).toHaveLength(2)
      expect(readFiles(archive.root)).toEqual(before)
    },
  )

  it('whose name is in use by a file is left where it is, and nothing of it is downloaded', async () => {
    const archive = sharedArchive()
    const { project, move } = namesIn(archive)
    move(project, 'Delgado')
    writeFileSync(join(archive.root, project), 'in the way')
    const before = readFiles(archive.root)
    archive.service.requests.clear()
    const { failures } = await archive.sync()
    expect(failures).toMatchObject([{ code: 'disk-error', path: null }])
    expect(failures[0]?.message).toContain(`The folder "${project}" was renamed to "Delgado" and `)
    expect(archive.service.requests.count('files')).toBe(0)
    const renamed = [{ from: project, to: 'Delgado', restored: false }]
    const failed = [{ path: project, code: 'disk-error' }]
    expect(await repair(archive)).toMatchObject({ missing: [], repaired: 0, renamed, failures: failed })
    expect(readFiles(archive.root)).toEqual(before)
  })

  it('keeps what a user put into it', async () => {
    const archive = sharedArchive()
    const { project, move } = namesIn(archive)
    move(project, 'Delgado')
    writeFileSync(join(archive.root, 'Delgado', 'invoice.pdf'), 'mine')
    expect(await verify(archive)).toMatchObject({ missing: [], unexpected: ['Delgado/invoice.pdf'] })
    expect(await repair(archive)).toMatchObject({ missing: [], unexpected: [`${project}/invoice.pdf`] })
    expect(readFileSync(join(archive.root, project, 'invoice.pdf'), 'utf8')).toBe('mine')
  })

  it('with a changed and a missing photo has these found, by a verify and by a sync', async () => {
    const archive = sharedArchive()
    const { project, move } = namesIn(archive)
    const photos = [...readFiles(archive.root).keys()].filter(
      (path) => path.startsWith(`${project}/`) && path.includes('/photos/'),
    )
    const [changed = '', missing = ''] = photos
    flipBit(join(archive.root, changed))
    unlinkSync(join(archive.root, missing))
    move(project, 'Delgado')
    expect(await verify(archive)).toMatchObject({ missing: [missing], changed: [changed] })

    archive.service.requests.clear()
    expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 1 })
    expect(existsSync(join(archive.root, missing))).toBe(true)
    const { projects } = await archive.withEngine((engine) => engine.status())
    expect(JSON.stringify(projects)).toContain('"damaged"')
    expect(await repair(archive)).toMatchObject({ missing: [], changed: [], repaired: 1, renamed: [] })
  })

  it('and a copy of it with fewer files: the complete one is used, and the other stays untouched', async () => {
    const archive = sharedArchive()
    const { project, move } = namesIn(archive)
    cpSync(join(archive.root, project), join(archive.root, 'A copy'), { recursive: true })
    for (const path of readFiles(join(archive.root, 'A copy')).keys()) {
      if (path.includes('/photos/')) unlinkSync(join(archive.root, 'A copy', path))
    }
    const copied = readFiles(join(archive.root, 'A copy'))
    move(project, 'Delgado')
    expect(await repair(archive)).toMatchObject({
      missing: [],
      repaired: 0,
      renamed: [{ to: 'Delgado', restored: true }],
    })
    expect(readFiles(join(archive.root, 'A copy'))).toEqual(copied)
  })

  it('that is in its place, too, is only a copy: one unexpected folder, which stays', async () => {
    const archive = sharedArchive()
    const { project } = namesIn(archive)
    cpSync(join(archive.root, project), join(archive.root, 'A copy'), { recursive: true })
    for (const empty of ['Empty/Folder', '.hidden', 'lost+found'])
      mkdirSync(join(archive.root, empty), { recursive: true })
    writeFileSync(join(archive.root, '.hidden', 'file'), '')
    const found = { missing: [], changed: [], unexpected: ['A copy'], renamed: [] }
    expect(await verify(archive)).toMatchObject(found)
    expect(await repair(archive)).toMatchObject(found)
    expect(existsSync(join(archive.root, 'A copy'))).toBe(true)
    await archive.withEngine((engine) => {
      const { items, total } = engine.catalog.findings({ offset: 0, limit: 10 })
      expect({ items, total }).toMatchObject({
        total: 1,
        items: [{ path: 'A copy', state: 'unexpected', project: null }],
      })
      return Promise.resolve()
    })
  })

  it.skipIf(process.platform === 'win32')(
    'to a name that not every system allows is listed as unexpected',
    async () => {
      const archive = sharedArchive()
      const { project, move } = namesIn(archive)
      for (const name of ['3:12', 'Paid.', 'Paid ']) {
        move(project, name)
        expect(await verify(archive)).toMatchObject({ unexpected: [name] })
        move(name, project)
      }
      expect(await verify(archive)).toMatchObject({ missing: [], unexpected: [] })
    },
  )

  it('that was swapped has its name back after a kill at any moment of a repair', async () => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    const { project, other, swap } = namesIn(archive)
    swap(project, other)
    const moments = await recordSnapshots([archive.root], () => repair(archive))
    archive.service.requests.clear()
    for (const { name, restore } of moments) {
      restore()
      const { failures, filesDownloaded } = await archive.sync()
      expect({ failures, filesDownloaded }, name).toEqual({ failures: [], filesDownloaded: 0 })
      expect(readFiles(archive.root), name).toEqual(before)
    }
    expect(moments.length).toBeGreaterThan(3)
    expect(archive.service.requests.count('files')).toBe(0)
  })

  it('that is moved again while a verify reads another one is found there', async () => {
    const archive = sharedProjects()
    const { move } = namesIn(archive)
    await archive.withEngine(async (engine) => {
      const [, middle = '', last = ''] = engine.projects.list().map(({ folder }) => folder ?? '')
      for (const name of [middle, last]) move(name, `2025/${name}`)
      const moves = [() => move(`2025/${last}`, `2026/${last}`)]
      const { missing, changed, renamed } = await engine.verify({ onProgress: () => moves.pop()?.() })
      expect([missing, changed]).toEqual([[], []])
      expect(new Map(renamed.map(({ from, to }) => [from, to]))).toEqual(
        new Map([
          [middle, `2025/${middle}`],
          [last, `2026/${last}`],
        ]),
      )
    })
  })

  it('of each project is found by one search, and a verify that searches can be stopped', async () => {
    const archive = sharedProjects()
    const { project, other, move } = namesIn(archive)
    const { readdir } = promises
    let onSearch = () => {}
    let searched = 0
    const listing = vi.spyOn(promises, 'readdir').mockImplementation((...options: Parameters<typeof readdir>) => {
      if (typeof options[1] === 'object') {
        searched += 1
        onSearch()
      }
      return readdir(...options)
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      listing.mockRestore()
      syncBuiltinESMExports()
    })
    await archive.withEngine(async (engine) => {
      const searchedBy = async (verifying: Promise<unknown>) => {
        searched = 0
        await verifying
        return searched
      }
      move(project, `2025/${project}`)
      const forOne = await searchedBy(engine.verify())
      move(other, `2025/${other}`)
      expect(await searchedBy(engine.verify())).toBe(forOne)
      const stop = new AbortController()
      onSearch = () => stop.abort()
      const stopped = expect(engine.verify({ signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' })
      expect(await searchedBy(stopped)).toBe(1)
    })
  })

  it('that was nowhere is searched for again after a minute', async () => {
    const archive = sharedProject()
    const { project, move } = namesIn(archive)
    const away = `${archive.root}-away`
    renameSync(join(archive.root, project), away)
    onTestFinished(() => rmSync(away, { recursive: true, force: true }))
    const store = openReadOnly(join(archive.home, databaseName))
    onTestFinished(() => store.close())
    const recorded = { root: archive.root, store }
    const [id = ''] = store.projects.listAll().map((row) => row.id)
    const search = searchOnce(recorded)
    const renamed = async () => (await findMisplaced(recorded, id, { search })).renamed.length
    expect(await renamed()).toBe(0)
    renameSync(away, join(archive.root, project))
    move(project, `2025/${project}`)
    expect(await renamed()).toBe(0)
    const now = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now + 61_000)
    onTestFinished(() => clock.mockRestore())
    expect(await renamed()).toBe(1)
  })

  it('is in the activity', async () => {
    const archive = sharedProject()
    const { project, move } = namesIn(archive)
    move(project, 'Delgado')
    await repair(archive)
    const { items } = await archive.withEngine((engine) => Promise.resolve(engine.activity({ limit: 5 })))
    expect(items.find(({ kind }) => kind === 'folders-restored')).toMatchObject({
      facts: { count: 1 },
      group: 'verify',
    })
  })

  it('that was renamed halfway leaves nothing behind: neither empty folders nor its checksums', async () => {
    const archive = sharedProject()
    const before = readFiles(archive.root)
    const { project, first, move } = namesIn(archive)
    move(project, 'Half')
    move(first.replace(project, 'Half'), first)
    archive.service.requests.clear()
    expect(await repair(archive)).toMatchObject({ missing: [], changed: [], unexpected: [], repaired: 0 })
    expect(archive.service.requests.records).toEqual([])
    expect(readFiles(archive.root)).toEqual(before)
    expect(readdirSync(archive.root)).toEqual([project])

    // Its own checksums may be there already.
    cpSync(join(archive.root, project, 'SHA256SUMS'), join(archive.root, 'SHA256SUMS'))
    move(project, 'Half')
    move(first.replace(project, 'Half'), first)
    renameSync(join(archive.root, 'SHA256SUMS'), join(archive.root, project, 'SHA256SUMS'))
    expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 0 })
    expect(readFiles(archive.root)).toEqual(before)
    expect(readdirSync(archive.root)).toEqual([project])
  })

  it('of which a part was left behind gets its files back one by one, and none is overwritten', async () => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    const { first, move } = namesIn(archive)
    move(first, 'Half')
    mkdirSync(join(archive.root, first))
    renameSync(join(archive.root, 'Half', 'report.pdf'), join(archive.root, first, 'report.pdf'))
    writeFileSync(join(archive.root, 'Half', 'report.pdf'), 'of a user')
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [], renamed: [{ from: first, to: 'Half' }] })
    archive.service.requests.clear()
    expect(await repair(archive)).toMatchObject({
      missing: [],
      changed: [],
      repaired: 0,
      renamed: [{ restored: true }],
    })
    expect(archive.service.requests.records).toEqual([])
    expect(readFileSync(join(archive.root, 'Half', 'report.pdf'), 'utf8')).toBe('of a user')
    rmSync(join(archive.root, 'Half'), { recursive: true })
    expect(readFiles(archive.root)).toEqual(before)
  })
})

describe('a renamed checklist folder', () => {
  it('is not hidden by a checklist.json that an interrupted sync left to be written', async () => {
    const archive = sharedProject()
    const { service, root } = archive
    service.addPhoto(checklistOf(archive))
    service.faults.add({ route: 'checklist', fault: { kind: 'status', status: 401 } })
    expect((await archive.sync()).failures).toMatchObject([{ code: 'token-refused' }])
    service.faults.clear()
    const { project, first, second, move } = namesIn(archive)
    const renames = [first, second].map((from, index) => ({ from, to: `${project}/Survey ${index}` }))
    for (const { from, to } of renames) move(from, to)

    const { renamed, failures, downloads } = await archive.sync()
    expect({ failures, downloads }).toEqual({ failures: [], downloads: { newFiles: 1, previews: 1, replacedFiles: 0 } })
    expect(byName(renamed)).toMatchObject(byName(renames))
    expect(archivedHashes(root)).toEqual(await servedHashes(service))
    expect(renames.map(({ to }) => existsSync(join(root, to)))).toEqual([false, false])
  })

  it('that is merged with one of its name is recognized after a kill at any moment', async () => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    const { first, move } = namesIn(archive)
    move(first, 'Half')
    mkdirSync(join(archive.root, first))
    const moments = await recordSnapshots([archive.root], () => repair(archive))
    archive.service.requests.clear()
    for (const { name, restore } of moments) {
      restore()
      const { failures, filesDownloaded } = await archive.sync()
      expect({ failures, filesDownloaded }, name).toEqual({ failures: [], filesDownloaded: 0 })
      expect(readFiles(archive.root), name).toEqual(before)
    }
    expect(moments.length).toBeGreaterThan(5)
    expect(archive.service.requests.count('files')).toBe(0)
  })

  it('that is merged with one of its name loses no file if too many are open for a moment', async () => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    const { first, move } = namesIn(archive)
    const below = [join(archive.root, first)]
    for (let from = 1; from <= 12; from += 1) {
      move(first, 'Half')
      mkdirSync(join(archive.root, first))
      const end = await failCalls({ below, calls: ['descriptor'], from, times: 1, what: 'EMFILE' })
      await archive.sync().catch(() => undefined)
      expect(end(), `call ${from}`).toBe(1)
      const { failures, filesDownloaded } = await archive.sync()
      expect({ failures, filesDownloaded }, `call ${from}`).toEqual({ failures: [], filesDownloaded: 0 })
      expect(readFiles(archive.root), `call ${from}`).toEqual(before)
      // Empty folders may be left.
      rmSync(join(archive.root, 'Half'), { recursive: true, force: true })
    }
  })
})

describe('a folder that is renamed after a kill between the two renames of a replacement', () => {
  it.each([
    ['project', 'sync'],
    ['project', 'repair'],
    ['first', 'sync'],
    ['first', 'repair'],
  ] as const)('(%s) has both files after the next %s', async (which, next) => {
    const archive = sharedProject()
    const { root, service } = archive
    const { move, ...names } = namesIn(archive)
    const version = await interruptReplacement(archive, names.first)
    const old = readFileSync(join(root, version))
    move(names[which], 'Renamed')
    const { failures } = await (next === 'sync' ? archive.sync() : repair(archive))
    expect(failures).toEqual([])
    expect(readFileSync(join(root, version))).toEqual(old)
    expect(archivedHashes(root)).toEqual(await servedHashes(service))
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [], unexpected: [] })
    expectTrueChecksums(root)
  })

  /** Leaves a checklist's report as a process that is killed while it replaces it. Returns the old one's path. */
  async function interruptReplacement({ service, home, root }: SampleArchive, folder: string): Promise<string> {
    const store = createStore(join(home, databaseName))
    try {
      const path = `${folder}/report.pdf`
      const { id, checklistKey } = store.archivedFiles.assets(0, 100).find((asset) => asset.path === path) ?? {}
      const checklist = service.projects
        .flatMap(({ checklists }) => checklists)
        .find((one) => one.id === store.checklists.get(checklistKey ?? 0)?.id)
      if (id === undefined || checklist === undefined) throw new Error('The sample has a report')
      const bytes = await service.reportBytes(service.replaceReport(checklist))
      const replacedAt = '2026-01-02T03:04:05.000Z'
      const old = versionPath(folder, path, replacedAt)
      const facts = { sha256: sha256(bytes), sizeBytes: bytes.length, etag: null, lastModified: null }
      store.versions.begin({ assetId: id, versionPath: old, replacedAt, ...facts })
      writeFileSync(join(root, partPath(dirname(folder), id, installationId(store))), bytes)
      mkdirSync(dirname(join(root, old)), { recursive: true })
      renameSync(join(root, path), join(root, old))
      return old
    } finally {
      store.close()
    }
  }
})

describe('a checklist folder that was copied over another one', () => {
  it.each([
    ['of the same project', ({ first, second }: Names) => [first, second] as const],
    ['of another project', ({ ofOther, first }: Names) => [ofOther, first] as const],
  ])('%s has its own files repaired in its place', async (_, folders) => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    const [from, to] = folders(namesIn(archive))
    cpSync(join(archive.root, from), join(archive.root, to), { recursive: true })
    const { missing, changed, renamed } = await verify(archive)
    expect({ missing, renamed }).toEqual({ missing: [], renamed: [] })
    expect(changed).toContain(`${to}/checklist.json`)
    expect(await archive.sync()).toMatchObject({ failures: [], renamed: [] })
    expect(await repair(archive)).toMatchObject({ missing: [], changed: [], renamed: [], failures: [] })
    const after = readFiles(archive.root)
    const files = [...before].filter(([path]) => /\/(report\.pdf|photos\/.*|thumbnails\/.*)$/.test(path))
    const isChanged = ([path, bytes]: [string, Buffer]) => after.get(path)?.equals(bytes) !== true
    expect(files.filter(isChanged).map(([path]) => path)).toEqual([])
    expect([...after.keys()].filter((path) => path.includes('moved aside'))).toEqual([])
  })

  it('is moved aside, which is said, if that one has another name', async () => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    const { project, first, second, move } = namesIn(archive)
    move(second, `${project}/Old survey`)
    cpSync(join(archive.root, first), join(archive.root, second), { recursive: true })
    expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 0, renamed: [{ from: second }] })
    expect(archive.log.filter((line) => line.includes(`now \\"${second} (moved aside)\\"`))).toHaveLength(1)
    rmSync(join(archive.root, `${second} (moved aside)`), { recursive: true })
    expect(readFiles(archive.root)).toEqual(before)
  })
})

describe('a project folder that is renamed during a sync', () => {
  /** Renames the first project's folder when its first photo is requested. Returns the recorded name. */
  function renameAtPhoto(archive: SampleArchive): string {
    const { project, move } = namesIn(archive)
    const { id = '' } = archive.service.projects.find(({ name }) => project.startsWith(name)) ?? {}
    let isRenamed = false
    const route = ({ route: name, path }: { route: string; path: string }) => {
      if (name === 'photo' && path.includes(id) && !isRenamed) {
        isRenamed = true
        move(project, 'Delgado')
      }
      return false
    }
    archive.service.faults.add({ route, fault: { kind: 'reset' } })
    return project
  }

  function changeAPhotoOfEach({ service }: SampleArchive, change: 'replace' | 'add'): void {
    for (const { checklists } of service.projects) {
      const [checklist] = checklists
      const [photo] = checklist === undefined ? [] : photosOf(checklist)
      if (checklist === undefined || photo === undefined) throw new Error('The sample has no photo')
      if (change === 'add') service.addPhoto(checklist)
      else service.replacePhoto(photo)
    }
  }

  it('fails files of that project alone, and has its name back at the end', async () => {
    const archive = await sampleArchive({ ...site, statuses: [...site.statuses] })
    await archive.withEngine(async (engine) => {
      await engine.sync()
      const before = readdirSync(archive.root)
      changeAPhotoOfEach(archive, 'replace')
      const project = renameAtPhoto(archive)
      const { failures, renamed, failedProjects } = await engine.sync()
      expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['disk-error']))
      expect(failures.every(({ path }) => path?.startsWith(project))).toBe(true)
      expect(failedProjects).toEqual([])
      expect(renamed).toMatchObject([{ from: project, to: 'Delgado' }])
      expect(readdirSync(archive.root)).toEqual(before)
      expect(await engine.sync()).toMatchObject({ failures: [], filesDownloaded: failures.length })
    })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })

  it('has its name back at the end, with what was downloaded meanwhile, and nothing is downloaded again', async () => {
    const archive = sharedArchive()
    changeAPhotoOfEach(archive, 'add')
    const project = renameAtPhoto(archive)
    const { renamed, failures } = await archive.sync()
    expect(failures).toEqual([])
    expect(renamed.map(({ from, to }) => ({ from, to }))).toEqual(
      renamed.map(({ from }) => ({ from, to: from.replace(project, 'Delgado') })),
    )
    expect(renamed.length).toBeGreaterThan(0)
    expect(readFiles(join(archive.root, 'Delgado'))).toEqual(new Map())
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [], unexpected: [], renamed: [] })
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0 })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })
})

/** Creates a project of checklists whose documents all have the same size. `openings` counts how often one is opened. */
function alikeChecklists(count: number) {
  const root = temporaryFolder()
  const store = createStore(join(temporaryFolder(), databaseName))
  onTestFinished(() => store.close())
  const at = '2026-11-21T09:00:00.000Z'
  store.projects.put('p', null, null, at)
  store.projects.setFolder('p', 'P', 'P')
  const folders = Array.from({ length: count }, (_, index) => `P/${String(index).padStart(5, '0')}`)
  store.transaction(() => {
    for (const folder of folders) {
      const entry = { title: '', status: 'completed', updatedAt: null, fingerprint: 'f', entryRaw: '{}' }
      const key = store.checklists.put({ ...entry, projectId: 'p', id: folder })
      const document = { format: 'solarchive-checklist', version: 1, project: { id: 'p' }, checklist: { id: folder } }
      const text = JSON.stringify(document, null, 2)
      mkdirSync(join(root, folder), { recursive: true })
      writeFileSync(join(root, checklistDocumentPath(folder)), text)
      store.checklists.setFolder(key, folder, folder)
      store.checklists.setDocument(key, sha256(Buffer.from(text)), text.length)
    }
  })
  const { open } = promises
  const openings = vi.fn()
  const opening = vi.spyOn(promises, 'open').mockImplementation((...options: Parameters<typeof open>) => {
    if (String(options[0]).endsWith('checklist.json')) openings()
    return open(...options)
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    opening.mockRestore()
    syncBuiltinESMExports()
  })
  const reads = vi.spyOn(store.archivedFiles, 'documentsOfProject')
  /** Changes a document's last byte. */
  const change = (folder: string) => {
    const path = join(root, checklistDocumentPath(folder))
    writeFileSync(path, readFileSync(path, 'utf8').replace(/}$/, ' '))
  }
  return { root, folders, openings, reads, change, find: () => findMisplaced({ root, store }, 'p') }
}

describe('checklists whose documents have the same size', () => {
  it('are each read once while they are in their places', async () => {
    const { openings, reads, find } = alikeChecklists(40)
    expect(await find()).toEqual({ renamed: [], taken: [] })
    expect(openings).toHaveBeenCalledTimes(40)
    expect(reads).toHaveBeenCalledTimes(1)
  })

  it('are found if two were swapped, one was copied over another one, or one was changed', async () => {
    const { root, folders, change, find } = alikeChecklists(6)
    const [one = '', another = '', copied = '', replaced = '', changed = ''] = folders
    renameSync(join(root, one), join(root, 'swapped'))
    renameSync(join(root, another), join(root, one))
    renameSync(join(root, 'swapped'), join(root, another))
    const swapped = [
      { projectId: 'p', from: one, to: another },
      { projectId: 'p', from: another, to: one },
    ]
    expect(await find()).toEqual({ renamed: swapped, taken: [one, another] })

    cpSync(join(root, copied), join(root, replaced), { recursive: true })
    change(changed)
    expect(await find()).toEqual({ renamed: swapped, taken: [one, another] })

    renameSync(join(root, copied), join(root, 'P/elsewhere'))
    const moved = { projectId: 'p', from: copied, to: replaced }
    expect(await find()).toEqual({ renamed: [...swapped, moved], taken: [one, another, replaced] })
  })

  it('are each read a few times if all were changed, and if all are elsewhere', async () => {
    const { root, folders, openings, reads, change, find } = alikeChecklists(40)
    renameSync(join(root, 'P'), join(root, 'Delgado'))
    expect((await find()).renamed).toHaveLength(40)
    expect(openings.mock.calls.length).toBeLessThan(40 * 4)
    renameSync(join(root, 'Delgado'), join(root, 'P'))

    for (const folder of folders) change(folder)
    openings.mockClear()
    reads.mockClear()
    expect(await find()).toEqual({ renamed: [], taken: [] })
    expect(openings.mock.calls.length).toBeLessThan(40 * 4)
    expect(reads.mock.calls.length).toBeLessThan(4)
  })
})

describe('a folder that only looks like a renamed one', () => {
  it('by a checklist.json that is not the recorded one, is left alone', async () => {
    const archive = sharedArchive()
    const { project, checklist, move } = namesIn(archive)
    const files = readFiles(archive.root).size
    move(project, 'Delgado')
    for (const folder of readdirSync(join(archive.root, 'Delgado'), { withFileTypes: true })) {
      if (!folder.isDirectory()) continue
      const path = join(archive.root, 'Delgado', folder.name, 'checklist.json')
      writeFileSync(path, `${readFileSync(path, 'utf8')}\n`)
    }
    const { missing, renamed } = await verify(archive)
    expect(renamed).toEqual([])
    expect(missing.length).toBeGreaterThan(0)
    expect(await repair(archive)).toMatchObject({ missing: [], renamed: [] })
    expect(readFiles(archive.root).size).toBeGreaterThan(files)
    expect(existsSync(join(archive.root, 'Delgado', checklist))).toBe(true)
  })

  it('behind a link, is not entered', async () => {
    const archive = sharedArchive()
    const { project } = namesIn(archive)
    const outside = join(dirname(archive.home), 'outside')
    renameSync(join(archive.root, project), outside)
    symlinkSync(outside, join(archive.root, 'Delgado'))
    const { missing, renamed } = await verify(archive)
    expect(renamed).toEqual([])
    expect(missing.length).toBeGreaterThan(0)
  })
})
