import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, posix, relative, sep } from 'node:path'
import { parseChecksums } from '../../electron/engine/archive/checksums.ts'
import { archivedBy, type Ledger } from './ledger.ts'
import { sha256 } from './sample-archive.ts'
import type { ServedHistory } from './served-files.ts'
import { hasSha256sum } from './true-checksums.ts'

/** Files on disk: archive-relative path to SHA-256. Unfinished files are listed separately. */
interface Disk {
  readonly files: ReadonlyMap<string, string>
  readonly unfinished: readonly string[]
}

/** Lists that `sha256sum` has confirmed, each with its folder and without hashes. Every run of it is a process. */
const readable = new Set<string>()

/** Checks an archive after each end of the process that writes it. Every check returns its problems as sentences. */
export class ArchiveAudit {
  readonly #root: string
  readonly #history: ServedHistory
  /** Hashes of everything that the database ever recorded as archived; none of it may ever disappear. */
  readonly #committed: Set<string>
  /** Hashes cached by file metadata that every write changes, since thousands of files are checked after every kill. */
  readonly #known = new Map<string, string>()

  /** `committed` has the hashes of files archived before. */
  constructor(root: string, history: ServedHistory, committed: ReadonlySet<string> = new Set()) {
    this.#root = root
    this.#history = history
    this.#committed = new Set(committed)
  }

  /** Hashes of everything archived in any of the ledgers so far. */
  get committed(): ReadonlySet<string> {
    return new Set(this.#committed)
  }

  /** Checks after an end at any moment: rows and files match, and every file has the content of its name. */
  afterEnd(ledger: Ledger): string[] {
    return this.#check(ledger, this.#readDisk(true))
  }

  /**
   * Checks after a complete pass: also that nothing is unfinished, every file is in the database, SHA256SUMS is
   * complete and correct, and the archive has everything that is served.
   */
  atRest(ledger: Ledger, served: ReadonlyMap<string, string>): string[] {
    const disk = this.#readDisk(false)
    const archived = archivedBy(ledger)
    const inLedger = new Set([
      ...ledger.assets.filter(({ sha256 }) => sha256 !== null).map(({ path }) => path),
      ...[...ledger.versions, ...ledger.documents].map(({ path }) => path),
      ...ledger.projectFolders.map((folder) => `${folder}/SHA256SUMS`),
    ])
    return [
      ...this.#check(ledger, disk),
      ...disk.unfinished.map((path) => `left over: ${path}`),
      ...[...disk.files.keys()].filter((path) => !inLedger.has(path)).map((path) => `not in the database: ${path}`),
      ...[...inLedger].filter((path) => !disk.files.has(path)).map((path) => `not on the disk: ${path}`),
      ...ledger.documents
        .filter((document) => disk.files.get(document.path) !== document.sha256)
        .map(({ path }) => `differs from the database: ${path}`),
      ...[...served].filter(([path, hash]) => archived.get(path) !== hash).map(([path]) => `not archived: ${path}`),
      ...(ledger.jobs + ledger.replacements.length > 0 ? ['unfinished work is left'] : []),
      ...ledger.projectFolders.flatMap((folder) => this.#checkChecksums(folder, disk)),
    ]
  }

  #check(ledger: Ledger, disk: Disk): string[] {
    const problems = ledger.damages.map((damage) => `database: ${damage}`)
    const byPath = new Map(ledger.assets.map((asset) => [asset.path, asset]))
    const begun = new Map(ledger.replacements.map((replacement) => [replacement.assetId, replacement]))
    const versions = new Map(ledger.versions.map(({ path, sha256 }) => [path, sha256]))
    for (const { path } of ledger.replacements) versions.set(path, versions.get(path) ?? '')

    for (const { id, path, sha256, servedAt } of ledger.assets) {
      if (sha256 === null) continue
      this.#committed.add(sha256)
      if (!this.#history.wasServed(servedAt, sha256)) problems.push(`archived, but never served: ${path}`)
      const replacement = begun.get(id)
      const paths = replacement === undefined ? [path] : [path, replacement.path]
      if (!paths.some((candidate) => disk.files.get(candidate) === sha256)) problems.push(`lost or changed: ${path}`)
    }
    for (const { path, sha256 } of ledger.versions) {
      this.#committed.add(sha256)
      if (disk.files.get(path) !== sha256) problems.push(`lost or changed: ${path}`)
    }
    const there = new Set(disk.files.values())
    const gone = [...this.#committed].filter((hash) => !there.has(hash)).length
    if (gone > 0) problems.push(`${gone} files that were archived once are gone`)

    for (const [path, hash] of disk.files) {
      const name = basename(path)
      const asset = byPath.get(path)
      if (asset !== undefined) {
        if (!this.#history.wasServed(asset.servedAt, hash)) problems.push(`not what was served: ${path}`)
      } else if (name === 'SHA256SUMS' || name === 'checklist.json') {
        if (!isWhole(name, readFileSync(join(this.#root, path), 'utf8'))) problems.push(`torn: ${path}`)
      } else if (!versions.has(path)) {
        problems.push(`nobody's file: ${path}`)
      }
    }
    return problems
  }

  #checkChecksums(folder: string, disk: Disk): string[] {
    const text = readFileSync(join(this.#root, folder, 'SHA256SUMS'), 'utf8')
    const { entries } = parseChecksums(text)
    const listed = new Map(entries.map((entry) => [posix.join(folder, entry.path), entry.sha256]))
    const own = [...disk.files].filter(([path]) => path.startsWith(`${folder}/`) && !path.endsWith('/SHA256SUMS'))
    const isTrue = own.length === listed.size && own.every(([path, hash]) => listed.get(path) === hash)
    const problems = isTrue ? [] : [`SHA256SUMS of ${folder} does not match the files`]
    // The hashes are compared above. The tool only has to read each list once, whatever hashes and times are in it.
    const key = `${folder}\n${text}`.replaceAll(/[\da-f]{64}|\d/g, '')
    if (!hasSha256sum || problems.length > 0 || readable.has(key)) return problems
    const checked = spawnSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], {
      cwd: join(this.#root, folder),
      encoding: 'utf8',
    })
    if (checked.status === 0) readable.add(key)
    return checked.status === 0 ? [] : [`sha256sum -c fails: ${checked.stdout}${checked.stderr}`]
  }

  #readDisk(mayTrustTimes: boolean): Disk {
    const files = new Map<string, string>()
    const unfinished: string[] = []
    if (!existsSync(this.#root)) return { files, unfinished }
    for (const entry of readdirSync(this.#root, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) continue
      const absolute = join(entry.parentPath, entry.name)
      const path = relative(this.#root, absolute).split(sep).join('/')
      if (entry.name.endsWith('.part')) unfinished.push(path)
      else files.set(path, this.#hash(absolute, mayTrustTimes))
    }
    return { files, unfinished }
  }

  #hash(path: string, mayTrustTimes: boolean): string {
    const { ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true })
    const key = `${ino}:${size}:${mtimeNs}:${ctimeNs}`
    const known = mayTrustTimes ? this.#known.get(key) : undefined
    if (known !== undefined) return known
    const hash = sha256(readFileSync(path))
    this.#known.set(key, hash)
    return hash
  }
}

/** Returns whether a file that is only ever replaced as a whole is complete. */
function isWhole(name: string, text: string): boolean {
  if (name === 'SHA256SUMS') return parseChecksums(text).badLines.length === 0 && text.endsWith('\n')
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
