import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** Calls by which a file or folder comes to be, changes, reaches the disk or goes. */
export const changingCalls = [
  ...['write', 'pwrite64', 'writev', 'pwritev', 'ftruncate'],
  ...['fsync', 'fdatasync'],
  ...['rename', 'renameat', 'renameat2', 'link', 'linkat', 'unlink', 'unlinkat'],
  ...['mkdir', 'mkdirat', 'rmdir'],
] as const
export type ChangingCall = (typeof changingCalls)[number]

/** A change of a file as strace saw it. */
export interface SeenCall {
  readonly thread: string
  readonly call: ChangingCall
  /** All paths that it named, by name or by descriptor. */
  readonly paths: readonly string[]
}

/** Whether strace is there and may do what it does: containers often forbid it. */
export function canStrace(): boolean {
  const args = ['-f', '-qq', '-o', '/dev/null', '-e', 'trace=getcwd', '-e', 'inject=getcwd:error=EIO']
  return spawnSync('strace', [...args, 'true'], { stdio: 'ignore' }).status === 0
}

/** Makes strace write every change of a file to `log`. */
export function recording(log: string): string[] {
  return ['-y', '-s', '0', '-o', log, '-e', `trace=${changingCalls.join()}`]
}

/**
 * Makes strace spoil calls on the paths: `signal=SIGKILL:when=3` kills the process before the third, `error=EIO` lets
 * all of them fail. strace counts for each thread by itself; of a rename it looks at the former name.
 */
export function injecting(calls: readonly ChangingCall[], paths: Iterable<string>, what: string): string[] {
  const onPaths = [...paths].flatMap((path) => ['-P', path])
  const set = calls.join()
  return ['-o', '/dev/null', ...onPaths, '-e', `trace=${set}`, '-e', `inject=${set}:${what}`]
}

/** Attaches strace to all threads of a process; resolves when it watches, answers its process. */
export async function attach(pid: number, args: readonly string[]): Promise<ChildProcess> {
  const tracer = spawn('strace', ['-f', ...args, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] })
  let told = ''
  tracer.stderr.setEncoding('utf8').on('data', (text: string) => (told += text))
  while (!told.includes('attached')) {
    const [what] = await Promise.race([once(tracer.stderr, 'data'), once(tracer, 'exit').then(() => ['exit'])])
    if (what === 'exit') throw new Error(`strace ended: ${told}`)
  }
  return tracer
}

/** Reads what `recording` wrote: calls on files below one of the folders. */
export function readRecording(log: string, folders: readonly string[]): SeenCall[] {
  const seen: SeenCall[] = []
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const [, thread = '', name = ''] = /^(\d+)\s+(\w+)\(/.exec(line) ?? []
    const call = changingCalls.find((known) => known === name)
    if (call === undefined) continue
    const named = [...line.matchAll(/"(\/[^"]*)"|<(\/[^>]*)>/g)].map(([, quoted, open]) => quoted ?? open ?? '')
    const paths = named.filter((path) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`)))
    if (paths.length > 0) seen.push({ thread, call, paths })
  }
  return seen
}
