import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isTokenError } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Secrets } from '../../engine/lib/ports.ts'
import { whyNotSaved } from '../../engine/lib/fs/data-folder-error.ts'
import { fsyncFolder } from '../../engine/lib/fs/durable-files.ts'
import { writePrivateFile } from '../../engine/lib/fs/private-files.ts'
import type { Redactor } from '../../engine/lib/redact.ts'
import { plainText } from '../log/plain-text.ts'
import type { TokenStore } from '../ports.ts'
import { readTokenFile } from './read-token-file.ts'

export interface TokenReaderOptions {
  /** The data folder; the file is `token` in it. */
  readonly homeFolder: string
  /** `SOLARCHIVE_TOKEN`. */
  readonly environmentToken: string | undefined
  readonly platform: NodeJS.Platform
  /** Receives every token before it is used. */
  readonly redactor: Redactor
  /** Shows a message to the user; it contains the path of the file. */
  readonly showMessage: (message: string) => void
}

/** Sentences about where to put another token. They contain the path of the file, so they are shown, never logged. */
export interface TokenAdvice {
  /** For the next command; empty if a message said already what to do about the file. */
  readonly next: string
  /** For the running process. */
  readonly running: string
}

/** Returns the advice if a failure says that the token is missing or refused. */
export function adviceAfter(failures: readonly { readonly code: string }[], advice: TokenAdvice): string[] {
  return failures.some(({ code }) => isTokenError(code)) && advice.next !== '' ? [advice.next] : []
}

/** Returns the path of the token file in the data folder. */
export function tokenFile(homeFolder: string): string {
  return join(homeFolder, 'token')
}

/** Returns the path of the file that holds the token, encrypted with the keychain's key. */
export function encryptedTokenFile(homeFolder: string): string {
  return join(homeFolder, 'token.encrypted')
}

/** Returns that the keychain has the token, for a process that cannot read it; null if it has none. */
export function keptInKeychain(homeFolder: string): string | null {
  if (!existsSync(encryptedTokenFile(homeFolder))) return null
  return (
    'The access token is in the keychain, which only the installed app reads. Start that app, or save the token again ' +
    'in its settings with "Keep the token in a private file".'
  )
}

/**
 * Reads the access token: from the environment, or else from the token file. The file is read for each use, so that a
 * new token takes effect while Solarchive runs. The last token stays in use while the file is missing or incomplete.
 */
export class TokenReader implements Secrets {
  readonly advice: TokenAdvice
  readonly #options: TokenReaderOptions
  readonly #path: string
  #environmentGoesFirst: boolean
  #current: string | undefined
  #problem: string | undefined

  constructor(options: TokenReaderOptions) {
    const { environmentToken, homeFolder, platform, redactor } = options
    this.#options = options
    this.#path = tokenFile(homeFolder)
    this.#environmentGoesFirst = environmentToken !== undefined
    this.#current = environmentToken
    const advice = advise(plainText(this.#path), environmentToken !== undefined, platform)
    const next = () => (this.#problem === undefined ? advice.next : '')
    this.advice = {
      get next() {
        return next()
      },
      running: advice.running,
    }
    if (environmentToken !== undefined) redactor.addSecret(environmentToken)
  }

  async accessToken(): Promise<string | undefined> {
    if (this.#environmentGoesFirst) return this.#current
    const { platform, redactor, showMessage } = this.#options
    const file = await readTokenFile(this.#path, platform)
    if (file.kind === 'token') {
      redactor.addSecret(file.token)
      this.#current = file.token
    }
    const problem = file.kind === 'unusable' ? file.problem : undefined
    if (problem !== undefined && problem !== this.#problem) showMessage(this.#notUsed(problem))
    this.#problem = problem
    return this.#current
  }

  /**
   * Returns that the file is not used, without its path: the message was shown, and this one may be logged. Without a
   * file, the keychain may have the token.
   */
  whyNone(): Promise<string | null> {
    if (this.#problem !== undefined) return Promise.resolve('The token file is not used.')
    return Promise.resolve(keptInKeychain(this.#options.homeFolder))
  }

  /** Returns the reason, shown to the user, that the file is not used, or null. */
  async problem(): Promise<string | null> {
    if (this.#environmentGoesFirst) return null
    const file = await readTokenFile(this.#path, this.#options.platform)
    return file.kind === 'unusable' ? this.#notUsed(file.problem) : null
  }

  /** Forgets the token of the file, which was removed. */
  forget(): void {
    if (!this.#environmentGoesFirst) this.#current = undefined
  }

  #notUsed(problem: string): string {
    return `${plainText(this.#path)} is not used: ${problem}`
  }

  /**
   * Returns the source of the token; `none` if there is none, or the environment's was refused and there is no file.
   */
  async source(): Promise<'environment' | 'file' | 'none'> {
    if (this.#environmentGoesFirst) return 'environment'
    const file = await readTokenFile(this.#path, this.#options.platform)
    return file.kind === 'token' ? 'file' : 'none'
  }

  /**
   * Called when the service refused the token. The environment of a process never changes: from now on the file takes
   * precedence, and the environment's token is used only if there is no file.
   */
  recordRefusal(): void {
    this.#environmentGoesFirst = false
  }
}

function advise(path: string, hasEnvironmentToken: boolean, platform: NodeJS.Platform): TokenAdvice {
  const alone = platform === 'win32' ? 'on one line' : 'on one line, readable by you alone (chmod 600)'
  if (!hasEnvironmentToken) {
    return {
      next: `Put a token into SOLARCHIVE_TOKEN, or write it into ${path}, ${alone}.`,
      running: `Write a new token into ${path}, ${alone}: Solarchive notices it and continues.`,
    }
  }
  return {
    next: `Put a new token into SOLARCHIVE_TOKEN, or unset it and write the token into ${path}, ${alone}.`,
    running:
      `Write a new token into ${path}, ${alone}: Solarchive notices it, uses it instead of the one in ` +
      'SOLARCHIVE_TOKEN, and continues. At the next start SOLARCHIVE_TOKEN takes precedence again: change or unset ' +
      'it before then.',
  }
}

/** Creates the store of a token in the environment or in the private file of the data folder. */
export function createTokenStore(homeFolder: string, tokens: TokenReader): TokenStore {
  const path = tokenFile(homeFolder)
  return {
    read: () => tokens.accessToken(),
    async save(token) {
      try {
        // The app would keep using that of the keychain.
        await replaceToken(encryptedTokenFile(homeFolder), () => writePrivateFile(path, `${token}\n`))
      } catch (error) {
        if (error instanceof AppError) throw error
        const why = whyNotSaved(error, homeFolder)
        throw new AppError('wrong-settings', `The token could not be saved in ${path}: ${why}. Nothing was changed.`, {
          cause: error,
        })
      }
    },
    async remove() {
      // That of the keychain too: the app would send it to an address that was saved here.
      const restore = await removeTokenFiles([path, encryptedTokenFile(homeFolder)])
      tokens.forget()
      return restore
    },
    source: () => tokens.source(),
    problem: () => tokens.problem(),
    keepsIn: () => Promise.resolve('file'),
  }
}

/**
 * Removes a token file, then writes the other one: with two tokens, also after a kill, one could be sent to the service
 * of the other. If writing fails, the removed one is put back.
 */
export async function replaceToken(oldPath: string, write: () => Promise<void>): Promise<void> {
  const restore = await removeTokenFiles([oldPath])
  try {
    await write()
  } catch (error) {
    await restore()
    throw error
  }
}

/**
 * Removes files with tokens. Returns a function that writes them again. Throws `wrong-settings` without changing
 * anything if one cannot be removed.
 */
async function removeTokenFiles(paths: readonly string[]): Promise<() => Promise<void>> {
  const removed: { readonly path: string; readonly text: string }[] = []
  const restore = async () => {
    try {
      for (const { path, text } of removed) await writePrivateFile(path, text)
    } catch (cause) {
      const message = 'No token is stored now: the previous one could not be restored. Paste a token again.'
      throw new AppError('wrong-settings', message, { cause })
    }
  }
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => undefined)
    try {
      await rm(path, { force: true })
      if (text !== undefined) {
        removed.push({ path, text })
        await fsyncFolder(dirname(path))
      }
    } catch (cause) {
      await restore()
      const problem = `The old token in ${path} could not be removed. Nothing was changed. Remove it, then try again.`
      throw new AppError('wrong-settings', problem, { cause })
    }
  }
  return restore
}
