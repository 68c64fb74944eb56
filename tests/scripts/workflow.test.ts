import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cloneFolder } from '../headless/run-solarchive.ts'

const folder = join(cloneFolder, '.github', 'workflows')
const workflows = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))

test('every action of the workflows is pinned by the hash of a commit, with its version beside it', () => {
  const used = workflows.flatMap((text) => [...text.matchAll(/\buses:\s*(.*)$/gm)].map(([, action]) => action))
  expect(used.length).toBeGreaterThan(0)
  for (const action of used) expect(action).toMatch(/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
})

test('the workflow fails on known vulnerabilities of packages from moderate on, and keeps a bill of materials', () => {
  expect(workflows.join('\n')).toContain('npm audit --audit-level=moderate')
  expect(workflows.join('\n')).toContain('npm run --silent sbom')
})
