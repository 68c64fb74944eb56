import { spawn, type ChildProcess } from 'node:child_process'
import { electronFlags } from '../../electron/headless/electron-app.ts'

/** An app whose pages answer the DevTools protocol. */
export interface AppWithDevtools {
  readonly child: ChildProcess
  /** Resolves to the address of the protocol; rejects if the app ends before it listens. */
  readonly address: Promise<string>
}

/** Starts an app with a data folder, and with `args` after the flags that it needs here. */
export function startWithDevtools(program: string, home: string, args: readonly string[] = []): AppWithDevtools {
  const child = spawn(program, [...electronFlags(), '--remote-debugging-port=0', ...args], {
    env: { ...process.env, SOLARCHIVE_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const address = new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const found = /DevTools listening on (ws:\S+)/.exec(printed)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`The app ended with ${code}:\n${printed}`)))
  })
  return { child, address }
}

/** Resolves to the address of the app's page for a DevTools client, or to `undefined` while there is none. */
export async function pageWithDevtools(address: string): Promise<string | undefined> {
  const list = await fetch(`http://127.0.0.1:${new URL(address).port}/json/list`)
  const targets = (await list.json()) as { type: string; url: string; webSocketDebuggerUrl: string }[]
  return targets.find(({ type, url }) => type === 'page' && url.startsWith('app:'))?.webSocketDebuggerUrl
}
