import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { CommanderError } from 'commander'
import { exitCodes } from '../../shared/error-policy.ts'
import { AppError, toAppError } from '../../shared/errors.ts'
import { formatBytes } from '../../shared/format.ts'
import { orderTemplate } from './commands/orders.ts'
import { readOrderInput } from './commands/read-order.ts'
import { commandName, createProgram, type Perform, type ProgramOptions } from './program.ts'
import type { BundleSources } from '../app/support/collect-bundle.ts'
import type { ConsoleOutput, Outcome } from './output/console-output.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import type { Io } from './io.ts'
import { type Host, runHost } from './run-host.ts'
import { runProcess } from './run-process.ts'
import { whyUnreadable } from '../app/api/owner-file.ts'
import { nestingWarning } from '../app/settings/archive-folder.ts'
import {
  accessTokenOf,
  resolveHomeFolder,
  fixedSettings,
  resolveSettings,
  unencryptedWarning,
} from '../app/settings/resolve-settings.ts'
import { readSettingsFile } from '../app/settings/settings-file.ts'
import { readTokenFile } from '../app/token/read-token-file.ts'
import { tokenFile } from '../app/token/token-reader.ts'
import { type GlobalFlags, readFlags, refuseTokenOption } from './flags.ts'

/** Runs the command line as this process. `args` are the arguments after the script's name. */
export function runMain(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  return runProcess((io) => main(args, io))
}

/** Runs one command and returns its exit code. Uses the process only through `io`. */
export function main(args: readonly string[], io: Io): Promise<number> {
  const name = commandName(io.env)
  const explain = (thrown: unknown) =>
    thrown instanceof CommanderError ? usageError(thrown, name) : toAppError(thrown)
  const options = { json: hasFlag(args, '--json'), quiet: hasFlag(args, '--quiet'), explain }

  return runHost(io, options, async (host) => {
    const { environment, output, redactor, signal, stop } = host
    let exitCode: number = exitCodes.done
    let endsByStop = false
    const perform: Perform = async (kind, flags, command) => {
      const started = readFlags(flags)
      const homeFolder = resolveHomeFolder(started, environment)
      const { settings: file, warnings } = await readSettingsFile(homeFolder).catch((thrown: unknown) => {
        throw whyUnreadable(homeFolder) ?? thrown
      })
      for (const warning of warnings) output.warn(warning)
      const callsService = kind === 'changing' || kind === 'owning'
      const settings = resolveSettings(started, environment, file, { callsService })
      const warning = await nestingWarning(settings, environment)
      if (warning !== undefined) output.warn(warning)
      const fixed = fixedSettings(started, environment)
      const unencrypted = fixed.includes('serviceUrl') ? undefined : unencryptedWarning(settings)
      if (unencrypted !== undefined) output.warn(unencrypted)
      if (settings.useSample && io.env['SOLARCHIVE_URL']) {
        output.note('SOLARCHIVE_URL has no effect with --sample, which has a service of its own.')
      }
      // Usage errors and help do not need the engine, which takes time to load.
      const { sessions } = await import('./session.ts')
      const outcome = await sessions[kind](
        {
          ...{ settings, fixed, command: program.args[0] ?? '' },
          ...{ output, redactor, platform: io.platform, signal, stop },
        },
        async (session) => command(session),
      )
      output.printOutcome(outcome)
      exitCode = outcome.exitCode
      endsByStop = outcome.endsByStop === true
    }
    const bundle: ProgramOptions['bundle'] = async (flags, outputFile) => {
      const sources = { started: readFlags(flags), environment, redactor, clock: systemClock }
      const outcome = await supportBundle(outputFile, sources)
      output.printOutcome(outcome)
      exitCode = outcome.exitCode
    }
    const serve: ProgramOptions['serve'] = async (flags, serveFlags) => {
      const { hostOf, serveCommand, withInstallation } = await import('./commands/serve.ts')
      const outcome = await withInstallation(host, { flags, servedAt: hostOf(serveFlags) }, (session) =>
        serveCommand(session, { listenOn: serveFlags }),
      )
      exitCode = outcome.exitCode
      endsByStop = true
    }
    refuseTokenOption(args)
    const program = createProgram({
      ...{ name, currentFolder: io.currentFolder },
      perform,
      bundle,
      serve,
      readOrder: (flags) => readOrderInput(flags, io),
      confirm: (question, stopped) => confirm(io, output, question, stopped),
      printTemplate: ({ csv = false }) => output.printText(orderTemplate({ csv })),
      printText: (text) => output.printText(text),
      printHelp: (text, asked) => output.printHelp(text, asked),
    })
    try {
      await program.parseAsync(args, { from: 'user' })
    } catch (thrown) {
      // The help or the version was requested, and is printed.
      if (!(thrown instanceof CommanderError && thrown.exitCode === 0)) {
        await addToken(host, program.opts())
        throw thrown
      }
    }
    return { exitCode, endsByStop }
  })
}

/**
 * Asks a yes-or-no question; anything but "y" and "yes" means no. Returns null if there is no terminal, or `--json`.
 */
async function confirm(io: Io, output: ConsoleOutput, question: string, signal: AbortSignal): Promise<boolean | null> {
  if (output.isJson || io.stderr.isTTY !== true) return null
  const input: NodeJS.ReadableStream & { readonly isTTY?: boolean } = io.stdin
  if (input.isTTY !== true) return null
  output.warn(`${question} [y/N]`)
  const lines = createInterface({ input, signal })
  try {
    for await (const line of lines) return /^\s*y(es)?\s*$/i.test(line)
    signal.throwIfAborted()
    return false
  } finally {
    lines.close()
  }
}

/** Adds the token to the redactor. Errors of arguments repeat them, and are thrown before a session adds it. */
async function addToken({ environment, redactor }: Host, { home, sample }: GlobalFlags): Promise<void> {
  redactor.addSecret(accessTokenOf(environment) ?? '')
  const started = { ...(home !== undefined && { homeFolder: home }), ...(sample && { useSample: true }) }
  const file = await readTokenFile(tokenFile(resolveHomeFolder(started, environment)), environment.platform)
  if (file.kind === 'token') redactor.addSecret(file.token)
}

/** `support-bundle`. `outputFile` is relative to the current folder. Throws `wrong-usage` if it cannot be written. */
async function supportBundle(outputFile: string | undefined, sources: BundleSources): Promise<Outcome> {
  if (outputFile?.trim() === '') throw new AppError('wrong-usage', '--output needs a file name.')
  const { bundleName, collectBundle } = await import('../app/support/collect-bundle.ts')
  const { writeZip } = await import('../app/support/write-zip.ts')
  const nowMs = sources.clock.nowMs()
  const file = resolve(sources.environment.currentFolder, outputFile ?? bundleName(nowMs))
  const entries = await collectBundle(sources)
  const sizeBytes = await writeZip(file, entries, nowMs).catch((thrown: unknown) => {
    const { code, message, cause } = toAppError(thrown)
    throw new AppError(code, `${message} --output sets the file name.`, { cause })
  })
  return {
    exitCode: exitCodes.done,
    document: { file, files: entries.map(({ name }) => name), sizeBytes },
    answer: [
      `The support bundle is ${file} (${formatBytes(sizeBytes)}).`,
      'It contains logs, settings, and status, without token, links, names, and addresses. Review it before you send ' +
        'it.',
    ],
  }
}

/** Returns true if the arguments include an option without a value, even if they cannot be parsed. */
function hasFlag(args: readonly string[], flag: string): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes(flag)
}

function usageError(error: CommanderError, name: string): AppError {
  const what = error.code === 'commander.help' ? 'A command is missing.' : plainSentence(error.message)
  return new AppError('wrong-usage', `${what} "${name} --help" lists the commands and options.`)
}

/** Returns a message such as `error: unknown option '--x'` as a sentence. */
function plainSentence(message: string): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/\s+/g, ' ')
    .trim()
  const sentence = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.?)]$/.test(sentence) ? sentence : `${sentence}.`
}
