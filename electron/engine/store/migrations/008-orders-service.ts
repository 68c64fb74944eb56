/**
 * Which service an order was sent to, or found at: the origin of its address. No other one can say what became of it. Null in rows
 * from before: they count as those of the present one.
 */
export const ordersService = `
ALTER TABLE orders ADD COLUMN service TEXT;
`
