import { extname } from 'node:path'

/** Endings under which the service stores reports and photos, and which no system takes for a program. */
const safeEndings: ReadonlySet<string> = new Set([
  ...['.pdf', '.jpg', '.jpeg', '.png', '.webp', '.gif', '.heic', '.heif', '.avif', '.tif', '.tiff', '.bmp'],
  ...['.mp4', '.mov', '.m4v', '.webm'],
])

/** Whether a file may be given to whatever program the machine has for it: its name comes from the service. */
export function isSafeToOpen(path: string): boolean {
  return safeEndings.has(extname(path).toLowerCase())
}
