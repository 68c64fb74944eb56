/**
 * Returns the arguments of the command line if the app was started as
 * `<app> [switches of Chromium] --cli [--] <command>...`, else `undefined`. `--cli` after other arguments does not
 * count.
 */
export function commandArguments(argv: readonly string[]): readonly string[] | undefined {
  const [, ...args] = argv
  const at = args.findIndex((arg) => arg === '--cli' || !arg.startsWith('--') || arg === '--')
  if (args[at] !== '--cli') return undefined
  const rest = args.slice(at + 1)
  return rest[0] === '--' ? rest.slice(1) : rest
}
