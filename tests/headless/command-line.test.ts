import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandName } from '../../electron/headless/program.ts'
import { nodeProblem } from '../../electron/headless/node-version.mjs'
import { start } from '../../electron/headless/start.ts'
import { withoutPrivileges } from '../engine/archive/folder-test.ts'
import { runMain, startInProcess } from '../support/run-main.ts'
import { runSolarchive } from './run-solarchive.ts'

let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'solarchive-cli-'))
})

afterAll(() => rm(home, { recursive: true, force: true }))

/** A Node on this machine's PATH that Solarchive cannot run on. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .find(
    (path) => existsSync(path) && nodeProblem(execFileSync(path, ['-p', 'process.versions.node']).toString().trim()),
  )

describe('an old Node version', () => {
  test.each(['12.22.0', '18.20.8', '20.20.2', '22.18.0'])('%s is recognized', (version) => {
    expect(nodeProblem(version)).toContain(`Solarchive needs Node 22.19 or newer, and this is Node ${version}.`)
  })

  test.each(['22.19.0', '24.0.0', '100.1.0'])('%s is accepted as new enough', (version) => {
    expect(nodeProblem(version)).toBeUndefined()
  })

  test('ends with 2 and says so', async () => {
    const stub = join(home, 'old.mjs')
    await writeFile(
      stub,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.0.0' } })",
    )
    const { exitCode, stdout, stderr } = await runSolarchive([], { nodeArgs: ['--import', stub] })
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain('needs Node 22.19 or newer, and this is Node 18.0.0.')
  })

  test.skipIf(oldNode === undefined)('of this machine ends with 2 and says so', async () => {
    const { exitCode, stderr } = await runSolarchive(['status'], { node: oldNode! })
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^Solarchive needs Node 22\.19 or newer, and this is Node [\d.]+\./)
  })
})

describe('the help', () => {
  test.each([
    [[]],
    [['projects']],
    [['projects', 'add']],
    [['projects', 'discover']],
    [['projects', 'list']],
    [['projects', 'remove']],
    [['sync']],
    [['serve']],
    [['status']],
    [['verify']],
    [['completion']],
    [['man']],
  ])('of %j has its options and an example', async (command) => {
    const { exitCode, stdout, stderr } = await runMain([...command, '--help'])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/Examples?:\n {2}solarchive /)
    for (const option of [
      '--url',
      '--home',
      '--archive',
      '--api-rate',
      '--concurrency',
      '--json',
      '--quiet',
      '--sample',
    ]) {
      expect(stdout).toContain(option)
    }
  })

  test('lists the commands for orders, with a description of each', async () => {
    const { stdout } = await runMain(['orders', '--help'])
    for (const command of ['place', 'template', 'list', 'check', 'settle'])
      expect(stdout).toMatch(new RegExp(`^  ${command} .*[a-z]`, 'm'))
  })

  test('shows examples that can be copied, also in a clone', () => {
    expect(commandName({})).toBe('solarchive')
    expect(commandName({ npm_lifecycle_event: 'cli' })).toBe('npm run --silent cli --')
  })

  test('is shown for a missing command, which is wrong usage', async () => {
    const { exitCode, stdout, stderr } = await runMain([])
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain('Usage: solarchive')
    expect(stderr).toContain('A command is missing.')
  })

  test('of an unknown command says that it is unknown', async () => {
    const { exitCode, stderr } = await runMain(['help', 'foo'])
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("Unknown command 'foo'.")])
  })

  test.each([
    [['export', '--nonsense'], /"solarchive export --help" lists the options\.\n$/],
    [['orders', 'plaec'], /"solarchive orders --help" lists the commands and options\.\n$/],
    [['projects', 'add', '--file'], /"solarchive projects add --help" lists the options\.\n$/],
    [['sync', '--home'], /"solarchive sync --help" lists the options\.\n$/],
  ])('of %j is named by the error', async (args, text) => {
    const { exitCode, stderr } = await runMain(args)
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(text)])
  })
})

test.each([['--version'], ['sync', '--help'], ['no-such-command']])(
  '%s is answered before the engine and its libraries are loaded',
  async (...args) => {
    const hooks = join(home, 'loaded.mjs')
    await writeFile(
      hooks,
      `import { registerHooks } from 'node:module'
      const loaded = new Set()
      registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context) } })
      process.on('exit', () => console.error([...loaded].join('\\n')))`,
    )
    const { stderr } = await runSolarchive(args, { nodeArgs: ['--import', pathToFileURL(hooks).href] })
    expect(stderr).toContain('/commander/')
    expect(stderr).not.toMatch(/better-sqlite3|\/got\/|\/pino\/|open-reader|create-engine|open-session/)
  },
)

test('the version is that of the package', async () => {
  expect((await runMain(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

describe('wrong usage', () => {
  test.each([
    [['synch'], "Unknown command 'synch' (Did you mean sync?)"],
    [['sync', '--bogus'], "Unknown option '--bogus'"],
    [['projects', 'add'], 'Name the projects to add by their IDs'],
    [['projects', 'add', 'a/b'], '"a/b" cannot be added: the ID has a slash in it.'],
    [['projects', 'add', 'a', 'b', '--name', 'N'], '--name and --address go with one project ID.'],
    [['projects', 'add', 'a', '--name', ' '], '--name needs a value.'],
    [['projects', 'add', 'a', '--address', 'x'.repeat(501)], '--address has at most 500 characters.'],
    [['orders', 'settle', '1', '--placed', '--service-id', ''], '--service-id needs a value.'],
    [['projects', 'add', 'a', '--file', 'x.csv'], 'Use either project IDs or --file, not both.'],
    [['projects', 'add', '--file', ''], '--file needs a value.'],
    [
      ['projects', 'add', ...Array.from({ length: 10_001 }, (_, i) => `p${i}`)],
      'Add at most 10,000 projects at a time.',
    ],
    [['serve', '--host', ' '], '--host needs a value.'],
    [['projects', 'add', '--file', 'not-there.csv'], 'The list not-there.csv does not exist.'],
    [['projects', 'remove'], "Missing required argument 'ID'"],
    [['watch', 'x'], 'Too many arguments'],
    [['sync', '--api-rate', 'fast'], '--api-rate must be a whole number'],
    [['--concurrency', '65', 'sync'], '--concurrency must be a whole number, from 1 to 64'],
    [['sync', '--url'], "Option '--url <address>' argument missing"],
    [['sync', '--url', 'nowhere'], '--url must be an address'],
  ])('%j ends with 2 and a message', async (args, message) => {
    const { exitCode, stdout, stderr } = await runMain(args, { env: { SOLARCHIVE_HOME: home } })
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/^ +at /m)
  })

  test('with --json is one JSON document on stdout, and the message on stderr', async () => {
    const { exitCode, stdout, stderr } = await runMain(['sync', '--bogus', '--json'])
    expect(exitCode).toBe(2)
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } }
    expect(error.code).toBe('wrong-usage')
    expect(stderr).toBe(`${error.message}\n`)
  })

  test.each([
    ['watch'],
    ['watch', '--bogus'],
    ['serve', '--port', 'x'],
    ['watch', '--token=x'],
    ['--bogus', 'watch'],
    ['--api-rate', '5', '--bogus', 'serve'],
  ])('of a command that prints events (%s) is one line', async (...args) => {
    const { exitCode, stdout } = await runMain([...args, '--json'], { env: { SOLARCHIVE_HOME: home } })
    expect([exitCode, stdout]).toEqual([2, expect.stringMatching(/^\{"error":\{"code":"wrong-usage",.*\}\}\n$/)])
  })

  test.each([['--token=canary-token'], ['--token', 'canary-token'], ['--access-token=canary-token']])(
    'a token as an option (%s) is refused with the reason and the alternative, and not repeated',
    async (...args) => {
      const { exitCode, stdout, stderr } = await runMain(['sync', ...args, '--json'])
      expect(exitCode).toBe(2)
      expect(stderr).toContain('There is no option for the access token')
      expect(stderr).toContain('SOLARCHIVE_TOKEN')
      expect(stdout + stderr).not.toContain('canary')
    },
  )

  test.each([['status'], ['verify'], ['sync', '--api-rate'], ['orders', 'settle', '1'], []])(
    'with the token among the arguments (%s) does not repeat it, wherever the token is set',
    async (...args) => {
      const token = 'canary-0123456789'
      const fromEnvironment = { env: { SOLARCHIVE_HOME: home, SOLARCHIVE_TOKEN: token } }
      await writeFile(join(home, 'token'), `${token}\n`, { mode: 0o600 })
      const runs = await Promise.all([
        runMain([...args, token, '--json'], { env: { SOLARCHIVE_HOME: home } }),
        runMain(['--home', home, ...args, token, '--json']),
        runMain([...args, token, '--json'], fromEnvironment),
      ])
      for (const { exitCode, stdout, stderr } of runs) {
        expect(exitCode).toBe(2)
        expect(stderr).toContain('[secret]')
        expect(stdout + stderr).not.toContain('canary')
      }
    },
  )

  test('npm start takes one option', async () => {
    const { exitCode, stderr } = await startInProcess((io) => start(['--port', '1'], io)).ended
    expect(exitCode).toBe(2)
    expect(stderr).toContain('"npm start" takes one option, --own')
  })

  test('a data folder that cannot be created ends with 2 and says how to choose another', async () => {
    const file = join(home, 'a file')
    await writeFile(file, '')
    const { exitCode, stderr } = await runMain(['status', '--home', file])
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`The data folder ${file} cannot be created (EEXIST).`)
  })

  test.skipIf(process.platform === 'win32')(
    'a data folder without access ends with a message that says what to do, and works again with access',
    async () => {
      const folder = join(home, 'data')
      const add = () => runMain(['--home', folder, 'projects', 'add', 'p-1'])
      expect((await add()).exitCode).toBe(0)
      await chmod(folder, 0o555)
      await withoutPrivileges(home, async () => {
        const { exitCode, stdout, stderr } = await add()
        expect([exitCode, stdout]).toEqual([1, ''])
        expect(stderr).toBe(
          `Solarchive may not write to the data folder ${folder}, or to a file in it, so nothing more can be ` +
            'recorded. Archived files and everything recorded so far are unchanged. Give the user that runs ' +
            'Solarchive read and write access to the folder and all files in it, or choose another data folder. ' +
            '--home sets the data folder.\n',
        )
      })
      await chmod(folder, 0o000)
      await withoutPrivileges(home, async () => {
        const { exitCode, stderr } = await add()
        expect(exitCode).toBe(2)
        expect(stderr).toContain('settings.json cannot be read (EACCES). Give the user that runs Solarchive access')
      })
      await chmod(folder, 0o700)
      expect((await add()).exitCode).toBe(0)
    },
  )

  test.runIf(process.platform === 'linux')(
    'a folder that can never be created ends with 2 and a message, as data folder and as archive',
    async () => {
      const nowhere = '/proc/solarchive/folder'
      const asHome = await runMain(['--home', nowhere, 'status'])
      expect([asHome.exitCode, asHome.stdout]).toEqual([2, ''])
      expect(asHome.stderr).toContain(`The data folder ${nowhere} cannot be created (ENOENT).`)

      const ownHome = join(home, 'own')
      const env = { SOLARCHIVE_TOKEN: 'a-token' }
      await runMain(['--home', ownHome, 'projects', 'add', 'p-1'], { env })
      const asArchive = await runMain(['--home', ownHome, '--archive', nowhere, 'sync'], { env })
      expect([asArchive.exitCode, asArchive.stdout]).toEqual([2, ''])
      expect(asArchive.stderr).toContain(`Solarchive could not open the archive folder ${nowhere}`)
      expect(asArchive.stderr).toContain('the archive folder was not found')
      for (const [path, why] of [
        [join(home, 'a-file'), 'is not a folder. Nothing was changed.'],
        [join(home, 'x'.repeat(300)), 'is too long for this disk'],
      ] as const) {
        await writeFile(join(home, 'a-file'), 'a file')
        const { exitCode, stderr } = await runMain(['--home', ownHome, '--archive', path, 'sync'], { env })
        expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why)])
      }
    },
  )

  test('an invalid settings.json ends with 2, with the file, the key, and the allowed values', async () => {
    await writeFile(join(home, 'settings.json'), '{"concurrency": 100}')
    const { exitCode, stderr } = await runMain(['status', '--home', home])
    expect(exitCode).toBe(2)
    expect(stderr).toBe(`${join(home, 'settings.json')}: "concurrency" must be a whole number from 1 to 64.\n`)
  })
})
