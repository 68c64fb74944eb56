import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { dirname, extname, join, sep } from 'node:path'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

/**
 * Returns the folder of Solarchive's own package.json and resources, from the sources as well as from the built app.
 * The bundle of a clone's command line has a package.json, too.
 */
export function productFolder(): string {
  const isProduct = (folder: string) => ['package.json', 'resources'].every((name) => existsSync(join(folder, name)))
  let folder = import.meta.dirname
  while (!isProduct(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

/** Returns the folder that `npm run build` writes the renderer to. */
export function rendererFolder(): string {
  return join(productFolder(), 'out', 'renderer')
}

export interface PageFile {
  readonly mediaType: string
  readonly body: Buffer<ArrayBuffer>
}

/** Paths of the files below each folder, from the root `/`. */
const listings = new Map<string, ReadonlySet<string>>()

/**
 * Reads a file of the built renderer, such as `/index.html`. Only files that its folder lists are read, so that no path
 * leads outside. The app's own routes, which have no extension, get `index.html`. Returns undefined if there is no such
 * file.
 */
export async function readPageFile(folder: string, path: string): Promise<PageFile | undefined> {
  const found = findPage(listings.get(folder), path) ?? findPage(await list(folder), path)
  if (found === undefined) return undefined
  try {
    const body = await readFile(join(folder, found))
    return { mediaType: types[extname(found)] ?? 'application/octet-stream', body }
  } catch (error) {
    // A later build has replaced it.
    if (errnoCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function findPage(files: ReadonlySet<string> | undefined, path: string): string | undefined {
  if (files?.has(path) === true) return path
  return extname(path) === '' && files?.has('/index.html') === true ? '/index.html' : undefined
}

async function list(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll(sep, '/'))
  const listing = new Set(files)
  listings.set(folder, listing)
  return listing
}
