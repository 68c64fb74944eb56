import { type Command, CommanderError } from 'commander'
import { exitCodes } from '../../shared/error-policy.ts'
import { AppError } from '../../shared/errors.ts'
import { capitalized } from '../../shared/format.ts'
import type { GlobalFlags } from './flags.ts'
import type { Io } from './io.ts'
import type { ConsoleOutput, Outcome } from './output/console-output.ts'
import { commandName, createProgram, type Perform } from './program.ts'
import { type Host, type HostResult, runHost } from './run-host.ts'
import { runProcess } from './run-process.ts'

/** Runs the command line as this process. `args` are the arguments after the script's name. */
export function runMain(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  return runProcess((io) => main(args, io))
}

/** Commands that are meant to be stopped, and whose `--json` is one event per line. */
const eventCommands: readonly string[] = ['watch', 'serve']

/** Runs one command and returns its exit code. Uses the process only through `io`. */
export function main(args: readonly string[], io: Io): Promise<number> {
  const name = commandName(io.env)
  const options = { json: hasFlag(args, '--json'), quiet: hasFlag(args, '--quiet') }

  return runHost(io, options, async (host) => {
    const { output } = host
    let result: HostResult = { exitCode: exitCodes.done }
    const print = (outcome: Outcome) => {
      output.printOutcome(outcome)
      result = outcome
    }
    // Usage errors and help do without everything else, which takes time to load.
    const commands = () => import('./run-command.ts')
    const flags = () => program.opts<GlobalFlags>()
    const perform: Perform = async (kind, use) => {
      const command = program.args[0] ?? ''
      print(await (await commands()).runCommand(host, { kind, flags: flags(), command }, use))
    }
    const program = createProgram({
      name,
      currentFolder: io.currentFolder,
      perform,
      bundle: async (outputFile) => print(await (await commands()).supportBundle(host, flags(), outputFile)),
      verifyEvidence: async (path) => print(await (await commands()).checkEvidence(host, flags(), path)),
      async serve(listenOn) {
        const { hostOf, serveCommand, withInstallation } = await import('./commands/serve.ts')
        const serve = { flags: flags(), servedAt: hostOf(listenOn) }
        print(await withInstallation(host, serve, (session) => serveCommand(session, { listenOn })))
      },
      readOrder: async (flags) => (await import('./commands/read-order.ts')).readOrderInput(flags, io),
      confirm: (question, stopped) => confirm(io, output, question, stopped),
      printTemplate: async ({ csv = false }) =>
        output.printText((await import('./commands/orders.ts')).orderTemplate({ csv })),
      printText: (text) => output.printText(text),
      printHelp: (text, asked) => output.printHelp(text, asked),
    })
    // Whatever is wrong with the arguments: a reader of events reads lines.
    const isEventCommand = eventCommands.includes(commandOf(args, program) ?? '')
    if (isEventCommand) output.printByLine()
    refuseTokenOption(args)
    try {
      await program.parseAsync(args, { from: 'user' })
    } catch (thrown) {
      // It was stopped while it waited for another command to end.
      if (isEventCommand && io.signal.aborted && thrown === io.signal.reason) {
        return { exitCode: exitCodes.done, endsByStop: true }
      }
      // The help or the version was requested, and is printed.
      if (!(thrown instanceof CommanderError && thrown.exitCode === 0)) {
        await addToken(host, flags())
        throw thrown instanceof CommanderError ? usageError(thrown, args, { program, name }) : thrown
      }
    }
    return result
  })
}

/**
 * Asks a yes-or-no question; anything but "y" and "yes" means no, as does a terminal whose input has ended. Returns null
 * if there is no terminal, or `--json`.
 */
async function confirm(io: Io, output: ConsoleOutput, question: string, signal: AbortSignal): Promise<boolean | null> {
  if (output.isJson || io.stderr.isTTY !== true) return null
  const input: NodeJS.ReadableStream & { readonly isTTY?: boolean } = io.stdin
  if (input.isTTY !== true) return null
  // An order that was typed (`--file -`) has ended the input of the terminal: nobody can answer.
  if (!input.readable) return false
  output.warn(`${question} [y/N]`)
  const { createInterface } = await import('node:readline')
  const lines = createInterface({ input, signal })
  try {
    for await (const line of lines) return /^\s*y(es)?\s*$/i.test(line)
    signal.throwIfAborted()
    return false
  } finally {
    lines.close()
  }
}

/** Adds secrets to the redactor. Errors of arguments repeat them, and are thrown before a session adds them. */
async function addToken({ environment, redactor }: Host, { home, sample }: GlobalFlags): Promise<void> {
  const { environmentSecrets, resolveHomeFolder } = await import('../app/settings/resolve-settings.ts')
  const { readTokenFile } = await import('../app/token/read-token-file.ts')
  const { tokenFile } = await import('../app/token/token-reader.ts')
  for (const secret of environmentSecrets(environment)) redactor.addSecret(secret)
  const started = { ...(home !== undefined && { homeFolder: home }), ...(sample && { useSample: true }) }
  const file = await readTokenFile(tokenFile(resolveHomeFolder(started, environment)), environment.platform)
  if (file.kind === 'token') redactor.addSecret(file.token)
}

/**
 * Throws `wrong-usage` for an option that looks like an attempt to pass the access token. The message says what to do
 * instead and never repeats the value.
 */
function refuseTokenOption(args: readonly string[]): void {
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  if (!options.some((arg) => /^--?[a-z_-]*token(=|$)/i.test(arg))) return
  throw new AppError(
    'wrong-usage',
    'There is no option for the access token: everybody on this machine can read the options of a running program, ' +
      'and the shell keeps them in its history. Put the token into the environment variable SOLARCHIVE_TOKEN, or ' +
      'into the file "token" in the data folder.',
  )
}

/** Returns true if the arguments include an option without a value, even if they cannot be parsed. */
function hasFlag(args: readonly string[], flag: string): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes(flag)
}

/** Returns the command that the arguments name, even if they cannot be parsed. */
function commandOf(args: readonly string[], { options }: Command): string | undefined {
  const takesValue = (arg: string | undefined) => options.some(({ long, required }) => required && long === arg)
  return args.find((arg, index) => !arg.startsWith('-') && !takesValue(args[index - 1]))
}

function usageError(
  error: CommanderError,
  args: readonly string[],
  { program, name }: { program: Command; name: string },
): AppError {
  const words = args.filter((arg) => !arg.startsWith('-'))
  const [first, topic] = words
  const missing = first === 'help' && topic !== undefined ? `Unknown command '${topic}'.` : 'A command is missing.'
  const what = error.code === 'commander.help' ? missing : plainSentence(error.message)
  // The words up to the innermost command, as in "projects add".
  let command = program
  const path = [name]
  for (const word of words) {
    const next = command.commands.find((known) => known.name() === word)
    if (next === undefined) continue
    command = next
    path.push(word)
  }
  const lists = command.commands.length > 0 ? 'lists the commands and options' : 'lists the options'
  return new AppError('wrong-usage', `${what} "${path.join(' ')} --help" ${lists}.`)
}

/** Returns a message such as `error: unknown option '--x'` as a sentence. */
function plainSentence(message: string): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/\s+/g, ' ')
    .trim()
  const sentence = capitalized(text)
  return /[.?)]$/.test(sentence) ? sentence : `${sentence}.`
}
