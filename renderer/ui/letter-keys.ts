import { useLocalStorage } from '@vueuse/core'

/** False if keys without Ctrl or Cmd start nothing on a page, such as for people who dictate (WCAG 2.2, 2.1.4). */
export const areLetterKeysOn = useLocalStorage('solarchive-letter-keys', true, {
  serializer: { read: (stored) => stored !== 'false', write: String },
})
