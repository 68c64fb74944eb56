import { createHash } from 'node:crypto'
import { lstat, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { CheckedEvidence, EvidenceReport } from '../../../shared/evidence.ts'
import { AppError } from '../../../shared/errors.ts'
import { type ChecksumEntry, parseChecksums } from '../archive/checksums.ts'
import { inFolder, lstatInside } from '../archive/inside-archive.ts'
import { evidenceFolder } from '../archive/layout.ts'
import { caseKey } from '../archive/safe-name.ts'
import { errnoCode, notFoundCodes, permissionErrorOf, toDiskError } from '../lib/fs/disk-error.ts'
import { withoutLinks } from '../lib/fs/is-within.ts'
import { copiesFolder, isEvidenceName, listEvidence, manifestName, readInside, stampName } from './evidence-folders.ts'
import { maxResponseBytes, readTimeStamp } from './time-stamp.ts'

/** Root manifests have a line for each project, copies one for each file of a project. */
const maxChecksumsBytes = 256 * 1024 * 1024

/** Problems that are listed; more of one folder say nothing new. */
const maxProblems = 100

/**
 * Checks evidence on the disk, and changes nothing: each folder's copies against its root manifest, which has to list
 * all of them, and its time stamp against both. `path` is an archive, its folder of evidence, or a folder in that, or a
 * link to one. No link below it is followed. Throws `wrong-usage` if there is no evidence, and disk errors.
 */
export async function verifyEvidence(path: string, signal: AbortSignal): Promise<EvidenceReport> {
  try {
    const { base, names } = await findEvidence(await leadsTo(resolve(path)))
    const folders: CheckedEvidence[] = []
    for (const name of names) folders.push(await checkFolder(base, name, signal))
    const found = folders.filter(({ state }) => state !== 'incomplete')
    return { path: base, ok: found.length > 0 && found.every(({ state }) => state === 'stamped'), folders }
  } catch (error) {
    signal.throwIfAborted()
    const refusal = permissionErrorOf(error)
    if (refusal !== undefined) throw mayNotRead(await refusedAt(refusal.path ?? path), error)
    throw toDiskError(error, 'read the evidence')
  }
}

const isFolder = async (path: string) => (await lstat(path).catch(() => undefined))?.isDirectory() === true
const isFile = async (file: string) => (await lstat(file).catch(() => undefined))?.isFile() === true

/** Returns the path, or the nearest folder above it that can be found: that one may not be entered. */
async function refusedAt(path: string): Promise<string> {
  const isFound = (await lstat(path).catch(() => undefined)) !== undefined
  return isFound || dirname(path) === path ? path : refusedAt(dirname(path))
}

function mayNotRead(path: string, cause: unknown): AppError {
  return new AppError(
    'disk-error',
    `You have no permission to read ${path}, so it is not known whether the evidence is intact. Run the command as a ` +
      'user who may read it, or change the permissions.',
    { cause },
  )
}

/** Returns the folder that a path leads to if it is a link; below it, none is followed. */
async function leadsTo(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true
  return isLink ? withoutLinks(path).catch(() => path) : path
}

async function findEvidence(path: string): Promise<{ readonly base: string; readonly names: readonly string[] }> {
  // A folder of evidence, also one that was copied under another name, and also without a list that was deleted.
  const isEvidence =
    (await isFile(join(path, stampName))) ||
    (isEvidenceName(basename(path)) &&
      ((await isFile(join(path, manifestName))) || (await isFolder(join(path, copiesFolder)))))
  if (isEvidence) return { base: dirname(path), names: [basename(path)] }
  for (const folder of [evidenceFolder, '']) {
    const names = await listEvidence(path, folder)
    if (names.length > 0) return { base: join(path, folder), names }
  }
  await requireFolder(path)
  throw new AppError(
    'wrong-usage',
    `There is no evidence in ${path}. "evidence stamp" creates it, in the folder ${evidenceFolder} of the archive.`,
  )
}

/** Throws `wrong-usage` for a path without a folder, and errors of the disk. */
async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    if (notFoundCodes.has(errnoCode(error) ?? '')) return undefined
    throw error
  })
  if (found?.isDirectory() === true) return
  const problem = found === undefined ? `There is no folder ${path}.` : `${path} is not a folder.`
  throw new AppError(
    'wrong-usage',
    `${problem} Name the folder of an archive, its ${evidenceFolder}, or one folder in that. If it is on a drive or ` +
      'share, connect it.',
  )
}

async function checkFolder(base: string, name: string, signal: AbortSignal): Promise<CheckedEvidence> {
  const problems: string[] = []
  const none = { folder: name, stampedAt: null, signedBy: null, projects: 0, files: 0 }
  const manifest = await readInside(base, [name, manifestName], maxChecksumsBytes).catch(emptyIfTooLarge)
  if (manifest === undefined) {
    return (await isFile(join(base, name, stampName)))
      ? { ...none, state: 'damaged', problems: [`${manifestName} is missing.`] }
      : { ...none, state: 'incomplete', problems: [`${manifestName} is missing: it was not written completely.`] }
  }
  const { entries, badLines } = parseChecksums(manifest.toString())
  if (badLines.length > 0 || entries.length === 0) problems.push(`${manifestName} is not a list of checksums.`)
  let files = 0
  for (const { path, sha256 } of entries) {
    signal.throwIfAborted()
    const lines = await countIntact(base, [name, ...path.split('/')], sha256)
    if (lines === undefined) problems.push(`${path} is missing or changed.`)
    else files += lines
  }
  // Without a list, nothing says which copies were added.
  const unlisted = entries.length === 0 ? [] : await findUnlisted(base, name, entries)
  for (const path of unlisted) {
    problems.push(`${path} is not in ${manifestName}, so it was added later and proves nothing. Remove it.`)
  }
  const found = { ...none, projects: entries.length, files }
  const response = await readInside(base, [name, stampName], maxResponseBytes).catch(emptyIfTooLarge)
  if (response === undefined) {
    const state = problems.length > 0 ? 'damaged' : 'not-stamped'
    return { ...found, state, problems: [...problems.slice(0, maxProblems), `${stampName} is missing.`] }
  }
  try {
    const { at, signedBy } = await readTimeStamp(response, manifest)
    const state = problems.length > 0 ? 'damaged' : 'stamped'
    return { ...found, state, stampedAt: at, signedBy, problems: problems.slice(0, maxProblems) }
  } catch (error) {
    const why = `${stampName} is not a valid time stamp of ${manifestName}: it ${error instanceof Error ? error.message : ''}.`
    return { ...found, state: 'damaged', problems: [...problems.slice(0, maxProblems), why] }
  }
}

/** Returns the bytes that stand for a file that is too large to be what its name says. */
function emptyIfTooLarge(error: unknown): Buffer {
  if (error instanceof RangeError) return Buffer.alloc(0)
  throw error
}

/** Returns the copies that the root manifest does not list, behind links as well. Throws disk errors. */
async function findUnlisted(base: string, name: string, entries: readonly ChecksumEntry[]): Promise<string[]> {
  const pathOf = (project: string) => `${copiesFolder}/${project}/${manifestName}`
  const projects = await inFolder(base, [name, copiesFolder], (path) => readdir(path)).catch((error: unknown) => {
    if (notFoundCodes.has(errnoCode(error) ?? '')) return []
    throw error
  })
  const found = new Set(projects.map(pathOf))
  const listed = new Set(entries.map(({ path }) => path))
  // Some disks return names in another Unicode form than the one that they were created with.
  const returnedOtherwise = new Set([...listed].filter((path) => !found.has(path)).map(caseKey))
  const unlisted: string[] = []
  for (const path of [...found].sort()) {
    if (listed.has(path) || returnedOtherwise.has(caseKey(path))) continue
    const isThere = await lstatInside(base, [name, ...path.split('/')]).then(
      (file) => file !== undefined,
      (error: unknown) => {
        if (errnoCode(error) !== 'ELOOP') throw error
        return true
      },
    )
    if (isThere) unlisted.push(path)
  }
  return unlisted
}

/**
 * Returns the number of lines of a copy, or undefined if it is missing, behind a link, larger than any copy, or
 * changed. Throws disk errors.
 */
async function countIntact(base: string, names: readonly string[], sha256: string): Promise<number | undefined> {
  try {
    const bytes = await readInside(base, names, maxChecksumsBytes)
    if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== sha256) return undefined
    return parseChecksums(bytes.toString()).entries.length
  } catch (error) {
    if (errnoCode(error) !== undefined) throw error
    return undefined
  }
}
