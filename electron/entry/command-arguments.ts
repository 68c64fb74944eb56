/**
 * The arguments of the command line, where the app was started as one: `<app> [switches of Chromium] --cli [--] <command>...`.
 * Undefined where it was not. `--cli` among the arguments of something else is none of ours.
 */
export function commandArguments(argv: readonly string[]): readonly string[] | undefined {
  const [, ...args] = argv
  const at = args.findIndex((arg) => arg === '--cli' || !arg.startsWith('--') || arg === '--')
  if (args[at] !== '--cli') return undefined
  const rest = args.slice(at + 1)
  return rest[0] === '--' ? rest.slice(1) : rest
}
