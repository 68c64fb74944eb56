// What the installed app starts with: the command line where it is called as one, else the app with its window.
import { commandArguments } from './command-arguments.ts'
import { runCommand } from './run-command.ts'

const args = commandArguments(process.argv)
// Electron is not ready before this module has been loaded, and with it what it waits for.
if (args === undefined) await import('../desktop/main.ts')
else await runCommand(args)
