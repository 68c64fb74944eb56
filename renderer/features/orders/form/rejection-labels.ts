import type { OrderDetail } from '../../../../shared/order/order-views.ts'
import { errorTitle } from '../../../labels/error-labels.ts'

/** Why an order was not placed: a heading, and what helps beside what the engine says. `link`: where to mend it. */
export interface PlaceProblem {
  readonly title: string
  readonly kept: string
  readonly link: { readonly label: string; readonly to: string } | null
}

const nothingPlaced = 'Nothing was placed, and the draft is kept.'

/** What kept an order from being sent, or was a plain no: nobody had to find out what became of it. */
const plainNo: ReadonlySet<string> = new Set([
  ...['rejected', 'token-refused', 'token-missing', 'no-permission', 'not-found', 'rate-limited'],
  ...['unreachable-dns', 'unreachable-refused', 'unreachable-tls', 'wrong-usage'],
])

/** For the code of an order's `problem`. `settledBy`: who found that the service does not have it after it was sent. */
export function placeProblem(code: string, settledBy: OrderDetail['settledBy']): PlaceProblem {
  if ((settledBy === 'service' || settledBy === 'person') && !plainNo.has(code)) {
    return { title: 'The service does not have this order. It was not placed.', kept: 'The draft is kept.', link: null }
  }
  switch (code) {
    case 'rejected':
      return { title: 'The service did not take the order', kept: nothingPlaced, link: null }
    case 'token-refused':
    case 'token-missing':
      return {
        title: errorTitle(code),
        kept: `${nothingPlaced} Enter a new token, then review and place it again.`,
        link: { label: 'Enter a new token', to: '/settings' },
      }
    case 'no-permission':
      return {
        title: 'This token may not place orders',
        kept: `${nothingPlaced} Ask who gave you the token, or enter another one.`,
        link: { label: 'Settings', to: '/settings' },
      }
    case 'not-found':
      return {
        title: 'The service does not know this project',
        kept: `${nothingPlaced} Check the project’s id.`,
        link: null,
      }
    case 'rate-limited':
      return { title: errorTitle(code), kept: `${nothingPlaced} Wait a minute, then place it again.`, link: null }
    case 'service-error':
      return { title: 'The service had an error', kept: `${nothingPlaced} Try again later.`, link: null }
    default:
      return { title: errorTitle(code), kept: nothingPlaced, link: null }
  }
}
