// Prints the software bill of materials: every package of package-lock.json, as CycloneDX JSON. Works offline.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

// Under npm this is npm's own script; another package manager sets it to its own.
const npmScript = process.env['npm_execpath']?.match(/.*npm-cli\.c?js$/)?.[0]
const [command, first] = npmScript === undefined ? ['npm', []] : [process.execPath, [npmScript]]
// Editors that the pages' kit could use, and that the pages do not use, name peers of other versions, which npm refuses
// to list. With this option it leaves out packages that are installed only as peers; they are added below.
const peers = '--legacy-peer-deps'
const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--offline', peers, '--loglevel=error']
const { status, stdout } = spawnSync(command, [...first, ...args], {
  cwd: root,
  maxBuffer: 256 * 1024 * 1024,
  shell: npmScript === undefined && process.platform === 'win32',
  stdio: ['ignore', 'pipe', 'inherit'],
})
if (status !== 0) {
  console.error('npm could not list the packages; see its message above. "npm sbom" needs npm 9.5 or newer.')
  process.exit(1)
}
/** @typedef {{ metadata: { component: Record<string, unknown> }, components: Record<string, unknown>[] }} Bom */
const bom = /** @type {Bom} */ (JSON.parse(stdout.toString()))
const manifest = readFileSync(join(root, 'package.json'), 'utf8')
const { name, version } = /** @type {{ name: string, version: string }} */ (JSON.parse(manifest))
// npm names the project after its folder.
Object.assign(bom.metadata.component, { type: 'application', name, version })

const lock = /** @type {{ packages: Record<string, LockedPackage> }} */ (
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
)
const listed = new Set(bom.components.map((component) => component['bom-ref']))
for (const [path, locked] of Object.entries(lock.packages)) {
  const component = path === '' ? undefined : componentOf(path, locked)
  if (component === undefined || listed.has(component['bom-ref'])) continue
  listed.add(component['bom-ref'])
  bom.components.push(component)
}
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`)

/**
 * @typedef {{
 *   name?: string
 *   version: string
 *   integrity?: string
 *   license?: string
 *   dev?: boolean
 *   optional?: boolean
 *   devOptional?: boolean
 * }} LockedPackage
 */

/**
 * Returns a package of package-lock.json as a component, in the form of npm's own.
 *
 * @param {string} path
 * @param {LockedPackage} locked
 */
function componentOf(path, { name, version, integrity = '', license, dev, optional, devOptional }) {
  const fullName = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const hash = /^sha512-(.+)$/.exec(integrity)?.[1]
  return {
    'bom-ref': `${fullName}@${version}`,
    type: 'library',
    name: fullName,
    version,
    scope: dev || optional || devOptional ? 'optional' : 'required',
    purl: `pkg:npm/${fullName.replace('@', '%40')}@${version}`,
    ...(dev ? { properties: [{ name: 'cdx:npm:package:development', value: 'true' }] } : {}),
    hashes: hash === undefined ? [] : [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    // Only a single license has no space in its SPDX expression.
    ...(license === undefined
      ? {}
      : { licenses: [license.includes(' ') ? { expression: license } : { license: { id: license } }] }),
  }
}
