import { safeStorage } from 'electron'
import type { Keychain } from '../app/token/keychain-tokens.ts'

/** The keychain of macOS, Windows' protection of data, or the keyring of a Linux desktop. The app has to be ready. */
export function systemKeychain(platform: NodeJS.Platform): Keychain {
  // The calls that block are going away; an older Electron has no others.
  const blocks = typeof (safeStorage as Partial<typeof safeStorage>).encryptStringAsync !== 'function'
  return {
    async isThere() {
      // Without a keyring Chromium encrypts with a password that everybody knows.
      if (platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend()))
        return false
      return blocks ? safeStorage.isEncryptionAvailable() : safeStorage.isAsyncEncryptionAvailable()
    },
    encrypt: async (text) => (blocks ? safeStorage.encryptString(text) : safeStorage.encryptStringAsync(text)),
    decrypt: async (bytes) =>
      blocks ? safeStorage.decryptString(bytes) : (await safeStorage.decryptStringAsync(bytes)).result,
  }
}
