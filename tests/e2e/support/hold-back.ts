import type { Page } from 'playwright-core'
import { until } from '../../support/watching.ts'

export interface HeldBack {
  /** Waits until a response whose URL contains `part` is held. */
  readonly until: (part: string) => Promise<void>
  /** Releases the responses whose URLs contain `part`, including later ones. */
  readonly release: (part: string) => void
}

/** Holds the responses to requests that match `patterns` until they are released. */
export async function holdBack(page: Page, patterns: readonly string[]): Promise<HeldBack> {
  const released: string[] = []
  const held: { readonly url: string; readonly release: () => void }[] = []
  for (const pattern of patterns) {
    await page.route(pattern, async (route) => {
      const response = await route.fetch()
      const url = route.request().url()
      if (!released.some((part) => url.includes(part))) {
        await new Promise<void>((release) => held.push({ url, release }))
      }
      await route.fulfill({ response })
    })
  }
  const of = (part: string) => held.filter(({ url }) => url.includes(part))
  return {
    until: (part) => until(`an answer of ${part} is held back`, () => of(part).length > 0),
    release(part) {
      released.push(part)
      for (const answer of of(part)) answer.release()
    },
  }
}
