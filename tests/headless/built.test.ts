import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildRenderer } from '../e2e/support/built-renderer.ts'
import { cloneFolder } from './run-solarchive.ts'

const run = promisify(execFile)

const outFolder = join(cloneFolder, 'out')
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'solarchive-built-'))
  await buildRenderer(['electron', 'package.json'])
})

afterAll(() => rm(home, { recursive: true, force: true }))

function runBuilt(...args: string[]) {
  const built = pathToFileURL(join(outFolder, 'main', 'headless.js')).href
  const start = `await (await import(${JSON.stringify(built)})).runMain(${JSON.stringify(args)})`
  return run(process.execPath, ['--input-type=module', '--no-strip-types', '--eval', start], { cwd: home })
}

test('the built command line runs without the sources: the engine, its database, and the sample service', async () => {
  expect((await runBuilt('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  const { stdout } = await runBuilt('--sample', '--home', 'data', '--archive', 'archive', 'projects', 'list', '--json')
  const { projects } = JSON.parse(stdout) as { projects: unknown[] }
  expect(projects.length).toBeGreaterThan(0)
})

test('the built page keeps its strict content policy and loads its own files only', async () => {
  const page = await readFile(join(outFolder, 'renderer', 'index.html'), 'utf8')
  expect(page).toContain("default-src 'none'; script-src 'self'")
  for (const [, address] of page.matchAll(/(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^\.\//)
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/)
})
