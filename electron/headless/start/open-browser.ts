import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasDesktop, openFile } from '../file-manager.ts'
import type { Surroundings } from '../../app/settings/default-folders.ts'

/** Whether a browser can be opened for the person who started this. */
export function canOpenBrowser({ env, platform }: Pick<Surroundings, 'env' | 'platform'>): boolean {
  return !env['CI'] && hasDesktop({ env, platform })
}

/**
 * Opens an address in the person's browser, by way of a page that they alone can read: everybody on the machine can read the
 * arguments of a program, and the address lets one in. Answers how to take the page away; whether a browser came is not known.
 */
export async function openBrowser(
  address: string,
  folder: string,
  surroundings: Pick<Surroundings, 'env' | 'platform'>,
): Promise<() => Promise<void>> {
  const path = join(folder, 'open-solarchive.html')
  await rm(path, { force: true })
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(
      '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">' +
        `<title>Solarchive</title><meta http-equiv="refresh" content="0;url=${address}"></head>` +
        '<body><p>Opening Solarchive.</p></body></html>\n',
    )
  } finally {
    await file.close()
  }
  const remove = () => rm(path, { force: true })
  await openFile(surroundings, path).catch(remove)
  return remove
}
