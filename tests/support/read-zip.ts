import { buffer } from 'node:stream/consumers'
import { type Entry, fromBuffer } from 'yauzl'

/** A file of a zip: its bytes, and its stored permissions. */
export interface ZipEntry {
  readonly bytes: Buffer
  readonly mode: number
}

/** Returns the files of a zip by name. */
export function readZip(zip: Buffer): Promise<Map<string, ZipEntry>> {
  return new Promise((resolve, reject) => {
    fromBuffer(zip, { lazyEntries: true }, (error, file) => {
      if (error !== null) return reject(error)
      const entries = new Map<string, ZipEntry>()
      file.on('error', reject)
      file.on('end', () => resolve(entries))
      file.on('entry', (entry: Entry) => {
        file.openReadStream(entry, (openError, stream) => {
          if (openError !== null) return reject(openError)
          buffer(stream).then((bytes) => {
            entries.set(entry.fileName, { bytes, mode: (entry.externalFileAttributes >>> 16) & 0o777 })
            file.readEntry()
          }, reject)
        })
      })
      file.readEntry()
    })
  })
}
