import { createHash } from 'node:crypto'
import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import got from 'got'
import { measure } from './measure.ts'
import type { DownloadTask } from './messages.ts'

/** The least that keeps a file safe, and nothing else: got, SHA-256, write, fsync, rename. */
process.once('message', (task: DownloadTask) => void downloadAll(task))

async function downloadAll(task: DownloadTask): Promise<void> {
  const links = await collectLinks(task)
  await mkdir(task.folder, { recursive: true })
  const figures = await measure(async () => {
    let next = 0
    let bytes = 0
    await Promise.all(
      Array.from({ length: task.concurrency }, async () => {
        for (let index = next++; index < links.length; index = next++) {
          const body = await got(links[index] ?? '', { decompress: false }).buffer()
          createHash('sha256').update(body).digest('hex')
          const part = join(task.folder, `${index}.part`)
          const file = await open(part, 'w')
          await file.writeFile(body)
          await file.sync()
          await file.close()
          await rename(part, join(task.folder, `${index}`))
          bytes += body.length
        }
      }),
    )
    return { files: links.length, bytes }
  })
  process.send?.(figures)
  process.disconnect()
}

/** Every link of the service's plainest shapes. Not timed. */
async function collectLinks({ url, token, projectIds }: DownloadTask): Promise<string[]> {
  const get = (path: string) => got(`${url}/api/v1/${path}`, { searchParams: { access_token: token } }).json()
  const links: string[] = []
  for (const projectId of projectIds) {
    const checklists = await get(`checklist/${projectId}`)
    const categories = new Set<string>()
    for (const { id } of checklists as { id: string }[]) {
      const text = JSON.stringify(await get(`checklist/${projectId}/${id}`))
      for (const match of text.matchAll(/"mediaCategoryId":"([^"]+)"/g)) categories.add(match[1] ?? '')
    }
    const media = await Promise.all([...categories].map((id) => get(`media/${projectId}/${id}`)))
    const text = JSON.stringify([checklists, media])
    for (const match of text.matchAll(/"(https?:[^"]+)"/g)) links.push(match[1] ?? '')
  }
  return links
}
