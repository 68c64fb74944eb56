import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import type { ArchiveFolders } from './archive-folders.ts'
import { resolveInside } from './inside-archive.ts'
import { cutToBytes, maxNameBytes, splitExtension } from './safe-name.ts'
import { uniqueName } from './unique-name.ts'

/**
 * Moves a file that somebody changed to `<name> (edited <date>)` beside it, so that the original can take its name again:
 * what a person did is never destroyed. Answers where it is now.
 */
export async function setAside(folders: ArchiveFolders, path: string, nowIso: string): Promise<string> {
  const folder = posix.dirname(path)
  const [stem, extension] = splitExtension(posix.basename(path))
  const ending = ` (edited ${nowIso.slice(0, 10)})${extension}`
  const name = cutToBytes(stem, maxNameBytes - Buffer.byteLength(ending)) + ending
  const free = uniqueName(name, (candidate) => existsSync(resolveInside(folders.root, `${folder}/${candidate}`)))
  const aside = `${folder}/${free}`
  await folders.move(path, aside)
  return aside
}
