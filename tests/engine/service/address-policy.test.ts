import { describe, expect, it } from 'vitest'
import {
  addressNearness,
  createLinkPolicy,
  type AddressPolicy,
  type LinkPolicyDeps,
} from '../../../electron/engine/service/address-policy.ts'

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
    '::ffff:7f00:1',
    '::ffff:0:127.0.0.1',
    '::ffff:0:7f00:1',
    '::ffff:0:10.0.0.1',
    '2606:4700::5efe:127.0.0.1',
    '2606:4700:0:1:200:5efe:192.168.0.1',
    '64:ff9b:1::1',
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
    expect(addressNearness(address, () => [])).not.toBe('public')
  })

  it.each([
    '8.8.8.8',
    '172.32.0.1',
    '2606:4700::1111',
    '64:ff9b::808:808',
    '2001:4860:4860::8888',
    '::ffff:8.8.8.8',
    '2606:4700:0:1:1234:5efe:808:808',
    'example.com',
  ])('treats %s as public', (host) => {
    expect(addressNearness(host, () => [])).toBe('public')
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

  it.each([
    '127.0.0.1',
    '127.1.2.3',
    '0.0.0.0',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '203.0.113.7',
    '::ffff:203.0.113.7',
    '::ffff:0:203.0.113.7',
    '64:ff9b::203.0.113.7',
    '192.168.1.5',
    'fe80::1%eth0',
    '2001:4860::5',
  ])('knows that %s is this machine', (address) => {
    expect(addressNearness(address, () => ['203.0.113.7', '192.168.1.5', 'fe80::1%eth0', '2001:4860::5'])).toBe(
      'machine',
    )
  })

  it('allows addresses that are no nearer than the one of the service', () => {
    const allows = (service: string, link: string) => {
      try {
        createLinkPolicy(new URL(service), { ownAddresses: () => ['192.168.1.5', '203.0.113.7'] }).check(new URL(link))
        return true
      } catch {
        return false
      }
    }
    expect(allows('http://192.168.1.9', 'http://192.168.1.10/a')).toBe(true)
    expect(allows('http://192.168.1.9', 'http://127.0.0.1/a')).toBe(false)
    expect(allows('http://192.168.1.9', 'http://localhost/a')).toBe(false)
    expect(allows('http://192.168.1.9', 'http://192.168.1.5/a')).toBe(false)
    expect(allows('http://192.168.1.9', 'http://[::ffff:0:127.0.0.1]/a')).toBe(false)
    expect(allows('https://8.8.8.8', 'https://203.0.113.7/a')).toBe(false)
    for (const service of ['http://127.0.0.1', 'http://localhost', 'http://192.168.1.5', 'http://[::1]']) {
      expect(allows(service, 'http://127.0.0.1:8080/a')).toBe(true)
      expect(allows(service, 'http://192.168.1.10/a')).toBe(true)
    }
  })

  it.each<[string, readonly string[] | null, boolean]>([
    ['a loopback address', ['127.0.0.1', '::1'], true],
    ['a loopback and a private address', ['127.0.0.1', '192.168.1.9'], false],
    ['a private address', ['192.168.1.9'], false],
    ['a private and a public address', ['192.168.1.9', '8.8.8.8'], false],
    ['no address', [], false],
    ['nothing, because the lookup fails', null, false],
  ])('looks up a loopback file host for a service whose name has %s: %s', async (_name, addresses, isAllowed) => {
    const found = await resolve('http://service.example', {
      addressesOf: () => (addresses === null ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(addresses)),
    })
    expect(found).toMatch(isAllowed ? /^(127\.0\.0\.1|::1)$/ : /private network/)
  })

  it('looks up the service again for each file: its name may move', async () => {
    let addresses = ['127.0.0.1']
    const deps: LinkPolicyDeps = { addressesOf: () => Promise.resolve(addresses) }
    const policy = createLinkPolicy(new URL('http://service.example'), deps)
    expect(await resolveBy(policy)).toMatch(/^(127\.0\.0\.1|::1)$/)
    addresses = ['127.0.0.1', '8.8.8.8']
    expect(await resolveBy(policy)).toMatch(/private network/)
  })

  it('refuses a name that resolves to a private address, unless the service has one too', async () => {
    expect(await resolve('https://8.8.8.8')).toMatch(/private network/)
    expect(await resolve('http://127.0.0.1:1')).toMatch(/^(127\.0\.0\.1|::1)$/)
  })

  const resolve = (service: string, deps?: LinkPolicyDeps) => resolveBy(createLinkPolicy(new URL(service), deps))

  /** Returns the address of `localhost`, or the message of the refusal. */
  function resolveBy(policy: AddressPolicy): Promise<string> {
    return new Promise((settle) => {
      policy.lookup('localhost', { all: false }, (error, address) => {
        settle(error === null && typeof address === 'string' ? address : String(error?.message))
      })
    })
  }
})
