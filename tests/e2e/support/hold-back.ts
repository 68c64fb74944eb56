import type { Page } from 'playwright-core'
import { until } from '../../support/watching.ts'

export interface HeldBack {
  /** Waits until a response is held whose URL, or what was sent to it, contains `part`. */
  readonly until: (part: string) => Promise<void>
  /** Releases such responses, including later ones. */
  readonly release: (part: string) => void
}

/** Holds the responses to requests that match `patterns` until they are released. */
export async function holdBack(page: Page, patterns: readonly string[]): Promise<HeldBack> {
  const released: string[] = []
  const held: { readonly request: string; readonly release: () => void }[] = []
  for (const pattern of patterns) {
    await page.route(pattern, async (route) => {
      const response = await route.fetch()
      const request = `${route.request().url()} ${route.request().postData() ?? ''}`
      if (!released.some((part) => request.includes(part))) {
        await new Promise<void>((release) => held.push({ request, release }))
      }
      await route.fulfill({ response })
    })
  }
  const of = (part: string) => held.filter(({ request }) => request.includes(part))
  return {
    until: (part) => until(`an answer of ${part} is held back`, () => of(part).length > 0),
    release(part) {
      released.push(part)
      for (const answer of of(part)) answer.release()
    },
  }
}
