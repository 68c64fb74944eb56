import { app } from 'electron'
import { ownProgram } from '../startup/own-program.ts'

/** Has the app started once more when this process has ended, in sight. */
export function startAgain(): void {
  const { env, execPath, argv } = process
  const program = ownProgram({ env, execPath, isPackaged: app.isPackaged }) ?? execPath
  app.relaunch({ execPath: program, args: argv.slice(1).filter((arg) => arg !== '--hidden') })
}
