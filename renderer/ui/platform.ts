/** Shortcuts use Command on Apple systems and Control elsewhere. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)
