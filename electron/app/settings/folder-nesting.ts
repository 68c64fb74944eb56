import type { Stats } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'

/** How an archive folder lies to the data folder. */
export type Nesting = 'apart' | 'same' | 'inside' | 'around'

/** Links are followed as far as there is something. Rejects where that cannot be looked at. */
export async function nestingOf(archiveFolder: string, homeFolder: string): Promise<Nesting> {
  const inside = await isInside(archiveFolder, homeFolder)
  const around = await isInside(homeFolder, archiveFolder)
  if (inside) return around ? 'same' : 'inside'
  return around ? 'around' : 'apart'
}

/** Whether `folder` is `above` or lies below it, links followed as far as there is something. */
export async function isInside(folder: string, above: string): Promise<boolean> {
  const way = relative(await trueWay(above), await trueWay(folder))
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

async function trueWay(folder: string): Promise<string> {
  const nearest = await nearestThere(folder)
  return join(await realpath(nearest), relative(nearest, folder))
}

/** The folder itself, or the nearest above it that is there. */
export async function nearestThere(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    if ((await statIfThere(path)) !== undefined || dirname(path) === path) return path
  }
}

/** Undefined where nothing is. */
export async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoCode(error) ?? '')) return undefined
    throw error
  }
}
