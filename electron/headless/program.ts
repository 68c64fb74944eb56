import packageJson from '../../package.json' with { type: 'json' }
import { Argument, Command, Option } from 'commander'
import { AppError } from '../../shared/errors.ts'
import { defaultParts, documentParts, exportFormats, exportParts } from '../../shared/export-parts.ts'
import { builtInTemplateIds } from '../../shared/packet-names.ts'
import { searchKinds } from '../../shared/search-kinds.ts'
import { concurrencyRange } from '../../shared/setting-names.ts'
import type { StampFlags } from './commands/evidence.ts'
import type { ResolveFlags } from './commands/orders.ts'
import type { Confirm, PlaceFlags } from './commands/place-order.ts'
import type { AddOptions } from './commands/projects.ts'
import type { OrderInput } from './commands/read-order.ts'
import type { ExportFlags } from './commands/export.ts'
import type { PacketFlags } from './commands/packet.ts'
import type { SearchFlags } from './commands/search.ts'
import type { ServeFlags } from './commands/serve.ts'
import type { FailOnFlags } from './commands/sync.ts'
import type { VerifyFlags } from './commands/verify.ts'
import { completionScript, type Shell, shells } from './completion.ts'
import { failOnChoices } from './exit-code-of-report.ts'
import { manPage } from './man-page.ts'
import type { Outcome } from './output/console-output.ts'
import { plainText } from '../app/log/plain-text.ts'
import type { SessionOf } from './session.ts'

/** Opens a session with the options of the program, runs the command in it, and prints the outcome. */
export type Perform = <Kind extends keyof SessionOf>(
  kind: Kind,
  command: (session: SessionOf[Kind]) => Outcome | Promise<Outcome>,
) => Promise<void>

export interface ProgramOptions {
  /** Name of the program in examples; see `commandName`. */
  readonly name: string
  /** Folder that relative paths start from. */
  readonly currentFolder: string
  readonly perform: Perform
  /** Writes a support bundle, to `outputFile` if it is set, without opening a session. */
  readonly bundle: (outputFile: string | undefined) => Promise<void>
  /** Checks evidence in a folder, by default the archive of the settings, without opening a session. */
  readonly verifyEvidence: (path: string | undefined) => Promise<void>
  /** Serves the app until it is stopped; nothing has to be set up. */
  readonly serve: (listenOn: ServeFlags) => Promise<void>
  /** Reads the order to place. */
  readonly readOrder: (flags: PlaceFlags) => Promise<OrderInput>
  readonly confirm: Confirm
  /** Prints an order to fill in, without opening a session. */
  readonly printTemplate: (options: { readonly csv?: boolean }) => Promise<void>
  /** Prints a text unchanged, without opening a session. */
  readonly printText: (text: string) => void
  /** Prints the help; `asked` is false if it replaces a missing command. */
  readonly printHelp: (text: string, asked: boolean) => void
}

/**
 * Returns the command line's grammar and help. Wrong usage and help end in a CommanderError, never in an exit. Each
 * command's own module is imported once it runs: help, version, and usage errors are answered without them.
 */
export function createProgram(options: ProgramOptions): Command {
  const { name, printHelp } = options
  const program = new Command('solarchive')
    .description(
      'Archives the site checklists of a design service: every PDF report, photo, and thumbnail, in one folder per ' +
        'project.',
    )
    .version(packageJson.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => printHelp(text, true),
      writeErr: (text) => printHelp(text, false),
      // Errors are thrown as well, and printed with all others.
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText('after', programNotes(name))
  for (const option of globalOptions()) program.addOption(option)

  const grammar: Grammar = {
    ...options,
    program,
    example: (...lines) => ['', 'Example:', ...lines.map((line) => `  ${name} ${line}`)].join('\n'),
    addHint: async ({ settings }) => (await import('./output/describe-folders.ts')).describeNoProjects(settings, name),
  }
  // The help lists the commands in this order.
  addProjects(grammar)
  addArchiving(grammar)
  addSearch(grammar)
  addHandovers(grammar)
  addVerify(grammar)
  addOrders(grammar)
  addEvidence(grammar)
  addUtilities(grammar)
  return program
}

/** The program that commands are added to, and what they share. */
interface Grammar extends ProgramOptions {
  readonly program: Command
  /** Returns the examples of a command for its help. */
  readonly example: (...lines: string[]) => string
  /** Returns what to do if no project is archived yet. */
  readonly addHint: (session: Pick<SessionOf['reading'], 'settings'>) => Promise<string>
}

function addProjects({ program, currentFolder, perform, example, addHint }: Grammar): void {
  const commands = () => import('./commands/projects.ts')
  const projects = program
    .command('projects')
    .description('choose which projects are archived')
    .addHelpText('after', example('projects add 64b5f0c2a1d3e4f5a6b7c8d9 --name "Maple Street 12"', 'projects list'))
  projects
    .command('add')
    .description('add projects by their IDs, or from a CSV file with the columns id, name, address')
    .argument('[ID...]', 'project IDs')
    .option('--name <text>', 'name of the project, for its folder')
    .option('--address <text>', 'address of the project')
    .option('--file <list.csv>', 'a list of projects; nothing is added if any row has an error')
    .addHelpText('after', example('projects add 64b5f0c2a1d3e4f5a6b7c8d9', 'projects add --file projects.csv'))
    .action(async (ids: string[], options: AddOptions) => {
      const { addCommand, projectsToAdd } = await commands()
      const added = await projectsToAdd(ids, options, currentFolder)
      await perform('changing', (session) => addCommand(session, added))
    })
  projects
    .command('discover')
    .description('add every project that the service lists')
    .addHelpText('after', example('projects discover'))
    .action(() => perform('changing', async (session) => (await commands()).discoverCommand(session)))
  projects
    .command('list')
    .description('list the projects that are archived')
    .addHelpText('after', example('projects list --json'))
    .action(() =>
      perform('listing', async (session) => (await commands()).listCommand(session, await addHint(session))),
    )
  projects
    .command('remove')
    .description('stop archiving a project; its files stay')
    .argument('<ID>', 'project ID')
    .addHelpText('after', example('projects remove 64b5f0c2a1d3e4f5a6b7c8d9'))
    .action((id: string) => perform('changing', async (session) => (await commands()).removeCommand(session, id)))
}

/** Adds the commands that archive, and the one that shows how far that is. */
function addArchiving({ program, perform, serve, example, addHint }: Grammar): void {
  program
    .command('sync')
    .description('archive what is new or changed in all projects, or in the named ones, and exit')
    .argument('[ID...]', 'project IDs')
    .addOption(failOnOption())
    .addHelpText('after', example('sync', 'sync 64b5f0c2a1d3e4f5a6b7c8d9 --json', 'sync --quiet --fail-on errors'))
    .action((ids: string[], options: FailOnFlags) =>
      perform('changing', async (session) =>
        (await import('./commands/sync.ts')).syncCommand(session, ids, options, await addHint(session)),
      ),
    )
  program
    .command('watch')
    .description('keep everything archived until it is stopped; with --json one event per line')
    .addHelpText('after', example('watch', 'watch --json') + watchNotes)
    .action(() =>
      perform('owning', async (session) =>
        (await import('./commands/watch.ts')).watchCommand(session, await addHint(session)),
      ),
    )
  program
    .command('serve')
    .description('keep everything archived, and show the app in a browser, until it is stopped')
    .option('--port <n>', 'port to listen on; default: any free one')
    .option('--host <address>', 'address to listen on; default: 127.0.0.1, this machine only')
    .addHelpText('after', example('serve', 'serve --port 8080') + serveNotes)
    .action((options: ServeFlags) => serve(options))
  program
    .command('status')
    .description('show how complete every checklist is; makes no calls to the service')
    .argument('[ID...]', 'project IDs')
    .addOption(failOnOption())
    .addHelpText('after', example('status', 'status 64b5f0c2a1d3e4f5a6b7c8d9') + statusNotes)
    .action((ids: string[], options: FailOnFlags) =>
      perform('reading', async (session) =>
        (await import('./commands/status.ts')).statusCommand(session, ids, options, await addHint(session)),
      ),
    )
}

function addSearch({ program, perform, example, addHint }: Grammar): void {
  program
    .command('search')
    .description(
      'find projects, checklists, answers, photos, pages of reports, and orders; makes no calls to the service',
    )
    .argument('<QUERY...>', 'words in any order, "phrases", and filters')
    .option('--project <ID>', 'in one project only')
    .option('--kind <kinds>', `only these kinds, separated by commas: ${searchKinds.join(', ')}`)
    .option('--limit <n>', 'number of hits to show; default: 20')
    .addHelpText('after', example('search main panel delgado 200 A', 'search IMG_0100 --kind photo') + searchNotes)
    .action((words: string[], options: SearchFlags) =>
      perform('searching', async (session) =>
        (await import('./commands/search.ts')).searchCommand(session, words, options, () => addHint(session)),
      ),
    )
}

/** Adds the commands that write copies for others. */
function addHandovers({ program, currentFolder, perform, example }: Grammar): void {
  program
    .command('export')
    .description('hand over copies of projects or checklists, or of all: as a folder, a zip, or a BagIt bag')
    .argument('[ID...]', 'IDs of projects or checklists')
    .requiredOption('--to <path>', 'a folder that exists, to write into it, or the name of what is written')
    .addOption(new Option('--format <format>', 'folder (default), zip, or bagit').choices(exportFormats))
    .option(
      '--include <parts>',
      `what to write, separated by commas: ${exportParts.join(', ')}; default: ${defaultParts.join(',')}; ` +
        'geo and xmp need photos',
    )
    .option('--names <template>', 'folders and names of the files, such as "{project}/{sequence:3} {question}"')
    .option('--only-complete', 'leave out checklists that are not complete')
    .option('--search <query>', 'what a search finds, in place of IDs')
    .addHelpText(
      'after',
      example(
        'export 64b5f0c2a1d3e4f5a6b7c8d9 --to delgado.zip --format zip',
        'export --to /media/usb --format bagit --only-complete',
      ) + exportNotes,
    )
    .action((ids: string[], exportFlags: ExportFlags) =>
      perform(exportFlags.search === undefined ? 'reading' : 'readingIndexed', async (session) =>
        (await import('./commands/export.ts')).exportCommand(session, ids, exportFlags, currentFolder),
      ),
    )
  program
    .command('packet')
    .description('write what a financier or an office asks for: a PDF and the photos, slot by slot')
    .argument('<ID>', 'ID of a project or checklist')
    .requiredOption(
      '--template <name|file>',
      `a template: ${builtInTemplateIds.join(', ')}, one of yours, or a .json file`,
    )
    .requiredOption('--to <path>', 'a folder that exists, to write into it, or the name of the new folder')
    .option('--documents <names>', `further PDFs, separated by commas: ${documentParts.join(', ')}`)
    .option('--names <template>', 'folders and names of the photos, such as "{slotid} {sequence:2} {question}"')
    .addHelpText(
      'after',
      example('packet 64b5f0c2a1d3e4f5a6b7c8d9 --template permit-photos --to ~/permits') + packetNotes,
    )
    .action((id: string, packetFlags: PacketFlags) =>
      perform('reading', async (session) =>
        (await import('./commands/packet.ts')).packetCommand(session, id, packetFlags, currentFolder),
      ),
    )
}

function addVerify({ program, perform, example }: Grammar): void {
  program
    .command('verify')
    .description('read every archived file again, or those of the named projects, and list those missing or changed')
    .argument('[ID...]', 'project IDs')
    .option('--repair', 'fetch what is missing or changed again; a changed file is kept as "<name> (edited <date>)"')
    .addHelpText('after', example('verify', 'verify --repair') + verifyNotes)
    .action((ids: string[], options: VerifyFlags) =>
      perform(options.repair === true ? 'changing' : 'verifying', async (session) =>
        (await import('./commands/verify.ts')).verifyCommand(session, ids, options),
      ),
    )
}

function addOrders(grammar: Grammar): void {
  const { program, perform, readOrder, confirm, printTemplate, example } = grammar
  const commands = () => import('./commands/orders.ts')
  const orders = program
    .command('orders')
    .description('order designs from the service and follow the orders')
    .addHelpText(
      'after',
      example('orders template > order.json', 'orders place --project ID --file order.json --dry-run'),
    )
  orders
    .command('place')
    .description('place one order, exactly once')
    .option('--project <ID>', 'the project that the design is for; or "projectId" in the order')
    .requiredOption('--file <order.json>', 'the order in the format of the service; - for standard input')
    .option('--preset <name>', 'a preset that fills in what the order leaves out')
    .option('--dry-run', 'show what would be sent, or the errors, and send nothing')
    .option('--again', 'place it even if the same order was placed before')
    .option('--without-check', "place it even if the service's list of orders cannot be read")
    .option('--new-module', 'order a module that no earlier order, preset, or library has, without being asked')
    .addHelpText('after', example('orders place --project 64b5f0c2a1d3e4f5a6b7c8d9 --file order.json') + placeNotes)
    .action(async (options: PlaceFlags) => {
      const order = await readOrder(options)
      const { placeCommand } = await import('./commands/place-order.ts')
      await perform('changing', (session) => placeCommand(session, order, options, confirm))
    })
  orders
    .command('template')
    .description('print an order to fill in, with the defaults')
    .option('--csv', 'the columns of a list of orders instead, to import in the app')
    .addHelpText('after', example('orders template > order.json'))
    .action((options: { csv?: boolean }) => printTemplate(options))
  orders
    .command('list')
    .description('list the orders, last changed first; makes no calls to the service')
    .option('--project <ID>', 'orders of one project only')
    .addHelpText('after', example('orders list', 'orders list --json'))
    .action((options: { project?: string }) =>
      perform('listing', async (session) => (await commands()).listOrdersCommand(session, options)),
    )
  orders
    .command('check')
    .description('get the status of an order, and resolve an unconfirmed one if the service lists it')
    .argument('<ID>', "the order's number, or its service order ID")
    .addHelpText('after', example('orders check 3'))
    .action((id: string) => perform('changing', async (session) => (await commands()).checkOrderCommand(session, id)))
  orders
    .command('settle')
    .description('resolve an unconfirmed order yourself')
    .argument('<ID>', "the order's number, or its service order ID")
    .option('--placed', 'the service has it')
    .option('--service-id <id>', 'with --placed: its service order ID')
    .option('--not-placed', 'the service does not have it: it becomes a draft again')
    .addHelpText('after', example('orders settle 3 --not-placed'))
    .action((id: string, options: ResolveFlags) =>
      perform('changing', async (session) => (await commands()).resolveOrderCommand(session, id, options)),
    )
}

function addEvidence({ program, perform, verifyEvidence, example }: Grammar): void {
  const evidence = program
    .command('evidence')
    .description('prove by trusted time stamps (RFC 3161) when the archived files existed')
    .addHelpText('after', example('evidence stamp --authority https://tsa.example.com/tsr', 'evidence verify'))
  evidence
    .command('stamp')
    .description(
      'copy the checksums of all projects into .evidence, and have an authority stamp them; only a hash is sent',
    )
    .option('--authority <URL>', 'the time-stamping authority; default: "stampAuthority" in settings.json')
    .addHelpText('after', example('evidence stamp', 'evidence stamp --authority https://tsa.example.com/tsr --json'))
    .action(async (options: StampFlags) => {
      const { readAuthority, stampCommand } = await import('./commands/evidence.ts')
      const authority = readAuthority(options)
      await perform('changing', (session) => stampCommand(session, authority))
    })
  evidence
    .command('verify')
    .description('check the copies and time stamps in .evidence; reads only')
    .argument('[PATH]', 'an archive, its .evidence, or one folder in that; default: the archive')
    .addHelpText(
      'after',
      example('evidence verify', 'evidence verify /mnt/archive/.evidence/2026-06-12') + evidenceNotes,
    )
    .action((path: string | undefined) => verifyEvidence(path))
}

/** Adds the commands about Solarchive itself. */
function addUtilities(grammar: Grammar): void {
  const { program, bundle, printText, example } = grammar
  program
    .command('support-bundle')
    .description('write a zip of logs, settings, and status for support; without token, names, or addresses')
    .option('--output <file.zip>', 'the zip to write; default: a new one in the current folder')
    .addHelpText('after', example('support-bundle', 'support-bundle --output solarchive-support.zip'))
    .action((options: { output?: string }) => bundle(options.output))
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(shells).argParser(readShell))
    .addHelpText('after', example('completion bash > ~/.local/share/bash-completion/completions/solarchive'))
    .action((shell: Shell) => printText(completionScript(program, shell)))
  program
    .command('man')
    .description('print the manual page')
    .addHelpText('after', example('man | man -l -'))
    .action(() => printText(manPageOf(grammar)))
}

/** Returns the shell that is meant. Throws `wrong-usage` if there is no completion for it. */
function readShell(typed: string): Shell {
  const shell = shells.find((known) => known === typed.toLowerCase())
  if (shell !== undefined) return shell
  throw new AppError('wrong-usage', `Completion exists for ${shells.join(', ')}, and not for ${plainText(typed)}.`)
}

/** Returns the manual page. The notes of a command are the part of its help after the generated one. */
function manPageOf(options: ProgramOptions): string {
  let printed = ''
  const program = createProgram({ ...options, name: 'solarchive', printHelp: (text) => (printed += text) })
  return manPage(program, (command) => {
    printed = ''
    command.outputHelp()
    return printed.slice(command.helpInformation().length)
  })
}

const evidenceNotes = `

It proves that the copies of the checksums existed at the time of the stamp. Whom to trust is for you to decide: see
README.txt in each folder for how to check the authority with openssl. "verify" reads the archived files themselves.

Exit codes: 0 all evidence is stamped and intact, 2 there is none, 4 some is not.`

const placeNotes = `

An order is sent once and never resent automatically. Repeating the command with the same order sends nothing: it shows
the status of the first one. If the answer was lost, the order is "unconfirmed"; "orders check" asks the service for it.

Exit codes: 0 placed (or placed before, or a dry run without errors), 2 the order has errors, 3 the service refuses the
token, 4 not placed, or not known to be placed.`

const watchNotes = `

Projects are checked as often as they are likely to change: about every minute while photos arrive, less and less often
once all is done, down to once a day. Without the network, the drive, or a valid token it waits and resumes
automatically. Ctrl+C or SIGTERM stops it cleanly, with exit code 0. The quiet hours are "quietHours" in settings.json.`

const serveNotes = `

It prints an address that admits one browser, once; then it prints the next one. With --json, each address is an event
beside those of "watch --json". The connection is not encrypted: with --host, listen only on a network that you trust.
From another machine, use an SSH tunnel: ssh -L 8080:127.0.0.1:8080 <this machine>. Ctrl+C or SIGTERM stops it cleanly,
with exit code 0.`

const statusNotes = `

Exit codes: 0 nothing is missing, 2 a project is not in the list, 4 something is missing, photos that were not uploaded
yet included, or a project was never synced.`

const searchNotes = `

All words have to match, in any order; the last one may be the beginning of a word. Parts of names, file names, and
serial numbers are found from three characters on, those of IDs from six. In the query: "a phrase", -word, project:NAME,
status:completed, kind:photo, before:2026-06-01, after:2026-05, and missing for photos that are not in the archive yet.
Quote a query with -word or a phrase for the shell: 'panel -roof "200 A"'. Before one that starts with -, write --:
search -- '-roof panel'.

Exit codes: 0 also if nothing is found, 2 a wrong option or date, or a project that is not in the list.`

const exportNotes = `

Nothing is under the final name until everything is there, and nothing is ever replaced. Every file is compared with its
SHA-256. An interrupted export to a folder or bag resumes if it is started again; Ctrl+C leaves nothing. The fields of
--names: {project} {checklist} {section} {question} {sequence} {date} {time} {id} {name}; {sequence:3} has a width,
{project:upper} and {project:lower} change letters, and / separates folders.

Exit codes: 0 everything that was asked for is in it, 2 a wrong option, ID, or path, or nothing to export, 4 something
is missing (listed), or the disk is full, 5 the running Solarchive is not ready for it yet.`

const packetNotes = `

The folder has packet.pdf with every slot (filled, or why not), the original photos in a folder for each slot,
packet.json, and SHA256SUMS. Nothing is under its name until everything is there, and nothing is ever replaced. What a
slot asks for beside photos, such as a site plan, is listed as not part of a site survey. --names has the fields of
export, {slot}, {slotid}, and {slotnumber}; {sequence} counts in the slot. The default:
{slotnumber:2} {slot}/{sequence:2} {name}.

Exit codes: 0 every required slot is filled, 2 a wrong option, ID, template, or path, 4 a required slot is not filled,
or the disk is full.`

const verifyNotes = `

A stopped verification resumes for up to 7 days: for files that it had read and found unchanged, only name and size are
checked. After a verification that ran to its end, the next one reads every byte again. A verification of named projects
always reads every byte of theirs, and leaves a stopped one as it is.

Exit codes: 0 nothing missing or changed, 2 there is nothing to verify, or a project is not in the list, 3 the service
refuses the token, so nothing could be fetched, 4 something is missing or changed, or could not be repaired (listed).
Files that Solarchive did not put there are listed and never touched.`

function failOnOption(): Option {
  const meaning = 'exit with 4 if anything is missing (gaps, the default), or only for what the service or the crew'
  return new Option('--fail-on <what>', `${meaning} cannot resolve (errors)`).choices(failOnChoices)
}

/** Options that are accepted before and after the command. */
function globalOptions(): Option[] {
  const { min, max } = concurrencyRange
  return [
    new Option('--url <address>', 'address of the service (SOLARCHIVE_URL)'),
    new Option('--allow-http', 'accept an address of the service without encryption (SOLARCHIVE_ALLOW_HTTP=1)'),
    new Option('--home <folder>', 'data folder: database, settings, logs (SOLARCHIVE_HOME)'),
    new Option('--archive <folder>', 'where the files go (SOLARCHIVE_ARCHIVE)'),
    new Option('--api-rate <n>', 'calls to the service per minute, 0 for no limit'),
    new Option('--concurrency <n>', `files downloaded at the same time, ${min} to ${max}`),
    new Option('--json', 'print one JSON document on stdout'),
    new Option('--quiet', 'print only results and problems'),
    new Option('--sample', 'use the embedded sample service and folders of its own'),
  ]
}

function programNotes(name: string): string {
  return `
The access token is read from the environment variable SOLARCHIVE_TOKEN, else from the file "token" in the data folder.
Settings come from options, then from the environment, then from settings.json in the data folder.

Exit codes: 0 done and complete, 1 internal error, 2 wrong usage or settings, 3 the service refuses the token,
4 finished but something is missing or failed, 5 the running Solarchive cannot be asked, 129, 130, and 143 stopped by
SIGHUP, Ctrl+C, or SIGTERM ("watch" and "serve" then exit with 0).

Examples:
  ${name} projects add 64b5f0c2a1d3e4f5a6b7c8d9
  ${name} sync
  ${name} --sample sync`
}

/** Returns how a user calls this program, by its name or through npm in a clone, so that examples can be copied. */
export function commandName(env: Readonly<Record<string, string | undefined>>): string {
  return env['npm_lifecycle_event'] === 'cli' ? 'npm run --silent cli --' : 'solarchive'
}
