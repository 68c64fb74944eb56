import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

type FailingCall = 'fsync' | 'fdatasync'

/** Attaches strace to a process that it did not start, and ends that one then. Fails if it cannot. */
const attachToAnother = `
  sleep 60 &
  strace -f -o /dev/null -e trace=getcwd -e inject=getcwd:error=EIO -p $! 2>&1 |
    { grep -q attached; status=$?; kill $!; exit $status; }`

/** Returns whether strace is installed and may inject errors into other processes, which systems often forbid. */
export function canStrace(): boolean {
  return spawnSync('sh', ['-c', attachToAnother], { stdio: 'ignore' }).status === 0
}

/**
 * Returns arguments that inject a fault into calls on these paths: `error=EIO` fails all, `error=EIO:when=3` the third.
 */
export function injecting(calls: readonly FailingCall[], paths: Iterable<string>, fault: string): string[] {
  const onPaths = [...paths].flatMap((path) => ['-P', path])
  const set = calls.join()
  return ['-o', '/dev/null', ...onPaths, '-e', `trace=${set}`, '-e', `inject=${set}:${fault}`]
}

/** Attaches strace to all threads of a process. Resolves with its process once it traces them. */
export async function attach(pid: number, args: readonly string[]): Promise<ChildProcess> {
  const tracer = spawn('strace', ['-f', ...args, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  tracer.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
  while (!printed.includes('attached')) {
    const [event] = await Promise.race([once(tracer.stderr, 'data'), once(tracer, 'exit').then(() => ['exit'])])
    if (event === 'exit') throw new Error(`strace ended: ${printed}`)
  }
  return tracer
}
