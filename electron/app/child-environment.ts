type Environment = Readonly<Record<string, string | undefined>>

/** Variable that no other program needs: the access token. */
const secretName = 'SOLARCHIVE_TOKEN'

/** Returns the environment for a program that Solarchive starts. */
export function childEnvironment(env: Environment): Record<string, string | undefined> {
  // Windows ignores the case of names.
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.toUpperCase() !== secretName))
}

/**
 * Removes the access token from this process's environment, which Electron passes to the programs that it starts, such
 * as the file manager. Returns the environment as it was, and a function that restores it for a restart of the app.
 */
export function withholdToken(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): { readonly before: Environment; readonly restore: () => void } {
  const token = env[secretName]
  // A copy has the case of Windows' names, under which nobody looks for them.
  const copy = Object.entries(env).map(([name, value]) => [platform === 'win32' ? name.toUpperCase() : name, value])
  delete env[secretName]
  return {
    before: Object.fromEntries(copy) as Environment,
    restore() {
      if (token !== undefined) env[secretName] = token
    },
  }
}
