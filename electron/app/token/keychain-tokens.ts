import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { TokenStore } from '../ports.ts'
import type { Clock, Log } from '../../engine/lib/ports.ts'
import { writePrivateFile } from '../../engine/lib/fs/private-files.ts'
import { isToken } from './read-token-file.ts'
import { tokenFile } from './token-source.ts'

/** Encrypts for this person on this computer, with a key that the system keeps. */
export interface Keychain {
  /** False where the system has no place that nobody else can read: on Linux a desktop without a keyring. */
  isThere(): Promise<boolean>
  encrypt(text: string): Promise<Buffer>
  /** Rejects where the key is another one, or not to be had now. */
  decrypt(bytes: Buffer): Promise<string>
}

export interface KeychainTokensOptions {
  /** The environment's token and the private file's. */
  readonly file: TokenStore
  readonly keychain: Keychain
  readonly homeFolder: string
  /** Learns the token before anybody else does. */
  readonly keepSecret: (text: string) => void
  readonly log: Log
  readonly clock: Clock
}

/** A locked keychain may ask the person at each try: it is asked ever less often. */
const retryMs = { first: 20_000, longest: 15 * 60_000 }

/** What is kept of the token where there is a keychain: a text that only the keychain's key makes a token of. */
export function encryptedTokenFile(homeFolder: string): string {
  return join(homeFolder, 'token.encrypted')
}

/**
 * The token by precedence: the environment's until it is refused, the one that the keychain's key opens, the private file's.
 * There is never more than one kept: saving one removes the other.
 */
export function createKeychainTokens(options: KeychainTokensOptions): TokenStore {
  const { file, keychain, homeFolder, keepSecret, log, clock } = options
  const path = encryptedTokenFile(homeFolder)
  /** What the file held when it was opened last, and the token in it. */
  let opened: { readonly text: string; readonly token: string } | undefined
  /** What the file held when it could not be opened, and when that is tried again. */
  let closed: { readonly text: string; readonly waitMs: number; readonly againMs: number } | undefined

  async function read(): Promise<string | undefined> {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) return undefined
    if (opened?.text === text) return opened.token
    const nowMs = clock.monotonicMs()
    const before = closed?.text === text ? closed : undefined
    if (before !== undefined && nowMs < before.againMs) return undefined
    try {
      if (!(await keychain.isThere())) throw new Error('There is no keychain.')
      const token = await keychain.decrypt(Buffer.from(text.trim(), 'base64'))
      // Linux's encryption does not notice another key: what comes out then is no token.
      if (!isToken(token)) throw new Error('What was decrypted is no token.')
      keepSecret(token)
      opened = { text, token }
      closed = undefined
      return token
    } catch (cause) {
      if (before === undefined) log.warn('The kept token could not be opened with the key of the keychain', { cause })
      const waitMs = before === undefined ? retryMs.first : Math.min(retryMs.longest, before.waitMs * 2)
      closed = { text, waitMs, againMs: nowMs + waitMs }
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
      if (inFile) {
        await file.save(token, { inFile })
        await remove(path)
        return
      }
      if (!(await keychain.isThere())) throw noKeychain()
      try {
        await writePrivateFile(path, (await keychain.encrypt(token)).toString('base64') + '\n')
      } catch (cause) {
        throw new AppError('wrong-settings', 'The token could not be kept with the keychain. Nothing was changed.', {
          cause,
        })
      }
      await remove(tokenFile(homeFolder))
    },

    async source() {
      if (await isFromEnvironment()) return 'environment'
      return (await read()) === undefined ? file.source() : 'keychain'
    },

    async problem() {
      if (await isFromEnvironment()) return null
      if ((await read()) !== undefined || closed === undefined) return file.problem()
      return (await readFile(path).catch(() => undefined)) === undefined ? file.problem() : cannotBeOpened
    },

    keepsIn: async () => ((await keychain.isThere()) ? 'keychain' : 'nowhere'),
  }
}

const cannotBeOpened =
  "A token is stored, but the keyring cannot be opened: this computer's keyring or keychain is locked, not running, or another one " +
  'than before. Unlock it: Solarchive tries again by itself, and at once when it is started again. Or paste the token again.'

async function remove(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
  } catch (cause) {
    const problem = `The new token is kept, but the older one in ${path} could not be removed. Remove this file.`
    throw new AppError('wrong-settings', problem, { cause })
  }
}

function noKeychain(): AppError {
  return new AppError(
    'wrong-settings',
    'This computer has no keyring that Solarchive could use. Choose to keep the token in a private file. Nothing was changed.',
  )
}
