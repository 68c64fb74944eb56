import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readFiles } from '../../support/sample-archive.ts'

/**
 * Returns what a program prints, or null where it is not installed, which is then printed. Throws if it fails, and if
 * it is missing in GitHub Actions on Linux, which installs it.
 */
export function judge(program: string, args: readonly string[], cwd?: string): string | null {
  const ended = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, ...(cwd && { cwd }) })
  if (ended.error !== undefined && 'code' in ended.error && ended.error.code === 'ENOENT') {
    if (process.platform === 'linux' && process.env['GITHUB_ACTIONS'] !== undefined)
      throw new Error(`${program} is not installed`)
    process.stderr.write(`Not validated by ${program}, which is not installed here; see docs/testing.md.\n`)
    return null
  }
  if (ended.status !== 0) throw new Error(`${program} ended with ${ended.status}: ${ended.stdout}${ended.stderr}`)
  return ended.stdout + ended.stderr
}

/**
 * Returns what is wrong with a bag, by every MUST of RFC 8493, sections 2 and 5, that concerns a complete bag with
 * manifests of SHA-256 alone. It shares nothing with the exporter.
 */
export function findBagProblems(bag: string): string[] {
  const problems: string[] = []
  const files = readFiles(bag)
  const text = (name: string) => files.get(name)?.toString('utf8') ?? ''
  const hashOf = (name: string) =>
    createHash('sha256')
      .update(files.get(name) ?? '')
      .digest('hex')
  const payload = [...files.keys()].filter((name) => name.startsWith('data/'))
  const tags = [...files.keys()].filter((name) => !name.startsWith('data/'))

  // 2.1.1: exactly these two lines, in UTF-8 without a byte order mark.
  const declaration = /^BagIt-Version: (\d+\.\d+)\r?\nTag-File-Character-Encoding: (\S+)(?:\r?\n)?$/.exec(
    text('bagit.txt'),
  )
  if (declaration === null) problems.push('bagit.txt is not a declaration')
  if (declaration?.[1] !== '1.0') problems.push('the version is not 1.0')
  if (declaration?.[2] !== 'UTF-8') problems.push('the encoding is not UTF-8')
  // 2.1.2 and 2.1.3: a payload folder, also without files, and at least one manifest of it.
  if (!statSync(join(bag, 'data'), { throwIfNoEntry: false })?.isDirectory()) problems.push('there is no folder data')
  if (!files.has('manifest-sha256.txt')) problems.push('there is no payload manifest')

  const readManifest = (name: string): Map<string, string> => {
    const entries = new Map<string, string>()
    for (const line of text(name).split(/\r\n|\r|\n/)) {
      if (line === '') continue
      const [, sum = '', encoded = ''] = /^([0-9a-fA-F]+)[ \t]+\*?(.+)$/.exec(line) ?? []
      if (sum.length !== 64) problems.push(`${name} has a wrong line: ${line}`)
      // Only LF, CR, and % are encoded; any other % is a mistake.
      if (/%(?!0A|0D|25)/i.test(encoded)) problems.push(`${name} has a wrong escape: ${encoded}`)
      const path = encoded.replace(/%(0A|0D|25)/gi, (escape) => decodeURIComponent(escape))
      if (/^[/~]|(^|\/)\.{1,2}(\/|$)/.test(path)) problems.push(`${name} leads out of the bag: ${path}`)
      if (entries.has(path)) problems.push(`${name} lists a file twice: ${path}`)
      entries.set(path, sum.toLowerCase())
    }
    return entries
  }
  const compare = (name: string, expected: readonly string[]) => {
    const entries = readManifest(name)
    for (const path of expected) if (!entries.has(path)) problems.push(`${name} lacks ${path}`)
    for (const [path, sum] of entries) {
      if (!files.has(path)) problems.push(`${name} lists ${path}, which is missing`)
      else if (hashOf(path) !== sum) problems.push(`${path} differs from ${name}`)
    }
    return entries
  }
  // 2.1.3 and 3: every payload file is in the manifest, and nothing else.
  for (const path of compare('manifest-sha256.txt', payload).keys()) {
    if (!path.startsWith('data/')) problems.push(`the payload manifest lists ${path}`)
  }
  // 2.2.1: a tag manifest lists the other tag files, neither itself nor payload.
  const listed = compare(
    'tagmanifest-sha256.txt',
    tags.filter((name) => !name.startsWith('tagmanifest-')),
  )
  for (const path of listed.keys()) {
    if (path.startsWith('data/') || path.startsWith('tagmanifest-')) problems.push(`the tag manifest lists ${path}`)
  }
  // 2.2.2: labels, a colon, and values; each of these at most once, and as specified.
  const info = text('bag-info.txt')
    .replace(/\r\n|\r/g, '\n')
    .split('\n')
    .filter((line) => line !== '')
  const values = new Map<string, string[]>()
  for (const line of info) {
    const [, label = '', value = ''] = /^([^:\s][^:]*):[ \t]+(.+)$/.exec(line) ?? []
    if (label === '') problems.push(`bag-info.txt has a wrong line: ${line}`)
    values.set(label.toLowerCase(), [...(values.get(label.toLowerCase()) ?? []), value])
  }
  const octets = payload.reduce((sum, name) => sum + (files.get(name)?.length ?? 0), 0)
  if (values.get('payload-oxum')?.join() !== `${octets}.${payload.length}`) problems.push('the Payload-Oxum is wrong')
  const [date = '', ...others] = values.get('bagging-date') ?? []
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || others.length > 0) problems.push('the Bagging-Date is wrong')
  return problems
}

/** Has `sha256sum` check a list in a folder. */
export function checkSums(folder: string, list: string): void {
  judge('sha256sum', ['-c', '--quiet', '--strict', list], folder)
}

/** Returns the hashes in a list of `sha256sum`, by path. */
export function readSums(folder: string, list: string): Map<string, string> {
  const lines = readFileSync(join(folder, list), 'utf8').split('\n').filter(Boolean)
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}
