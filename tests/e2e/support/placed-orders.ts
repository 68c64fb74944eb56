import type { OrderDetail } from '../../../shared/order/order-views.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import type { TestApp } from './open-app.ts'

/** The values that a user enters; the rest are defaults. */
const filledIn: OrderTexts = {
  tierLevel: 'maxFill',
  sizedForCategory: 'consumption',
  sizedForValue: '100',
  designOneModule: 'REC Alpha Pure-R 430',
  moduleSpacingShort: '0.5',
}

/** Creates a complete draft for one of the service's projects, the first by default. Resolves to its id. */
export async function draftIn({ call, service }: TestApp, texts: OrderTexts = {}, index = 0): Promise<number> {
  const { id, address } = service.projects[index] ?? { id: '', address: '' }
  const whole = { homeownerName: 'Ruth Sato', projectAddress: address, ...filledIn, ...texts }
  return (await call('orders.create', { projectId: id, texts: whole })).orderId
}

/** Places a draft as the form does. */
export async function place({ call }: TestApp, orderId: number): Promise<OrderDetail> {
  const { fingerprint } = await call('orders.review', { orderId })
  return call('orders.place', { orderId, fingerprint: fingerprint ?? '', newModule: true, again: true })
}
