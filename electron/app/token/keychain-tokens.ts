import { readFile } from 'node:fs/promises'
import { AppError } from '../../../shared/errors.ts'
import type { TokenStore } from '../ports.ts'
import type { Clock, Log } from '../../engine/lib/ports.ts'
import { writePrivateFile } from '../../engine/lib/fs/private-files.ts'
import { isToken } from './read-token-file.ts'
import { encryptedTokenFile, replaceToken, tokenFile } from './token-reader.ts'

/** Encryption with a key that the system stores for this user on this computer. */
export interface Keychain {
  /** Resolves to false if the system has no private storage, such as a Linux desktop without a keyring. */
  isAvailable(): Promise<boolean>
  encrypt(text: string): Promise<Buffer>
  /** Rejects if the key has changed or is not available. */
  decrypt(bytes: Buffer): Promise<string>
}

export interface KeychainTokensOptions {
  /** Store of the environment's token and the private file. */
  readonly file: TokenStore
  readonly keychain: Keychain
  readonly homeFolder: string
  /** Receives the token before it is used, for redaction. */
  readonly keepSecret: (text: string) => void
  readonly log: Log
  readonly clock: Clock
}

/** Backoff between attempts: a locked keychain may prompt the user at each one. */
const retryMs = { first: 20_000, max: 15 * 60_000 }

/**
 * Creates the store of the token. Precedence: the environment's until it is refused, the one encrypted with the
 * keychain's key, the private file's. Only one is stored: saving one removes the other.
 */
export function createKeychainTokens(options: KeychainTokensOptions): TokenStore {
  const { file, keychain, homeFolder, keepSecret, log, clock } = options
  const path = encryptedTokenFile(homeFolder)
  /** Text of the file when it was last decrypted, and its token. */
  let decrypted: { readonly text: string; readonly token: string } | undefined
  /** Text of the file that could not be decrypted, and the time of the next try. */
  let failed: { readonly text: string; readonly waitMs: number; readonly retryAtMs: number } | undefined

  async function read(): Promise<string | undefined> {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) return undefined
    if (decrypted?.text === text) return decrypted.token
    const nowMs = clock.monotonicMs()
    const before = failed?.text === text ? failed : undefined
    if (before !== undefined && nowMs < before.retryAtMs) return undefined
    try {
      if (!(await keychain.isAvailable())) throw new Error('There is no keychain.')
      const token = await keychain.decrypt(Buffer.from(text.trim(), 'base64'))
      // On Linux decryption does not fail with a wrong key; the result is not a token then.
      if (!isToken(token)) throw new Error('The decrypted text is not a token.')
      keepSecret(token)
      decrypted = { text, token }
      failed = undefined
      return token
    } catch (cause) {
      if (before === undefined) log.warn('The stored token could not be decrypted with the keychain', { cause })
      const waitMs = before === undefined ? retryMs.first : Math.min(retryMs.max, before.waitMs * 2)
      failed = { text, waitMs, retryAtMs: nowMs + waitMs }
      return undefined
    }
  }

  const isFromEnvironment = async () => (await file.source()) === 'environment'

  return {
    async read() {
      if (await isFromEnvironment()) return file.read()
      return (await read()) ?? file.read()
    },

    async save(token, { inFile }) {
      if (inFile) return file.save(token, { inFile })
      if (!(await keychain.isAvailable())) throw noKeychain()
      try {
        // A keychain may ask its user first: until then, the other token stays.
        const text = (await keychain.encrypt(token)).toString('base64') + '\n'
        await replaceToken(tokenFile(homeFolder), () => writePrivateFile(path, text))
      } catch (cause) {
        if (cause instanceof AppError) throw cause
        const message = 'The token could not be encrypted with the keychain. Nothing was changed.'
        throw new AppError('wrong-settings', message, { cause })
      }
    },

    remove: () => file.remove(),

    async source() {
      if (await isFromEnvironment()) return 'environment'
      return (await read()) === undefined ? file.source() : 'keychain'
    },

    async problem() {
      if (await isFromEnvironment()) return null
      if ((await read()) !== undefined || failed === undefined) return file.problem()
      return (await readFile(path).catch(() => undefined)) === undefined ? file.problem() : cannotBeOpened
    },

    keepsIn: async () => ((await keychain.isAvailable()) ? 'keychain' : 'nowhere'),
  }
}

const cannotBeOpened =
  'A token is stored, but the keyring cannot be opened: the keyring or keychain of this computer is locked, is not ' +
  'running, or has changed. Unlock it: Solarchive tries again automatically, and immediately after a restart. Or paste ' +
  'the token again.'

/** Returns the error of a token to be stored in a keychain that does not exist. */
export function noKeychain(): AppError {
  return new AppError(
    'wrong-settings',
    'This computer has no keyring that Solarchive could use. Choose to keep the token in a private file. Nothing was ' +
      'changed.',
  )
}
