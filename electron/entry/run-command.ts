import { app } from 'electron'

/** After the command is done, what it printed may take this long to reach a reader that is slow. */
const flushMs = 1_000

/**
 * Runs the command line in this process, which then ends with its exit code. Never answers: Electron waits for the module that
 * asked for this before it becomes graphical, so that no window, display or keychain is ever touched.
 */
export async function runCommand(args: readonly string[]): Promise<never> {
  // Where there is a Dock, the app would be in it for as long as the command runs.
  app.setActivationPolicy?.('prohibited')
  // Electron's own forgets the code that was set before, which is how the command line says what it ends with.
  process.exit = exit
  const { runMain } = await import('../headless/main.ts')
  await runMain(args)
  await Promise.race([
    Promise.all([flushed(process.stdout), flushed(process.stderr)]),
    new Promise((resolve) => setTimeout(resolve, flushMs)),
  ])
  return exit()
}

function exit(code: number | string | null | undefined = process.exitCode): never {
  app.exit(Number(code ?? 0))
  throw new Error('The process has ended.')
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}
