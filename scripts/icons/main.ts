// Generates the icon and the tray images of resources/ from the drawings beside them.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeAppIcons } from './app-icon.ts'
import { makeTrayImages } from './tray-images.ts'

const resources = join(import.meta.dirname, '..', '..', 'resources')
const made = [...(await makeAppIcons(resources)), ...(await makeTrayImages(resources))]
for (const [path, bytes] of made) {
  await mkdir(dirname(join(resources, path)), { recursive: true })
  await writeFile(join(resources, path), bytes)
}
console.log(`${made.length} images written to resources/.`)
