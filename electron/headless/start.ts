import { join, resolve } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { serveCommand } from './commands/serve-command.ts'
import { exitCodes } from './exit-codes.ts'
import { type Host, type HostResult, runHost } from './run-host.ts'
import { resolveHomeFolder } from '../engine/hosting/settings/resolve-settings.ts'
import type { GlobalFlags } from './settings/read-flags.ts'
import { buildPages } from './start/build-pages.ts'
import { canOpenBrowser, openBrowser } from './start/open-browser.ts'
import { withInstallation } from './with-installation.ts'

const clone = resolve(import.meta.dirname, '..', '..')

/** `sample/` of the clone: git ignores it. */
const sampleFolderOfClone = join(clone, 'sample')

/** The first steps: opens the app in a browser, on the sample service, with data and archive in the folder. Until Ctrl+C. */
export async function start(
  args: readonly string[] = process.argv.slice(2),
  sampleFolder = sampleFolderOfClone,
): Promise<void> {
  await runHost({ json: false, quiet: false }, async (host) => {
    const { surroundings, output, signal } = host
    if (args.length > 0) {
      throw new AppError(
        'wrong-usage',
        '"npm start" takes no options. All commands and their options: npm run --silent cli -- --help',
      )
    }
    await buildPages(clone, () => output.note('Building the pages of the app, which takes a moment ...'), signal)
    const homeFolder = join(sampleFolder, 'data')
    const flags: GlobalFlags = { sample: true, home: homeFolder, archive: join(sampleFolder, 'archive') }
    let removePage: (() => Promise<void>) | undefined
    let isOpened = !canOpenBrowser(surroundings)
    const onAddress = (address: string) => {
      if (isOpened) return
      isOpened = true
      openBrowser(address, homeFolder, surroundings.platform).then(
        (remove) => {
          removePage = remove
        },
        // The address stands on the console.
        () => undefined,
      )
    }
    output.note('Solarchive on an embedded sample service: made-up sites, nothing leaves this machine.')
    try {
      const outcome = await withInstallation(host, { flags, servedAt: '127.0.0.1' }, (session) =>
        serveCommand(session, { listenOn: {}, onAddress }),
      )
      return { exitCode: outcome.exitCode, endsByStop: true }
    } finally {
      await removePage?.()
    }
  })
}
