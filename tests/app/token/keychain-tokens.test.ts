import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
import { createKeychainTokens, type Keychain } from '../../../electron/app/token/keychain-tokens.ts'
import { createTokenStore, TokenReader } from '../../../electron/app/token/token-reader.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const choose = { file: { inFile: true }, keychain: { inFile: false } }

/** Encrypts with a key that only this process has, as a system keychain does with one that only this user has. */
function keychainOf(key: Buffer, isAvailable = true): Keychain {
  return {
    isAvailable: () => Promise.resolve(isAvailable),
    encrypt(text) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const bytes = Buffer.concat([cipher.update(text), cipher.final()])
      return Promise.resolve(Buffer.concat([iv, cipher.getAuthTag(), bytes]))
    },
    async decrypt(bytes) {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Promise.resolve(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString())
    },
  }
}

function open(home: string, keychain: Keychain, environmentToken?: string) {
  const redactor = createRedactor()
  const warnings: string[] = []
  const silent = () => undefined
  const log = { debug: silent, info: silent, error: silent, warn: (message: string) => void warnings.push(message) }
  const source = new TokenReader({
    homeFolder: home,
    environmentToken,
    platform: process.platform,
    redactor,
    showMessage: (message) => void warnings.push(message),
  })
  const clock = new FakeClock()
  const keepSecret = (text: string) => redactor.addSecret(text)
  const file = createTokenStore(home, source)
  const tokens = createKeychainTokens({ file, keychain, homeFolder: home, keepSecret, log, clock })
  return { tokens, file, source, redactor, warnings, clock }
}

test('with a keychain the token is kept encrypted, and the next start reads it', async () => {
  const [home, key] = [temporaryFolder(), randomBytes(32)]
  const { tokens } = open(home, keychainOf(key))
  expect([await tokens.source(), await tokens.read(), await tokens.keepsIn()]).toEqual(['none', undefined, 'keychain'])
  await tokens.save('canary-token-1', choose.keychain)
  expect([await tokens.source(), await tokens.read()]).toEqual(['keychain', 'canary-token-1'])
  expect(readdirSync(home)).toEqual(['token.encrypted'])
  const kept = join(home, 'token.encrypted')
  expect(Buffer.from(readFileSync(kept, 'utf8'), 'base64').toString('latin1')).not.toContain('canary')
  if (process.platform !== 'win32') expect(statSync(kept).mode & 0o777).toBe(0o600)

  const next = open(home, keychainOf(key))
  expect(await next.tokens.read()).toBe('canary-token-1')
  expect(next.redactor.redactText('it was canary-token-1')).not.toContain('canary')
})

test('a token is stored in one location only', async () => {
  const home = temporaryFolder()
  const { tokens } = open(home, keychainOf(randomBytes(32)))
  await tokens.save('token-in-file', choose.file)
  expect([await tokens.source(), await tokens.read()]).toEqual(['file', 'token-in-file'])
  expect(readdirSync(home)).toEqual(['token'])
  await tokens.save('token-in-keychain', choose.keychain)
  expect(readdirSync(home)).toEqual(['token.encrypted'])
  await tokens.save('token-in-file-again', choose.file)
  expect(readdirSync(home)).toEqual(['token'])
  expect(await tokens.read()).toBe('token-in-file-again')
})

test('a host without a keychain replaces the token that the app keeps in one', async () => {
  const [home, keychain] = [temporaryFolder(), keychainOf(randomBytes(32))]
  const app = open(home, keychain)
  await app.tokens.save('token-in-keychain', choose.keychain)
  await open(home, keychain).file.save('token-of-browser', choose.keychain)
  expect(readdirSync(home)).toEqual(['token'])
  expect([await app.tokens.source(), await app.tokens.read()]).toEqual(['file', 'token-of-browser'])
})

test('a token that cannot be removed keeps another one from being stored', async () => {
  const [home, keychain] = [temporaryFolder(), keychainOf(randomBytes(32))]
  const refused = { code: 'wrong-settings', message: expect.stringContaining('Nothing was changed') as string }
  // A folder stands for a file that another program holds open.
  mkdirSync(join(home, 'token'))
  const { tokens } = open(home, keychain)
  await expect(tokens.save('token-1', choose.keychain)).rejects.toMatchObject(refused)
  expect([readdirSync(home), await tokens.read()]).toEqual([['token'], undefined])
  rmdirSync(join(home, 'token'))
  await tokens.save('token-1', choose.keychain)
  mkdirSync(join(home, 'token'))
  await expect(tokens.save('token-2', choose.keychain)).rejects.toMatchObject(refused)
  expect(await open(home, keychain).tokens.read()).toBe('token-1')

  const other = temporaryFolder()
  mkdirSync(join(other, 'token.encrypted'))
  await expect(open(other, keychain).tokens.save('token-3', choose.file)).rejects.toMatchObject(refused)
  expect(readdirSync(other)).toEqual(['token.encrypted'])
})

test('the token of the environment is used until it is refused, then the stored one', async () => {
  const [home, key] = [temporaryFolder(), randomBytes(32)]
  await open(home, keychainOf(key)).tokens.save('token-kept', choose.keychain)
  const { tokens, source } = open(home, keychainOf(key), 'token-of-environment')
  expect([await tokens.source(), await tokens.read()]).toEqual(['environment', 'token-of-environment'])
  source.recordRefusal()
  expect([await tokens.source(), await tokens.read()]).toEqual(['keychain', 'token-kept'])
})

test('without a keyring no token is stored, unless the user chooses the private file', async () => {
  const home = temporaryFolder()
  const { tokens } = open(home, keychainOf(randomBytes(32), false))
  expect(await tokens.keepsIn()).toBe('nowhere')
  await expect(tokens.save('token-1', choose.keychain)).rejects.toMatchObject({ code: 'wrong-settings' })
  expect(readdirSync(home)).toEqual([])
  await tokens.save('token-1', choose.file)
  expect([await tokens.source(), await tokens.read()]).toEqual(['file', 'token-1'])
})

test('a token encrypted on another computer is reported as unreadable once, and not used', async () => {
  const home = temporaryFolder()
  await open(home, keychainOf(randomBytes(32))).tokens.save('token-1', choose.keychain)
  const { tokens, warnings } = open(home, keychainOf(randomBytes(32)))
  expect([await tokens.source(), await tokens.read(), await tokens.read()]).toEqual(['none', undefined, undefined])
  expect(warnings).toEqual(['The stored token could not be decrypted with the keychain'])
  await tokens.save('token-2', choose.keychain)
  expect(await tokens.read()).toBe('token-2')
})

test('a token in a locked keyring is reported as stored, and used once the keyring opens', async () => {
  const [home, key] = [temporaryFolder(), randomBytes(32)]
  await open(home, keychainOf(key)).tokens.save('token-1', choose.keychain)
  let [isOpen, asked] = [false, 0]
  const keyring = keychainOf(key)
  const { tokens, clock, warnings } = open(home, {
    ...keyring,
    isAvailable() {
      asked += 1
      return Promise.resolve(isOpen)
    },
  })
  expect([await tokens.source(), await tokens.read()]).toEqual(['none', undefined])
  expect(await tokens.problem()).toContain('A token is stored, but the keyring cannot be opened')
  isOpen = true
  expect([await tokens.read(), asked]).toEqual([undefined, 1])
  await clock.advance(20_000)
  expect([await tokens.read(), await tokens.source(), await tokens.problem()]).toEqual(['token-1', 'keychain', null])
  expect(warnings).toHaveLength(1)
})

test('a stored token decrypted with a wrong key is not used', async () => {
  const home = temporaryFolder()
  // Chromium on Linux encrypts without authentication: one wrong key in 256 decrypts the text to something else.
  const keychain: Keychain = {
    isAvailable: () => Promise.resolve(true),
    encrypt: (text) => Promise.resolve(Buffer.from(text)),
    decrypt: (bytes) => Promise.resolve(Buffer.from(bytes.map((byte) => byte ^ 0xa5)).toString('latin1')),
  }
  await open(home, keychain).tokens.save('token-1', choose.keychain)
  const { tokens, warnings } = open(home, keychain)
  expect([await tokens.source(), await tokens.read()]).toEqual(['none', undefined])
  expect(warnings).toEqual(['The stored token could not be decrypted with the keychain'])
})
