import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Calls of a project, in the order in which a pass makes them. */
export type Step = 'list' | 'checklist' | 'media' | 'photo' | 'report'

export interface HostileService {
  readonly url: string
  /** Bytes that each project's hostile step has sent or buffered. */
  readonly bytesSent: ReadonlyMap<string, number>
  close(): Promise<void>
}

export interface Attack {
  readonly step: Step
  /**
   * Answers in place of the service. `write` counts bytes and resolves once more can be sent; false if nobody reads.
   */
  answer(response: ServerResponse, write: (chunk: string | Buffer) => Promise<boolean>): void | Promise<void>
  /** Number of photos of the project. */
  readonly photos?: number
}

export const photosPerProject = 6

/** A JPEG as far as its markers go. */
const photo = Buffer.alloc(3000, 'solar')
photo.set([0xff, 0xd8, 0xff, 0xe0])
photo.set([0xff, 0xd9], photo.length - 2)
const report = Buffer.from(`%PDF-1.4\n${'solar '.repeat(200)}\n%%EOF\n`)

/**
 * Starts a service of small complete projects on this machine. A project whose id is a key of `attacks` answers one
 * step its own way.
 */
export async function startHostileService(attacks: Readonly<Record<string, Attack>>): Promise<HostileService> {
  const bytesSent = new Map<string, number>()
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://h').pathname.split('/').slice(1)
    const [step, project, rest] = readPath(path)
    const attack = attacks[project]
    const answer = async () => {
      if (attack?.step === step) await attack.answer(response, writerFor(response, project, bytesSent))
      else answerPlainly(response, step, project, rest, attack?.photos ?? photosPerProject)
    }
    answer().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytesSent,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Returns the step, the project, and what follows in a path. */
function readPath(path: readonly string[]): [step: Step | null, project: string, rest: string] {
  if (path[0] === 'files') return [path[2] === 'report.pdf' ? 'report' : 'photo', path[1] ?? '', path[2] ?? '']
  const [, , call, project = '', rest = ''] = path
  if (call === 'media') return ['media', project, rest]
  return call === 'checklist' ? [rest === '' ? 'list' : 'checklist', project, rest] : [null, project, rest]
}

function answerPlainly(response: ServerResponse, step: Step | null, project: string, rest: string, photos: number) {
  const origin = `http://${response.req.headers.host}`
  const checklist = {
    id: `c-${project}`,
    title: 'Roof survey',
    status: 'completed',
    updatedAt: '2026-05-01T10:00:00Z',
    pdfUrl: `${origin}/files/${project}/report.pdf`,
  }
  const refs = Array.from({ length: photos }, (_, index) => `${project}-${index}`)
  const send = (value: unknown) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  const sendFile = (bytes: Buffer) => response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  switch (step) {
    case 'list':
      return send([checklist])
    case 'checklist': {
      const question = { label: 'Roof', mediaCategoryId: `m-${project}`, clientRefIds: refs }
      return send({ ...checklist, sections: [{ label: 'Outside', questions: [question] }] })
    }
    case 'media':
      return send(
        refs.map((ref) => ({
          id: ref,
          clientRefId: ref,
          filename: `${ref}.jpg`,
          imgUrl: `${origin}/files/${project}/${ref}.jpg`,
        })),
      )
    case 'photo':
      // No two photos are the same.
      return sendFile(Buffer.concat([photo.subarray(0, 4), Buffer.from(rest), photo.subarray(4)]))
    case 'report':
      return sendFile(report)
    default:
      return response.writeHead(404).end()
  }
}

function writerFor(response: ServerResponse, project: string, bytesSent: Map<string, number>) {
  return async (chunk: string | Buffer) => {
    if (response.destroyed || response.socket === null) return false
    bytesSent.set(project, (bytesSent.get(project) ?? 0) + chunk.length)
    if (response.write(chunk))
      return new Promise<boolean>((resolve) => setImmediate(() => resolve(!response.destroyed)))
    return new Promise<boolean>((resolve) => {
      const settle = () => {
        response.off('drain', settle)
        response.off('close', settle)
        resolve(!response.destroyed)
      }
      response.on('drain', settle)
      response.on('close', settle)
    })
  }
}
