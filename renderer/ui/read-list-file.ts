import { formatBytes } from '../labels/format-numbers.ts'
import { CallError } from '../transport/transport.ts'

/** What the engine takes (shared/project-preview.ts, shared/order/order-views.ts). */
const mostListBytes = 4 * 1024 * 1024

/** A list's file as it is on disk, in base64: the engine knows the encodings that spreadsheets write. Throws a CallError. */
export function readListFile(file: File): Promise<string> {
  if (file.size > mostListBytes) {
    const most = formatBytes(mostListBytes)
    throw new CallError('wrong-usage', `${file.name} is larger than ${most}: that is no such list.`)
  }
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve((reader.result as string).replace(/^[^,]*,/, '')))
    reader.addEventListener('error', () =>
      reject(new CallError('wrong-usage', `${file.name} cannot be read. Save it again, or choose another file.`)),
    )
    reader.readAsDataURL(file)
  })
}
