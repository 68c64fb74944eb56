import type { Activity } from '../../../shared/activity.ts'

type Rows = readonly Activity[]

/** What is held with what is told, newest first. A row that is told again has counted more of the same: it is renewed in its place. */
export function withTold(held: Rows, told: Rows): { readonly renewed: Rows; readonly added: Rows } {
  const byId = new Map(told.map((row) => [row.id, row]))
  const isHeld = new Set(held.map(({ id }) => id))
  return { renewed: held.map((row) => byId.get(row.id) ?? row), added: told.filter((row) => !isHeld.has(row.id)) }
}

/**
 * What is held with the page that was fetched from before the row `before`. While it was on its way the end of what is held may
 * have been cut off: the page would stand behind a gap then, and is left out.
 */
export function withOlder(held: Rows, before: number, page: Rows): Rows {
  return held.at(-1)?.id === before ? [...held, ...page] : held
}
