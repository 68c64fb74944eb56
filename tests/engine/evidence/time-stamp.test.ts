import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStampRequest, readTimeStamp } from '../../../electron/engine/evidence/time-stamp.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { openssl, startAuthority, type TestAuthority } from '../../support/time-stamp-authority.ts'

const data = Buffer.from('0123  SHA256SUMS\n')

describe.skipIf(openssl === undefined).each([{ isElliptic: false }, { isElliptic: true }])(
  'time stamps of an authority (%o)',
  ({ isElliptic }) => {
    let authority: TestAuthority
    let request: ReturnType<typeof createStampRequest>
    let response: Buffer
    beforeAll(async () => {
      authority = await startAuthority({ isElliptic })
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
      const stamp = await readTimeStamp(response, data, request.nonce)
      expect(stamp.signedBy).toBe('Example time stamps')
      expect(Math.abs(Date.parse(stamp.at) - Date.now())).toBeLessThan(60_000)
    })

    test('other data, another request, and a changed signature are refused', async () => {
      const other = createStampRequest(data)
      await expect(readTimeStamp(response, Buffer.from('other'), request.nonce)).rejects.toThrow('of something else')
      await expect(readTimeStamp(response, data, other.nonce)).rejects.toThrow('answers another request')
      const changed = Buffer.from(response)
      changed[changed.length - 8] = (changed[changed.length - 8] ?? 0) ^ 1
      await expect(readTimeStamp(changed, data, request.nonce)).rejects.toThrow('not valid')
      await expect(readTimeStamp(Buffer.concat([response, data]), data, request.nonce)).rejects.toThrow(
        'cannot be read',
      )
    })

    test('no change of one byte makes a stamp of other data or another time', async () => {
      const { at } = await readTimeStamp(response, data, request.nonce)
      const change = fc.tuple(fc.nat(response.length - 1), fc.integer({ min: 1, max: 255 }))
      await fc.assert(
        fc.asyncProperty(change, async ([index, mask]) => {
          const changed = Buffer.from(response)
          changed[index] = (changed[index] ?? 0) ^ mask
          const found = await readTimeStamp(changed, data, request.nonce).catch((error: Error) => error.name)
          // What is not signed may change: the text of a status, certificates of others.
          expect(typeof found === 'string' ? found : found.at).toBe(typeof found === 'string' ? 'StampError' : at)
        }),
        { numRuns: 60 },
      )
    })
  },
)

test('bytes that are no response are refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      await expect(readTimeStamp(bytes, data, undefined)).rejects.toMatchObject({ name: 'StampError' })
    }),
  )
  const nested = Buffer.alloc(60_000, Buffer.from([0x30, 0x80]))
  await expect(readTimeStamp(nested, data, undefined)).rejects.toMatchObject({ name: 'StampError' })
  await expect(readTimeStamp(Buffer.alloc(70_000, 0x30), data, undefined)).rejects.toThrow('too large')
})
