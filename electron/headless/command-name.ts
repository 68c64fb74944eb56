/** How a person calls this program: by its name, or through npm in a clone. For examples that can be copied. */
export function commandName(env: Readonly<Record<string, string | undefined>>): string {
  return env['npm_lifecycle_event'] === 'cli' ? 'npm run --silent cli --' : 'solarchive'
}
