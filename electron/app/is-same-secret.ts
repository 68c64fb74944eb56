import { createHash, timingSafeEqual } from 'node:crypto'

/** Returns whether a text is the secret, in a time that says nothing about the secret: hashes have the same length. */
export function isSameSecret(text: string, secret: string): boolean {
  const hash = (value: string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(hash(text), hash(secret))
}
