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
    readonly packages: Readonly<Record<string, { readonly version: string }>>
  }
  const listed = new Set(bom.components.map(({ name, version }) => `${name}@${version}`))
  for (const name of ['better-sqlite3', 'got', 'vue', 'pdfjs-dist', 'electron']) {
    expect(listed).toContain(`${name}@${lock.packages[`node_modules/${name}`]?.version}`)
  }
  expect(bom.components.every(({ purl }) => purl.startsWith('pkg:npm/'))).toBe(true)
  expect(stdout.toString()).not.toMatch(/registry\.|127\.0\.0\.1|localhost/)
})
