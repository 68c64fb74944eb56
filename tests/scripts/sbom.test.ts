import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cloneFolder } from '../headless/run-solarchive.ts'

interface Component {
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
}

test('the bill of materials lists every locked package, without a network and without naming a registry', () => {
  const env = { ...process.env, npm_config_registry: 'http://registry.invalid/' }
  const { status, stdout } = spawnSync(process.execPath, [join(cloneFolder, 'scripts', 'sbom.mjs')], {
    env,
    maxBuffer: 64 * 1024 * 1024,
  })
  expect(status).toBe(0)
  const bom = JSON.parse(stdout.toString()) as {
    readonly bomFormat: string
    readonly metadata: { readonly component: Component }
    readonly components: readonly Component[]
  }
  expect(bom.bomFormat).toBe('CycloneDX')
  expect(bom.metadata.component).toMatchObject({ type: 'application', name: 'solarchive' })
  const lock = JSON.parse(readFileSync(join(cloneFolder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { name?: string; version: string; integrity?: string }>>
  }
  const { '': _, ...packages } = lock.packages
  const locked = new Map<string, string | undefined>()
  for (const [path, { name = path.replace(/^.*node_modules\//, ''), version, integrity }] of Object.entries(packages)) {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    // A package that comes inside another one is locked without a hash there.
    locked.set(purl, locked.get(purl) ?? integrity)
  }
  expect(locked.size).toBeGreaterThan(500)
  expect(bom.components.map(({ purl }) => purl).sort()).toEqual([...locked.keys()].sort())
  for (const { name, version, purl, hashes = [] } of bom.components) {
    expect(decodeURIComponent(purl)).toBe(`pkg:npm/${name}@${version}`)
    const sums = hashes.map(({ content }) => `sha512-${Buffer.from(content, 'hex').toString('base64')}`)
    expect(sums).toEqual([locked.get(purl)].filter((sum) => sum !== undefined))
  }
  expect(bom.components.every(({ purl }) => purl.startsWith('pkg:npm/'))).toBe(true)
  expect(stdout.toString()).not.toMatch(/registry\.|127\.0\.0\.1|localhost/)
})
