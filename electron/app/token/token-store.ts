import { AppError } from '../../../shared/errors.ts'
import type { TokenStore } from '../ports.ts'
import { writePrivateFile } from '../../engine/lib/fs/private-files.ts'
import { tokenFile, type TokenSource } from './token-source.ts'

/** The token as the app reads and replaces it: the environment's, or the one in the private file of the data folder. */
export function createTokenStore(homeFolder: string, tokens: TokenSource): TokenStore {
  const path = tokenFile(homeFolder)
  return {
    read: () => tokens.accessToken(),
    async save(token) {
      try {
        await writePrivateFile(path, `${token}\n`)
      } catch (error) {
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
