import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'

const run = promisify(execFile)
const script = resolve(import.meta.dirname, '..', '..', 'scripts', 'cli.mjs')

/** Replaces the bundler: the bundle of one file is that file. */
const fakeBundler = `
import { cpSync, existsSync, mkdirSync } from 'node:fs'
const [, , input, folder] = process.argv
if (existsSync('fail')) process.exit(1)
mkdirSync(folder)
cpSync(input, folder + '/main.js')
`

const program = (text: string) => `export function runMain() { console.log('${text}', process.argv.slice(2).join()) }`

let clone: string

beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'solarchive-cli-script-'))
  await put('package.json', '{ "type": "module" }')
  await put('package-lock.json', '{}')
  await put('shared/errors.ts', '')
  await put('scripts/bundle.mjs', fakeBundler)
  await put('electron/headless/main.ts', program('first'))
  await put('electron/headless/solarchive.mjs', "import { runMain } from './main.ts'\nrunMain()")
  await cp(script, join(clone, 'scripts', 'cli.mjs'))
})

afterEach(() => rm(clone, { recursive: true, force: true }))

async function put(path: string, text: string) {
  await mkdir(dirname(join(clone, path)), { recursive: true })
  await writeFile(join(clone, path), text)
}

const bundles = () => readdir(join(clone, 'out', 'cli'))

async function runCli() {
  const { stdout } = await run(process.execPath, [join(clone, 'scripts', 'cli.mjs'), 'status', '--json'])
  return stdout.trim()
}

test('the command line of a clone is bundled once, and again after a change of its sources', async () => {
  expect(await runCli()).toBe('first status,--json')
  expect(await runCli()).toBe('first status,--json')
  expect(await bundles()).toHaveLength(1)
  await put('electron/headless/main.ts', program('other'))
  expect(await runCli()).toBe('other status,--json')
  // A running command may still need a part of the first one.
  expect(await bundles()).toHaveLength(2)
  await rm(join(clone, 'shared', 'errors.ts'))
  expect(await runCli()).toBe('other status,--json')
  expect(await bundles()).toHaveLength(3)
})

test('two commands at once make one bundle', async () => {
  expect(await Promise.all([runCli(), runCli()])).toEqual(['first status,--json', 'first status,--json'])
  expect((await bundles()).filter((name) => !/\.\d+$/.test(name))).toHaveLength(1)
})

test('a command line that cannot be bundled runs from its sources', async () => {
  await put('fail', '')
  expect(await runCli()).toBe('first status,--json')
  await rm(join(clone, 'fail'))
  // As in a clone that this user may not write into.
  await rm(join(clone, 'out'), { recursive: true, force: true })
  await symlink('/dev/null', join(clone, 'out'))
  expect(await runCli()).toBe('first status,--json')
})
