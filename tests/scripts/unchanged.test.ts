import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rememberChecks, type Passable } from '../../scripts/unchanged.mjs'

/** A clone with one source file, whose checks do not depend on its documents. */
function makeClone() {
  const root = mkdtempSync(join(tmpdir(), 'solarchive-checks-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  execFileSync('git', ['init', '--quiet', root])
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('.gitignore', 'out/\nnode_modules/\n')
  write('source.ts', '1')
  write('docs/page.md', '1')
  const check: Passable = { name: 'a check', command: ['check.js'], ignores: ['docs/'] }
  /** Returns whether a new run leaves the check out, and lets it pass. */
  const pass = (which = check) => {
    const remembered = rememberChecks(root)
    const state = remembered.stateOf(which)
    const hasPassed = remembered.hasPassed(which, state)
    remembered.remember(which, state)
    return hasPassed
  }
  return { root, write, check, pass }
}

test('a check that passed is repeated after a change of a file that it depends on', () => {
  const { write, check, pass } = makeClone()
  expect(pass()).toBe(false)
  expect(pass()).toBe(true)
  write('docs/page.md', '2')
  expect(pass()).toBe(true)
  for (const path of ['source.ts', 'new.ts', 'node_modules/.package-lock.json']) {
    write(path, '2')
    expect(pass(), path).toBe(false)
    expect(pass(), path).toBe(true)
  }
  expect(pass({ ...check, command: ['check.js', '--strict'] })).toBe(false)
})

test('a check that failed is repeated', () => {
  const { root, check } = makeClone()
  const remembered = rememberChecks(root)
  expect(remembered.hasPassed(check, remembered.stateOf(check))).toBe(false)
  expect(remembered.hasPassed(check, remembered.stateOf(check))).toBe(false)
})

test('what a check wrote is written again after another program changed it', () => {
  const { root, write, check, pass } = makeClone()
  const build = { ...check, name: 'a build', outputs: ['out/app.js'] }
  write('out/app.js', 'built')
  expect(pass(build)).toBe(false)
  expect(pass(build)).toBe(true)
  utimesSync(join(root, 'out/app.js'), 1, 1)
  expect(pass(build)).toBe(false)
  rmSync(join(root, 'out/app.js'))
  const remembered = rememberChecks(root)
  expect(remembered.hasPassed(build, remembered.stateOf(build))).toBe(false)
})

test('without git, every check is repeated', () => {
  const { root, pass } = makeClone()
  rmSync(join(root, '.git'), { recursive: true })
  expect([pass(), pass()]).toEqual([false, false])
})
