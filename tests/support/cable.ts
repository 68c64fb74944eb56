import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { ownPort } from './with-server.ts'

/** A connection to a server that can be unplugged and plugged in again. */
export interface Cable {
  /** The server's address through the cable. */
  readonly url: string
  /** Drops every connection and accepts no more. */
  pull(): Promise<void>
  plug(): Promise<void>
}

export async function layCable(to: string): Promise<Cable> {
  const target = Number(new URL(to).port)
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const port = await ownPort()

  async function plug(): Promise<void> {
    server = createServer((near) => {
      const far = connect(target, '127.0.0.1')
      for (const socket of [near, far]) {
        sockets.add(socket)
        socket.on('close', () => sockets.delete(socket))
        socket.on('error', () => undefined)
      }
      near.pipe(far).pipe(near)
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }

  async function pull(): Promise<void> {
    const closed = server?.listening === true ? once(server, 'close') : undefined
    server?.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }

  await plug()
  onTestFinished(pull)
  return { url: `http://127.0.0.1:${port}`, pull, plug }
}
