// Writes the manual page that the packages install; electron-builder.yml runs it before it packs the app.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export default function writeManualPage() {
  const page = execFileSync(process.execPath, [join(root, 'electron/headless/solarchive.mjs'), 'man'])
  writeFileSync(join(root, 'out/solarchive.1'), page)
}
