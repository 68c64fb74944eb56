import { createHash } from 'node:crypto'
import { type ExportTarget, type FolderTarget, hashedText } from './export-target.ts'

/** Facts for `bag-info.txt`. */
export interface BagFacts {
  readonly title: string
  /** Moment of the plan, ISO 8601 UTC. */
  readonly at: string
}

/** Folder of the payload (RFC 8493, section 2.1.2). */
const payload = 'data'

/**
 * Makes a BagIt 1.0 bag (RFC 8493) around a folder: files go into `data`, and the tag files are written at the end.
 */
export function bagTarget(folder: FolderTarget, { title, at }: BagFacts): ExportTarget {
  const sums: { path: string; sha256: string }[] = []
  let octets = 0
  const payloadPath = (path: string) => `${payload}/${path}`
  const recordFile = (path: string, sha256: string, sizeBytes: number) => {
    sums.push({ path: payloadPath(path), sha256 })
    octets += sizeBytes
  }

  async function addTag(path: string, text: string): Promise<string> {
    await folder.addText(path, [text], new Date(at))
    return `${createHash('sha256').update(text).digest('hex')}  ${manifestPath(path)}\n`
  }

  return {
    ...folder,
    async addBytes(path, bytes, modifiedAt) {
      await folder.addBytes(payloadPath(path), bytes, modifiedAt)
      recordFile(path, createHash('sha256').update(bytes).digest('hex'), bytes.length)
    },
    async addLarge(path, file, modifiedAt) {
      await folder.addLarge(payloadPath(path), file, modifiedAt)
      recordFile(path, file.sha256, file.sizeBytes)
    },
    async addText(path, text, modifiedAt) {
      const passed = hashedText(text)
      await folder.addText(payloadPath(path), passed.text, modifiedAt)
      const { sha256, sizeBytes } = passed.end()
      recordFile(path, sha256, sizeBytes)
    },
    async keeps(path, content) {
      const isKept = await folder.keeps(payloadPath(path), content)
      if (isKept) recordFile(path, content.sha256, content.sizeBytes)
      return isKept
    },
    async finish(signal) {
      // A bag has this folder, also without a payload.
      await folder.addFolder(payload)
      const manifest = sums.map(({ path, sha256 }) => `${sha256}  ${manifestPath(path)}\n`).join('')
      const tags = [
        await addTag('bagit.txt', 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n'),
        await addTag('bag-info.txt', bagInfo({ title, at, octets, streams: sums.length })),
        await addTag('manifest-sha256.txt', manifest),
      ]
      await folder.addText('tagmanifest-sha256.txt', [tags.join('')], new Date(at))
      await folder.finish(signal)
    },
  }
}

/** Returns the reserved elements of RFC 8493, section 2.2.2. */
function bagInfo({ title, at, octets, streams }: BagFacts & { octets: number; streams: number }): string {
  const elements = [
    ['Bagging-Date', at.slice(0, 10)],
    ['Payload-Oxum', `${octets}.${streams}`],
    ['External-Description', `Photos and reports of site checklists: ${title.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()}`],
    ['Bag-Software-Agent', 'Solarchive'],
  ]
  return elements.map(([label, value]) => `${label}: ${value}\n`).join('')
}

/** Encodes what a manifest must not have in a path, and nothing else (RFC 8493, section 2.1.3). */
export function manifestPath(path: string): string {
  return path.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
