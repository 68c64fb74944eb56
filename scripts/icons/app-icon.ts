import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { icnsTypes, writeIcns } from './icns.ts'
import { writeIco } from './ico.ts'
import { drawPicture } from './picture.ts'

/** Largest size at which the simple drawing is clearer: the full one's lines are thinner than a pixel. */
const largestSimplePx = 32

const windowsSizes = [16, 20, 24, 32, 40, 48, 64, 128, 256]
const linuxSizes = [16, 24, 32, 48, 64, 128, 256, 512]

/**
 * Returns the app icon of each platform, drawn from `icon.svg` and `icon-small.svg`, as bytes by path below the
 * resources folder.
 */
export async function makeAppIcons(resources: string): Promise<Map<string, Uint8Array>> {
  const full = await readFile(join(resources, 'icon.svg'), 'utf8')
  const simple = await readFile(join(resources, 'icon-small.svg'), 'utf8')
  const draw = (size: number) => drawPicture(size > largestSimplePx ? full : simple, size)
  const drawForMac = (size: number) =>
    drawPicture(size > largestSimplePx ? placeOnMacCanvas(full) : placeSmallOnMacCanvas(simple), size)

  const made = new Map<string, Uint8Array>()
  made.set('icon.png', (await draw(512)).png)
  made.set('icon@2x.png', (await draw(1024)).png)
  made.set('icon.ico', writeIco(await Promise.all(windowsSizes.map(draw))))
  const macSizes = new Set(icnsTypes.map(([, size]) => size))
  made.set('icon.icns', writeIcns(await Promise.all([...macSizes].map(drawForMac))))
  for (const size of linuxSizes) made.set(`icons/${size}x${size}.png`, (await draw(size)).png)
  return made
}

/** Apple's grid: a rounded square of 824 on a canvas of 1024, with a soft shadow below. */
function placeOnMacCanvas(svg: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1024 1024">
    <filter id="shadow" x="-10%" y="-10%" width="120%" height="120%">
      <feDropShadow dx="0" dy="10" stdDeviation="10" flood-color="#000" flood-opacity="0.3" />
    </filter>
    <g filter="url(#shadow)">${inside(svg, 'x="100" y="100" width="824" height="824" viewBox="32 32 960 960"')}</g>
  </svg>`
}

function placeSmallOnMacCanvas(svg: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">
    ${inside(svg, 'x="1" y="1" width="14" height="14" viewBox="0 0 16 16"')}
  </svg>`
}

function inside(svg: string, placement: string): string {
  return svg.replace(/^<svg [^>]*>/, `<svg ${placement}>`)
}
