/** Switch of the process that reads archived files for the command line; see `app/fork-process.ts`. */
const analysisSwitch = '--analysis'

/**
 * Returns the arguments of the command line if the app was started as
 * `<app> [switches of Chromium] --cli [--] <command>...`, else `undefined`. `--cli` after other arguments does not
 * count.
 */
export function commandArguments(argv: readonly string[]): readonly string[] | undefined {
  const [first, ...rest] = ownArguments(argv)
  if (first !== '--cli') return undefined
  return rest[0] === '--' ? rest.slice(1) : rest
}

/** Returns whether the app was started as `<app> [switches of Chromium] --analysis`. */
export function isAnalysis(argv: readonly string[]): boolean {
  return ownArguments(argv)[0] === analysisSwitch
}

/** Returns the arguments after those of Chromium. */
function ownArguments([, ...args]: readonly string[]): readonly string[] {
  const own = ['--cli', analysisSwitch, '--']
  const at = args.findIndex((arg) => own.includes(arg) || !arg.startsWith('--'))
  return at === -1 ? [] : args.slice(at)
}
