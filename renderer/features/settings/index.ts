// Parts that the setup and the palette share.
export * from './connection-labels.ts'
export { default as ConnectionResult } from './ConnectionResult.vue'
export { default as FolderCheck } from './FolderCheck.vue'
export { default as FolderInput } from './FolderInput.vue'
export { settingEntries } from './setting-entries.ts'
export { default as TokenStorage } from './TokenStorage.vue'
export { default as UnencryptedChoice } from './UnencryptedChoice.vue'
export { useConnectionTest } from './use-connection-test.ts'
