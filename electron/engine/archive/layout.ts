import { AppError } from '../../../shared/errors.ts'
import { mediaExtensions } from './file-kind.ts'
import { cleanText, cutToBytes, maxNameBytes, safeName, splitExtension } from './safe-name.ts'

/**
 * Paths in the archive: a public format. Every path here is relative to the archive root and has `/` on
 * every platform. Components are limited to 100 bytes, whole paths are not: Windows' Explorer opens up to 260
 * characters, which names of usual length stay below.
 */

/** Name of the file with the checksums of all files in a project folder. */
export const checksumsFileName = 'SHA256SUMS'

/** Folder in the archive root with copies of the checksums of all projects, and time stamps of them. */
export const evidenceFolder = '.evidence'

/**
 * Number of characters of the id in a folder name: they distinguish folders with the same name and survive renaming at
 * the service.
 */
const idCharacters = 6

/** A number, from 1, and the label in a section's or question's folder name. */
export interface NumberedLabel {
  readonly number: number
  readonly label: string
}

/** `<Project name> [<last 6 of its id>]` */
export function projectFolderName(name: string | null, id: string): string {
  return safeName(name ?? '', { fallback: 'Project', suffix: idSuffix(id) })
}

/** `<Checklist title> [<last 6 of its id>]` */
export function checklistFolderName(title: string | null, id: string): string {
  return safeName(title ?? '', { fallback: 'Checklist', suffix: idSuffix(id) })
}

/** `01 Roof` */
export function sectionFolderName(section: NumberedLabel): string {
  return numberedName(section, 'Section')
}

/** `02 Ridge` */
export function questionFolderName(question: NumberedLabel): string {
  return numberedName(question, 'Question')
}

/**
 * Returns the file name of a photo, and of its thumbnail. The record's file name is text, never a path: of
 * `../a/IMG.jpg` and `C:\a\IMG.jpg` only the last part is used. A name without the extension of a photo or video gets
 * `.jpg`.
 */
export function photoFileName(filename: string | null): string {
  const name = lastPart(filename)
  return isMedia(name) ? name : safeName(`${name}.jpg`, photoName)
}

/** Returns whether the file name of a record has the extension of a photo or video. */
export function hasMediaExtension(filename: string | null): boolean {
  return isMedia(lastPart(filename))
}

const photoName = { fallback: 'photo', keepExtension: true }

function lastPart(filename: string | null): string {
  return safeName((filename ?? '').split(/[\\/]/).at(-1) ?? '', photoName)
}

function isMedia(name: string): boolean {
  return mediaExtensions.has(splitExtension(name)[1].toLowerCase())
}

export function checksumsPath(projectFolder: string): string {
  return `${projectFolder}/${checksumsFileName}`
}

export function reportPath(checklistFolder: string): string {
  return `${checklistFolder}/report.pdf`
}

export function checklistDocumentPath(checklistFolder: string): string {
  return `${checklistFolder}/checklist.json`
}

/** `<checklist>/photos/<NN section>/<NN question>`: the folder of a question's photos. */
export function photosFolder(checklistFolder: string, sectionFolder: string, questionFolder: string): string {
  return `${checklistFolder}/photos/${sectionFolder}/${questionFolder}`
}

/** `<checklist>/thumbnails/<NN section>/<NN question>`: its files are named like the photos. */
export function thumbnailsFolder(checklistFolder: string, sectionFolder: string, questionFolder: string): string {
  return `${checklistFolder}/thumbnails/${sectionFolder}/${questionFolder}`
}

/**
 * Returns the path to which a file is moved when it is replaced: `<checklist>/.versions/<UTC time>/<its path below the
 * checklist>`. Two replacements of one file within a second have the same path; `moveDurably` refuses the second.
 */
export function versionPath(checklistFolder: string, path: string, atIso: string): string {
  const at = new Date(atIso)
  if (Number.isNaN(at.getTime())) throw new AppError('internal', 'A replaced file came without a valid time.')
  // Colons are not allowed on Windows.
  const time = at
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  return `${checklistFolder}/.versions/${time}/${pathBelow(checklistFolder, path)}`
}

/** Returns the name under which a changed file is kept: ` (edited <date>)`, for which a long name is cut. */
export function quarantinedName(name: string, date: string): string {
  const [stem, extension] = splitExtension(name)
  const ending = ` (edited ${date})${extension}`
  return cutToBytes(stem, maxNameBytes - Buffer.byteLength(ending)) + ending
}

/** Returns a path relative to a folder. Throws `internal` if it is not below the folder. */
export function pathBelow(folder: string, path: string): string {
  if (path.startsWith(`${folder}/`)) return path.slice(folder.length + 1)
  throw new AppError('internal', 'A file of the archive is not in the folder that it belongs to.', {
    details: { folder, path },
  })
}

function idSuffix(id: string): string {
  const end = Array.from(cleanText(id)).slice(-idCharacters).join('')
  return ` [${end === '' ? '_' : end}]`
}

/**
 * Returns a name that starts with two digits from 01, or three from 100, so that folders sort in the order of the
 * checklist.
 */
function numberedName({ number, label }: NumberedLabel, fallback: string): string {
  const digits = String(number).padStart(2, '0')
  const name = safeName(`${digits} ${label}`, { fallback: digits })
  return name === digits ? `${digits} ${fallback}` : name
}
