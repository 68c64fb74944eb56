import packageJson from '../../package.json' with { type: 'json' }
import { Command, Option } from 'commander'
import {
  checkOrderCommand,
  listOrdersCommand,
  placeCommand,
  type PlaceFlags,
  type SettleFlags,
  settleOrderCommand,
} from './commands/orders.ts'
import {
  addCommand,
  type AddOptions,
  discoverCommand,
  listCommand,
  projectsToAdd,
  removeCommand,
} from './commands/projects.ts'
import type { GivenOrder } from './commands/read-order.ts'
import type { ServeFlags } from './commands/serve.ts'
import { statusCommand } from './commands/status.ts'
import { syncCommand } from './commands/sync.ts'
import { verifyCommand, type VerifyFlags } from './commands/verify.ts'
import { watchCommand } from './commands/watch.ts'
import type { GlobalFlags } from './flags.ts'
import type { Outcome } from './output/console-output.ts'
import type { Session } from './session.ts'

/** Opens a session with these flags, runs the command in it and prints what comes of it. */
export type Perform = (flags: GlobalFlags, command: (session: Session) => Outcome | Promise<Outcome>) => Promise<void>

export interface ProgramOptions {
  /** How the program is called, for the examples. */
  readonly name: string
  /** Where relative paths start. */
  readonly currentFolder: string
  readonly perform: Perform
  /** Writes a support bundle, to the named file if one is named, without opening a session. */
  readonly bundle: (flags: GlobalFlags, outputFile: string | undefined) => Promise<void>
  /** Shows the app until it is stopped; nothing has to be set up. */
  readonly serve: (flags: GlobalFlags, serveFlags: ServeFlags) => Promise<void>
  /** Reads the order that is to be placed. */
  readonly readOrder: (flags: PlaceFlags) => Promise<GivenOrder>
  /** Prints an order to fill in, without opening a session. */
  readonly printTemplate: (options: { readonly csv?: boolean }) => void
  /** Prints the help; `asked` is false where it takes the place of a missing command. */
  readonly printHelp: (text: string, asked: boolean) => void
}

/** The command line's grammar and help. Wrong usage and help end in a CommanderError, never in an exit. */
export function createProgram(options: ProgramOptions): Command {
  const { name, currentFolder, perform, bundle, serve, printHelp } = options
  const program = new Command('solarchive')
    .description(
      'Archives the site checklists of a design service: every PDF report, photo and thumbnail, in a folder a project.',
    )
    .version(packageJson.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => printHelp(text, true),
      writeErr: (text) => printHelp(text, false),
      // Errors are thrown as well, and printed like every other one.
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText('after', programNotes(name))
  for (const option of globalOptions()) program.addOption(option)

  const flags = () => program.opts<GlobalFlags>()
  const addHint = `No projects yet. Add one by its id: ${name} projects add ID`
  const example = (...lines: string[]) => ['', 'Example:', ...lines.map((line) => `  ${name} ${line}`)].join('\n')

  const projects = program
    .command('projects')
    .description('choose which projects are archived')
    .addHelpText('after', example('projects add 64b5f0c2a1d3e4f5a6b7c8d9 --name "Maple Street 12"', 'projects list'))
  projects
    .command('add')
    .description('add projects by their ids, or from a CSV file with the columns id, name, address')
    .argument('[ID...]', 'project ids')
    .option('--name <text>', 'name of the project, for its folder')
    .option('--address <text>', 'address of the project')
    .option('--file <list.csv>', 'a list of projects; nothing is added when any row of it is wrong')
    .addHelpText('after', example('projects add 64b5f0c2a1d3e4f5a6b7c8d9', 'projects add --file projects.csv'))
    .action(async (ids: string[], options: AddOptions) => {
      const given = await projectsToAdd(ids, options, currentFolder)
      await perform(flags(), (session) => addCommand(session, given))
    })
  projects
    .command('discover')
    .description('add every project that the service lists')
    .addHelpText('after', example('projects discover'))
    .action(() => perform(flags(), discoverCommand))
  projects
    .command('list')
    .description('list the projects that are archived')
    .addHelpText('after', example('projects list --json'))
    .action(() => perform(flags(), (session) => listCommand(session, addHint)))
  projects
    .command('remove')
    .description('stop archiving a project; its files stay')
    .argument('<ID>', 'project id')
    .addHelpText('after', example('projects remove 64b5f0c2a1d3e4f5a6b7c8d9'))
    .action((id: string) => perform(flags(), (session) => removeCommand(session, id)))

  program
    .command('sync')
    .description('archive what is new or changed in all projects, or in the named ones, and exit')
    .argument('[ID...]', 'project ids')
    .addHelpText('after', example('sync', 'sync 64b5f0c2a1d3e4f5a6b7c8d9 --json'))
    .action((ids: string[]) => perform(flags(), (session) => syncCommand(session, ids, addHint)))
  program
    .command('watch')
    .description('keep everything archived until it is stopped; with --json one event a line')
    .addHelpText('after', example('watch', 'watch --json') + watchNotes)
    .action(() => perform(flags(), (session) => watchCommand(session, addHint)))
  program
    .command('serve')
    .description('keep everything archived, and show the app in a browser, until it is stopped')
    .option('--port <n>', 'port to listen on; any free one if you say nothing')
    .option('--host <address>', 'address to listen on; 127.0.0.1, this machine alone, if you say nothing')
    .addHelpText('after', example('serve', 'serve --port 8080') + serveNotes)
    .action((options: ServeFlags) => serve(flags(), options))
  program
    .command('status')
    .description('tell how complete the archive of every checklist is; asks the service nothing')
    .addHelpText('after', example('status'))
    .action(() => perform(flags(), (session) => statusCommand(session, addHint)))
  program
    .command('verify')
    .description('read every archived file again and tell which are missing or changed')
    .option('--repair', 'fetch what is missing or changed again; a changed file is kept as "<name> (edited <date>)"')
    .addHelpText('after', example('verify', 'verify --repair') + verifyNotes)
    .action((options: VerifyFlags) => perform(flags(), (session) => verifyCommand(session, options)))
  addOrders(program, options, example)
  program
    .command('support-bundle')
    .description('write a zip of logs, settings and status to send to support; no token, names or addresses in it')
    .option('--output <file.zip>', 'the zip to write; a new one in the current folder if you say nothing')
    .addHelpText('after', example('support-bundle', 'support-bundle --output solarchive-support.zip'))
    .action((options: { output?: string }) => bundle(flags(), options.output))
  return program
}

/** `orders ...` */
function addOrders(program: Command, { perform, readOrder, printTemplate }: ProgramOptions, example: Example): void {
  const flags = () => program.opts<GlobalFlags>()
  const orders = program
    .command('orders')
    .description('order designs from the service, and follow the orders')
    .addHelpText(
      'after',
      example('orders template > order.json', 'orders place --project ID --file order.json --dry-run'),
    )
  orders
    .command('place')
    .description('place one order, once')
    .option('--project <ID>', 'the project that the design is for; or "projectId" in the order')
    .requiredOption('--file <order.json>', 'the order as the service takes it; - for standard input')
    .option('--preset <name>', 'a preset that fills in what the order leaves out')
    .option('--dry-run', 'tell what would be sent, or what is wrong, and send nothing')
    .option('--again', 'place it although an order of the same content has been placed')
    .addHelpText('after', example('orders place --project 64b5f0c2a1d3e4f5a6b7c8d9 --file order.json') + placeNotes)
    .action(async (options: PlaceFlags) => {
      const given = await readOrder(options)
      await perform(flags(), (session) => placeCommand(session, given, options))
    })
  orders
    .command('template')
    .description('print an order to fill in, with the defaults')
    .option('--csv', 'the columns of a list of orders instead, for the app')
    .addHelpText('after', example('orders template > order.json'))
    .action((options: { csv?: boolean }) => {
      printTemplate(options)
    })
  orders
    .command('list')
    .description('list the orders, what changed last first; asks the service nothing')
    .option('--project <ID>', 'those of one project')
    .addHelpText('after', example('orders list', 'orders list --json'))
    .action((options: { project?: string }) => perform(flags(), (session) => listOrdersCommand(session, options)))
  orders
    .command('check')
    .description('ask the service how an order stands, and settle an unconfirmed one where it can say')
    .argument('<ID>', "the order's number, or its id at the service")
    .addHelpText('after', example('orders check 3'))
    .action((id: string) => perform(flags(), (session) => checkOrderCommand(session, id)))
  orders
    .command('settle')
    .description('say what you found out about an unconfirmed order')
    .argument('<ID>', "the order's number")
    .option('--placed', 'the service has it')
    .option('--service-id <id>', 'with --placed: its id at the service')
    .option('--not-placed', 'the service does not have it: it becomes a draft again')
    .addHelpText('after', example('orders settle 3 --not-placed'))
    .action((id: string, options: SettleFlags) =>
      perform(flags(), (session) => settleOrderCommand(session, id, options)),
    )
}

type Example = (...lines: string[]) => string

const placeNotes = `

An order is sent once and never by itself again. Repeating the command with the same order sends nothing: it tells how the
first one stands. When the answer was lost, the order is "unconfirmed"; "orders check" asks the service for it.

Exit codes: 0 placed (or placed already, or a dry run without mistakes), 2 the order is wrong, 3 the service refuses the
token, 4 not placed, or not known to be placed.`

const watchNotes = `

Projects are asked about as often as they are likely to change: about every minute while photos arrive, a few times a day
when all is done. Without the network, the drive or a valid token it waits and goes on by itself. Ctrl+C or SIGTERM stops it
cleanly, with exit code 0. The quiet hours are "quietHours" in settings.json.`

const serveNotes = `

It prints an address that lets one browser in, once; then it prints another one. With --json it is an event, among those of
"watch --json". The connection is not encrypted: with --host, listen only on a network that you trust. From elsewhere it is
reached by an SSH tunnel: ssh -L 8080:127.0.0.1:8080 <this machine>. Ctrl+C or SIGTERM stops it cleanly, with exit code 0.`

const verifyNotes = `

A verify that was stopped goes on where it was for up to 7 days: what it had read and found right is not read again, only
looked for by name and size. After a verify that ran to its end the next one reads every byte again.

Exit codes: 0 all is there, 3 the service refuses the token, so nothing could be fetched, 4 something is missing or
changed, or could not be repaired (listed). Files that Solarchive did not put there are listed and never touched.`

/** Accepted before and after the command. */
function globalOptions(): Option[] {
  return [
    new Option('--url <address>', 'address of the service (SOLARCHIVE_URL)'),
    new Option('--home <folder>', 'data folder: database, settings, logs (SOLARCHIVE_HOME)'),
    new Option('--archive <folder>', 'where the files go (SOLARCHIVE_ARCHIVE)'),
    new Option('--api-rate <n>', 'calls to the service in a minute, 0 for no limit'),
    new Option('--concurrency <n>', 'files downloaded at the same time, 1 to 64'),
    new Option('--json', 'print one JSON document on stdout'),
    new Option('--quiet', 'print no progress and nothing about what went well'),
    new Option('--sample', 'use the embedded sample service and folders of its own'),
  ]
}

function programNotes(name: string): string {
  return `
The access token is read from the environment variable SOLARCHIVE_TOKEN, else from the file "token" in the data folder.
Settings come from options, then from the environment, then from settings.json in the data folder.

Exit codes: 0 done and complete, 1 internal error, 2 wrong usage or settings, 3 the service refuses the token,
4 finished but something is missing or failed, 5 another Solarchive owns the data folder.

Examples:
  ${name} projects add 64b5f0c2a1d3e4f5a6b7c8d9
  ${name} sync
  ${name} --sample sync`
}

/** How a person calls this program: by its name, or through npm in a clone. For examples that can be copied. */
export function commandName(env: Readonly<Record<string, string | undefined>>): string {
  return env['npm_lifecycle_event'] === 'cli' ? 'npm run --silent cli --' : 'solarchive'
}
