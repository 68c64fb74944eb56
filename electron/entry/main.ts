// Entry of the installed app: the command line, or the process that reads files for it, if it is called as one, else
// the app with its window.
import { app } from 'electron'
import { commandArguments, isAnalysis } from './command-arguments.ts'

/**
 * Runs the command line in this process, which then ends with its exit code. Never resolves: Electron waits for the
 * importing module before it becomes graphical, so that no window, display, or keychain is ever touched.
 */
async function runCommand(args: readonly string[]): Promise<never> {
  // On macOS the app would be in the Dock while the command runs.
  app.setActivationPolicy?.('prohibited')
  // Electron's own exit ignores process.exitCode, which the command line sets.
  process.exit = exit
  const { runMain } = await import('../headless/main.ts')
  await runMain(args)
  return exit()
}

/** Reads files for the command line that started this process, until that ends it. Never resolves, as `runCommand`. */
async function runAnalysis(): Promise<never> {
  app.setActivationPolicy?.('prohibited')
  process.exit = exit
  // Without a channel to the process that started it, it gets no tasks.
  if (process.send === undefined) return exit(2)
  await import('../engine/analysis/analysis-process.ts')
  return new Promise(() => undefined)
}

function exit(code: number | string | null | undefined = process.exitCode): never {
  app.exit(Number(code ?? 0))
  throw new Error('The process has ended.')
}

const args = commandArguments(process.argv)
// Electron is ready only after this module, and everything it awaits, has loaded.
if (isAnalysis(process.argv)) await runAnalysis()
else if (args === undefined) await import('../desktop/main.ts')
else await runCommand(args)
