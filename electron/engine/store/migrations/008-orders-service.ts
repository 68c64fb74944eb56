/**
 * The service to which an order was sent, or where it was found, as the origin of its address: no other one knows its
 * outcome. `NULL` in earlier rows, which count as those of the current service.
 */
export const ordersService = `
ALTER TABLE orders ADD COLUMN service TEXT;
`
