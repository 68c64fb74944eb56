// Entry of the installed app: the command line if it is called as one, else the app with its window.
import { commandArguments } from './command-arguments.ts'
import { runCommand } from './run-command.ts'

const args = commandArguments(process.argv)
// Electron is ready only after this module, and everything it awaits, has loaded.
if (args === undefined) await import('../desktop/main.ts')
else await runCommand(args)
