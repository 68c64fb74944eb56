/** Shortcuts use Command on Apple's systems and Control elsewhere. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)
