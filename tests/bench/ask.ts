import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts a script of `processes/`. */
export function start(script: string): ChildProcess {
  return fork(fileURLToPath(new URL(`processes/${script}`, import.meta.url)))
}

/** Sends a process its task and waits for the answer. */
export async function ask<Answer>(child: ChildProcess, task: object): Promise<Answer> {
  child.send(task)
  return Promise.race([once(child, 'message').then(([message]) => message as Answer), broken(child)])
}

/** The answer of a process that ends with it; a profile of it is whole only then. */
export async function askOnce<Answer>(script: string, task: object): Promise<Answer> {
  const child = start(script)
  const ended = once(child, 'exit')
  try {
    const answer = await ask<Answer>(child, task)
    await ended
    return answer
  } finally {
    child.kill()
  }
}

/** Rejects when a process ends. */
export async function broken(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null]
  throw new Error(`A bench process ended with ${String(code)}`)
}
