// Prints the software bill of materials: every package of package-lock.json, as CycloneDX JSON. Works offline.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

// Under npm this is npm's own script; another package manager sets it to its own.
const npmScript = process.env['npm_execpath']?.match(/.*npm-cli\.c?js$/)?.[0]
const [command, first] = npmScript === undefined ? ['npm', []] : [process.execPath, [npmScript]]
// Editors that the pages' kit could use, and that the pages do not use, name peers of other versions.
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
const bom = /** @type {{ metadata: { component: Record<string, unknown> } }} */ (JSON.parse(stdout.toString()))
const manifest = readFileSync(join(root, 'package.json'), 'utf8')
const { name, version } = /** @type {{ name: string, version: string }} */ (JSON.parse(manifest))
// npm names the project after its folder.
Object.assign(bom.metadata.component, { type: 'application', name, version })
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`)
