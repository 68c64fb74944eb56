import { writeFileDurably } from './durable-files.ts'

/** `writeFileDurably` for what nobody but its owner may read: settings, tokens, and where an archive is. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await writeFileDurably(path, text, { mode: 0o600 })
}
