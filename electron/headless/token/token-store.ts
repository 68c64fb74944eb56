import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { AppError } from '../../../shared/errors.ts'
import type { TokenStore } from '../../engine/installation/installation-ports.ts'
import { tokenFile, type TokenSource } from './token-source.ts'

/** The token as the app reads and replaces it: the environment's, or the one in the private file of the data folder. */
export function createTokenStore(homeFolder: string, tokens: TokenSource): TokenStore {
  const path = tokenFile(homeFolder)
  return {
    read: () => tokens.accessToken(),
    async save(token) {
      const part = `${path}.${randomBytes(6).toString('hex')}.part`
      try {
        const file = await open(part, 'wx', 0o600)
        try {
          await file.writeFile(`${token}\n`)
          await file.sync()
        } finally {
          await file.close()
        }
        await rename(part, path)
      } catch (error) {
        await rm(part, { force: true }).catch(() => undefined)
        throw new AppError('wrong-settings', `The token could not be kept in ${path}. Nothing was changed.`, {
          cause: error,
        })
      }
    },
    source: () => tokens.source(),
    problem: () => tokens.problem(),
    keepsIn: () => Promise.resolve('file'),
  }
}
