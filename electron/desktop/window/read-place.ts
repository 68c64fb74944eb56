import { z } from 'zod'

/** Far beyond any wall of screens. */
const coordinate = z.int().min(-100_000).max(100_000)
const length = z.int().min(1).max(100_000)

/** `window.json` in the data folder: where the window was when it was not maximized, in device-independent pixels. */
const windowPlaceSchema = z.object({
  x: coordinate,
  y: coordinate,
  width: length,
  height: length,
  isMaximized: z.boolean(),
})
export type WindowPlace = z.infer<typeof windowPlaceSchema>

/** Undefined for a text that is no place: the window then opens as it does the first time. */
export function readPlace(text: string): WindowPlace | undefined {
  try {
    return windowPlaceSchema.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
