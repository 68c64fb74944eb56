import type { Log, Logger } from '../../engine/lib/ports.ts'
import type { ConsoleOutput } from '../output/console-output.ts'

/** What the commands tell themselves, with the file and the reason. */
const toldByCommands: ReadonlySet<string> = new Set(['A file could not be archived'])

/** Warnings are for the person at the console too. Errors are told by what the command ends with. */
export function withConsole(log: Log, output: ConsoleOutput): Logger {
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn(message, fields) {
      if (!output.isQuiet && !toldByCommands.has(message)) output.warn(message)
      log.warn(message, fields)
    },
    error: (message, fields) => log.error(message, fields),
    tell: (message) => output.warn(message),
  }
}
