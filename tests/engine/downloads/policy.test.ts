import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs } from '../../../electron/engine/downloads/backoff.ts'
import { createLinkPolicy, isPrivateAddress, isPrivateHost } from '../../../electron/engine/downloads/link-policy.ts'

describe('the backoff of a failing file', () => {
  it('is between 15 seconds and 6 hours, half to all of a doubling step', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, random) => {
        const delayMs = backoffMs(attempts, random)
        expect(delayMs).toBeGreaterThanOrEqual(15_000)
        expect(delayMs).toBeLessThanOrEqual(6 * 3_600_000)
        expect(backoffMs(attempts + 1, random)).toBeGreaterThanOrEqual(delayMs)
      }),
    )
    expect(backoffMs(1, 1)).toBe(30_000)
    expect(backoffMs(40, 1)).toBe(6 * 3_600_000)
  })
})

describe('the check of download addresses', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '::1',
    'fd00::1',
    'fe80::1%eth0',
    '::ffff:127.0.0.1',
    '[::1]',
    '0.0.0.0',
    '::',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '[64:ff9b::10.0.0.1]',
    '64:ff9b::c0a8:101',
    '2002:7f00:1::',
    '2001:0:1::1',
    'fec0::1',
    '100::1',
  ])('treats %s as not public', (address) => {
    expect(isPrivateAddress(address)).toBe(true)
  })

  it.each([
    '8.8.8.8',
    '172.32.0.1',
    '2606:4700::1111',
    '64:ff9b::808:808',
    '2001:4860:4860::8888',
    '::ffff:8.8.8.8',
    'example.com',
  ])('treats %s as public', (host) => {
    expect(isPrivateHost(host)).toBe(false)
  })

  it('refuses http and private addresses if the service is public', () => {
    const policy = createLinkPolicy(new URL('https://api.example.com'))
    const refused = [
      'http://files.example.com/a',
      'https://127.0.0.1/a',
      'https://localhost/a',
      'file:///etc/passwd',
      'https://user:pw@files.example.com/a',
    ]
    for (const link of refused) expect(() => policy.check(new URL(link))).toThrow(/link/)
    expect(() => policy.check(new URL('https://files.example.com/a'))).not.toThrow()
  })

  it('refuses a name that resolves to a private address, unless the service has one too', async () => {
    const resolve = (service: string) =>
      new Promise<string>((settle) => {
        createLinkPolicy(new URL(service)).lookup('localhost', { all: false }, (error, address) => {
          settle(error === null && typeof address === 'string' ? address : String(error?.message))
        })
      })
    expect(await resolve('https://8.8.8.8')).toMatch(/private network/)
    expect(await resolve('http://127.0.0.1:1')).toMatch(/^(127\.0\.0\.1|::1)$/)
  })
})
