import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStampRequest, readTimeStamp } from '../../../electron/engine/evidence/time-stamp.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import {
  openssl,
  replaceBytes,
  setTime,
  startAuthority,
  type TestAuthority,
  verifyWithOpenssl,
} from '../../support/time-stamp-authority.ts'

const data = Buffer.from('0123  SHA256SUMS\n')

describe.skipIf(openssl === undefined).each([
  { isElliptic: false, nameHash: 'sha1' },
  { isElliptic: true, nameHash: 'sha512' },
])('time stamps of an authority (%o)', (kind) => {
  let authority: TestAuthority
  let request: ReturnType<typeof createStampRequest>
  const askedNow = ({ nonce } = request) => ({ nonce, nowMs: Date.now() })
  let response: Buffer
  beforeAll(async () => {
    authority = await startAuthority(kind)
    request = createStampRequest(data)
    const answer = await fetch(authority.url, { method: 'POST', body: Buffer.from(request.bytes) })
    response = Buffer.from(await answer.arrayBuffer())
  })
  afterAll(() => authority.close())

  test('a request has the hash, a nonce, and asks for the certificate', () => {
    const file = join(temporaryFolder(), 'request.tsq')
    writeFileSync(file, request.bytes)
    const text = execFileSync('openssl', ['ts', '-query', '-in', file, '-text'], { encoding: 'utf8' })
    expect(text).toMatch(/Hash Algorithm: sha256[^]*Nonce: 0x[0-9A-F]{16}[^]*Certificate required: yes/)
    expect(Buffer.from(request.bytes).includes(data)).toBe(false)
  })

  test('a response is a time stamp of the data', async () => {
    const stamp = await readTimeStamp(response, data, askedNow())
    expect(stamp.signedBy).toBe('Example time stamps')
    expect(Math.abs(Date.parse(stamp.at) - Date.now())).toBeLessThan(60_000)
  })

  test('other data, another request, and a changed signature are refused', async () => {
    const other = createStampRequest(data)
    await expect(readTimeStamp(response, Buffer.from('other'), askedNow())).rejects.toThrow('of something else')
    await expect(readTimeStamp(response, data, askedNow(other))).rejects.toThrow('answers another request')
    const changed = Buffer.from(response)
    changed[changed.length - 8] = (changed[changed.length - 8] ?? 0) ^ 1
    await expect(readTimeStamp(changed, data, askedNow())).rejects.toThrow('not valid')
    await expect(readTimeStamp(Buffer.concat([response, data]), data, askedNow())).rejects.toThrow('cannot be read')
  })

  test('no change of one byte makes a stamp of other data or another time', async () => {
    const { at } = await readTimeStamp(response, data, askedNow())
    const change = fc.tuple(fc.nat(response.length - 1), fc.integer({ min: 1, max: 255 }))
    await fc.assert(
      fc.asyncProperty(change, async ([index, mask]) => {
        const changed = Buffer.from(response)
        changed[index] = (changed[index] ?? 0) ^ mask
        const found = await readTimeStamp(changed, data, askedNow()).catch((error: Error) => error.name)
        // What is not signed may change: the text of a status, certificates of others.
        expect(typeof found === 'string' ? found : found.at).toBe(typeof found === 'string' ? 'StampError' : at)
      }),
      { numRuns: 60 },
    )
  })
})

const oidOf = { signingCertificateV2: '060b2a864886f70d010910022f', extendedKeyUsage: '0603551d25' }

/** Mistakes of an authority that `openssl ts -verify` finds. */
const wrong: Readonly<Record<string, { readonly edit: (bytes: Buffer) => void; readonly why: string }>> = {
  'does not name its certificate': {
    edit: (bytes) => replaceBytes(bytes, oidOf.signingCertificateV2, oidOf.signingCertificateV2.replace(/2f$/, '7f')),
    why: 'does not name the certificate',
  },
  'names another certificate': {
    // The hash is below five headers of two bytes after the attribute's type.
    edit: (bytes) => {
      const hashAt = bytes.indexOf(Buffer.from(oidOf.signingCertificateV2, 'hex')) + 23
      bytes.fill(0, hashAt, hashAt + 32)
    },
    why: 'names another certificate',
  },
  'has a certificate that may have other purposes': {
    edit: (bytes) => replaceBytes(bytes, `${oidOf.extendedKeyUsage}0101ff`, `${oidOf.extendedKeyUsage}010100`),
    why: 'is not marked critical',
  },
  'has a certificate for code': {
    edit: (bytes) => replaceBytes(bytes, '06082b06010505070308', '06082b06010505070303'),
    why: 'not one for time stamps',
  },
  'has a key for encryption': {
    edit: (bytes) => replaceBytes(bytes, '0603551d0f0101ff040403020780', '0603551d0f0101ff040403020520'),
    why: 'key is for something else',
  },
}

describe.skipIf(openssl === undefined)('a changed stamp that was signed again', () => {
  let authority: TestAuthority
  let request: ReturnType<typeof createStampRequest>
  let answer: Buffer
  beforeAll(async () => {
    authority = await startAuthority()
    request = createStampRequest(data)
    const response = await fetch(authority.url, { method: 'POST', body: Buffer.from(request.bytes) })
    answer = Buffer.from(await response.arrayBuffer())
  })
  afterAll(() => authority.close())
  const judge = (stamp: Buffer) => {
    const file = join(temporaryFolder(), 'SHA256SUMS')
    writeFileSync(file, data)
    writeFileSync(`${file}.tsr`, stamp)
    return verifyWithOpenssl(file, `${file}.tsr`, authority.caFile)
  }

  test('is one if nothing but its time was changed, and a fresh one only if that is now', async () => {
    const nowMs = Date.now()
    const at = (ms: number) => authority.change(answer, (bytes) => setTime(bytes, ms))
    const asked = { nonce: request.nonce, nowMs }
    const inTwoHours = at(nowMs + 2 * 60 * 60_000)
    expect(judge(inTwoHours)).toContain('Verification: OK')
    expect(Date.parse((await readTimeStamp(inTwoHours, data)).at)).toBeGreaterThan(nowMs + 60 * 60_000)
    await expect(readTimeStamp(inTwoHours, data, asked)).rejects.toThrow(
      `clock of this computer says ${new Date(nowMs).toISOString()}`,
    )
    const inTwentyMinutes = await readTimeStamp(at(nowMs + 20 * 60_000), data, asked)
    expect(inTwentyMinutes.signedBy).toBe('Example time stamps')
  })

  test.each(Object.entries(wrong))('is refused if it %s, as by openssl', async (_, { edit, why }) => {
    const stamp = authority.change(answer, edit)
    expect(() => judge(stamp)).toThrow('Command failed')
    await expect(readTimeStamp(stamp, data)).rejects.toThrow(why)
  })
})

test('bytes that are no response are refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      await expect(readTimeStamp(bytes, data)).rejects.toMatchObject({ name: 'StampError' })
    }),
  )
  const nested = Buffer.alloc(60_000, Buffer.from([0x30, 0x80]))
  await expect(readTimeStamp(nested, data)).rejects.toMatchObject({ name: 'StampError' })
  await expect(readTimeStamp(Buffer.alloc(70_000, 0x30), data)).rejects.toThrow('too large')
})
