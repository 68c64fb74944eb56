import { spawn } from 'node:child_process'
import { electronFlags } from './find-electron.ts'

export interface DesktopRun {
  readonly program: string
  readonly clone: string
  /** Undefined: not on the sample service, in the person's own folders. */
  readonly sample: { readonly home: string; readonly archive: string } | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** Runs the installed app until it ends, or the signal ends it. Answers its exit code. */
export function runDesktop({ program, clone, sample, env, signal }: DesktopRun): Promise<number> {
  const folders = sample && { SOLARCHIVE_HOME: sample.home, SOLARCHIVE_ARCHIVE: sample.archive }
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...electronFlags(), clone, ...(sample === undefined ? [] : ['--sample'])], {
      cwd: clone,
      env: { ...env, ...folders },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const stop = () => child.kill('SIGTERM')
    signal.addEventListener('abort', stop, { once: true })
    child.once('error', reject)
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop)
      resolve(code ?? 1)
    })
  })
}
