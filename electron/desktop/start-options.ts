/** How the app was started. */
export interface StartOptions {
  /** In the background: the window comes when it is asked for. */
  readonly isHidden: boolean
  /** On the embedded sample service. */
  readonly useSample: boolean
}

/** Reads the arguments of a process; what is Chromium's or unknown is left alone, because systems add arguments of their own. */
export function readStartOptions(argv: readonly string[]): StartOptions {
  return { isHidden: argv.includes('--hidden'), useSample: argv.includes('--sample') }
}
