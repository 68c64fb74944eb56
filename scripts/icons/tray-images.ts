import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeIco } from './ico.ts'
import { drawPicture } from './picture.ts'

/** Tray icon states. They differ in shape, because macOS shows one color and some people cannot distinguish colors. */
export const trayStates = ['idle', 'syncing', 'paused', 'attention', 'offline'] as const
type TrayState = (typeof trayStates)[number]

/** Colors in the drawings. Amber marks what needs attention. */
const drawn = { ink: '#1f2937', accent: '#f59e0b' }

/** Colors by panel. The amber of the drawings would be too pale on a light panel. */
const panels = {
  light: { ink: '#1f2937', accent: '#b45309' },
  dark: { ink: '#f1f5f9', accent: '#fbbf24' },
}

/** Colors of a template image. macOS uses only its alpha and applies the color of the menu bar. */
const template = { ink: '#000000', accent: '#000000' }

/**
 * Drawing and view box by icon size in pixels. Each drawing is on a grid of whole pixels, so that edges stay sharp at
 * its own size and twice that; other sizes add or crop a margin.
 */
const views = new Map([
  [16, { grid: 16, viewBox: '0 0 16 16' }],
  [20, { grid: 22, viewBox: '1 1 20 20' }],
  [22, { grid: 22, viewBox: '0 0 22 22' }],
  [24, { grid: 22, viewBox: '-1 -1 24 24' }],
  [32, { grid: 16, viewBox: '0 0 16 16' }],
  [40, { grid: 22, viewBox: '1 1 20 20' }],
  [48, { grid: 22, viewBox: '-1 -1 24 24' }],
])

/** Icon sizes of the Windows notification area at 100 to 300 % scaling. */
const windowsSizes = [16, 20, 24, 32, 40, 48]
const linuxSizes = [16, 22, 24, 32]

/**
 * Returns the tray images of each platform, drawn from `tray/drawings/`, as bytes by path below the resources folder.
 */
export async function makeTrayImages(resources: string): Promise<Map<string, Uint8Array>> {
  const draw = async (state: TrayState, size: number, colors: typeof drawn) => {
    const view = views.get(size)
    if (view === undefined) throw new Error(`No drawing fits a tray image of ${size} pixels.`)
    const svg = await readFile(join(resources, 'tray', 'drawings', `${state}-${view.grid}.svg`), 'utf8')
    const colored = svg.replace(drawn.ink, colors.ink).replace(drawn.accent, colors.accent)
    return drawPicture(colored.replace(/viewBox="[^"]*"/, `viewBox="${view.viewBox}"`), size)
  }

  const made = new Map<string, Uint8Array>()
  for (const state of trayStates) {
    made.set(`tray/mac/${state}Template.png`, (await draw(state, 16, template)).png)
    made.set(`tray/mac/${state}Template@2x.png`, (await draw(state, 32, template)).png)
    for (const [panel, colors] of Object.entries(panels)) {
      const name = `${state}-on-${panel}`
      const pictures = await Promise.all(windowsSizes.map((size) => draw(state, size, colors)))
      made.set(`tray/windows/${name}.ico`, writeIco(pictures))
      for (const size of linuxSizes) made.set(`tray/linux/${name}-${size}.png`, (await draw(state, size, colors)).png)
    }
  }
  return made
}
