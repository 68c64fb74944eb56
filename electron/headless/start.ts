import { join, resolve } from 'node:path'
import { exitCodes } from '../../shared/error-policy.ts'
import { AppError } from '../../shared/errors.ts'
import { serveCommand, withInstallation } from './commands/serve.ts'
import type { Io } from './io.ts'
import { type Host, type HostResult, runHost } from './run-host.ts'
import { resolveHomeFolder } from '../app/settings/resolve-settings.ts'
import type { GlobalFlags } from './flags.ts'
import { buildPages } from './build-pages.ts'
import { findElectron, type FoundElectron, hasDisplay, runDesktop } from './electron-app.ts'
import { canOpenBrowser, openBrowser } from './system-programs.ts'
import { runProcess } from './run-process.ts'

const clone = resolve(import.meta.dirname, '..', '..')

/** `sample/` of the clone, which git ignores. */
const sampleFolderOfClone = join(clone, 'sample')

/** Option for the user's own service and folders instead of the sample's. */
const ownOption = '--own'

export interface StartOptions {
  readonly sampleFolder?: string
  readonly electron?: FoundElectron
}

/** The desktop app closes by itself within ten seconds; waiting for it preserves its exit code. */
const stopDeadlineMs = 12_000

/** Runs `npm start` as this process. `args` are the arguments after the script's name. */
export function runStart(args: readonly string[] = process.argv.slice(2), options?: StartOptions): Promise<void> {
  return runProcess((io) => start(args, io, options), { stopDeadlineMs })
}

/**
 * Runs the app on the sample service, with data and archive in `sampleFolder`, until Ctrl+C: in a window if there is an
 * Electron that can show one, else in a browser. With `--own` it uses the user's own service and folders.
 */
export async function start(
  args: readonly string[],
  io: Io,
  { sampleFolder = sampleFolderOfClone, electron = electronForWindows(io) }: StartOptions = {},
): Promise<number> {
  return runHost(io, { json: false, quiet: false }, async (host) => {
    const { output, signal } = host
    const isOwn = args[0] === ownOption
    if (args.length > (isOwn ? 1 : 0)) {
      throw new AppError(
        'wrong-usage',
        `"npm start" takes one option, ${ownOption}: your own service instead of the sample service ` +
          `(npm start -- ${ownOption}). All commands and their options: npm run --silent cli -- --help`,
      )
    }
    const isDesktop = electron.kind === 'found'
    const onBuild = () =>
      output.note(`Building the ${isDesktop ? 'app' : 'pages of the app'}, which takes a moment ...`)
    await buildPages(clone, onBuild, signal, isDesktop ? ['electron'] : [])
    const sample = isOwn ? undefined : { home: join(sampleFolder, 'data'), archive: join(sampleFolder, 'archive') }
    if (sample !== undefined) {
      output.note('Solarchive on an embedded sample service: made-up sites, nothing leaves this machine.')
      output.note(`On your own service: npm start -- ${ownOption}`)
    }
    if (!isDesktop) {
      output.note(`The app opens in a browser, not in a window of its own. ${electron.why}`)
      const home = resolveHomeFolder({}, host.environment)
      return startBrowserMode(host, sample === undefined ? {} : { sample: true, ...sample }, sample?.home ?? home)
    }
    output.note(sample === undefined ? 'Ctrl+C stops.' : `Ctrl+C stops. Archive: ${sample.archive}`)
    const { env } = host.environment
    const { program } = electron
    const exitCode = await runDesktop({ program, clone, sample, env, signal })
    if (signal.aborted) output.note('Stopped. What is archived so far is safe.')
    return { exitCode, endsByStop: true }
  })
}

async function startBrowserMode(host: Host, flags: GlobalFlags, homeFolder: string): Promise<HostResult> {
  const { environment } = host
  let removePage: (() => Promise<void>) | undefined
  let isOpened = !canOpenBrowser(environment)
  const onAddress = (address: string) => {
    if (isOpened) return
    isOpened = true
    openBrowser(address, homeFolder, environment).then(
      (remove) => {
        removePage = remove
      },
      // The address is on the console.
      () => undefined,
    )
  }
  try {
    await withInstallation(host, { flags, servedAt: '127.0.0.1', mayRead: true }, (session) =>
      serveCommand(session, { listenOn: {}, onAddress }),
    )
    return { exitCode: exitCodes.done, endsByStop: true }
  } finally {
    await removePage?.()
  }
}

function electronForWindows({ env, platform }: Io): FoundElectron {
  if (hasDisplay(env, platform)) return findElectron(clone, env, platform)
  return { kind: 'absent', why: 'A window needs a display, and neither DISPLAY nor WAYLAND_DISPLAY names one.' }
}
