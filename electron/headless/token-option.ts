import { AppError } from '../../shared/errors.ts'

/**
 * Throws `wrong-usage` for an option that looks like an attempt to give the access token, and says what to do instead.
 * The message never repeats the value.
 */
export function refuseTokenOption(args: readonly string[]): void {
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  if (!options.some((arg) => /^--?[a-z_-]*token(=|$)/i.test(arg))) return
  throw new AppError(
    'wrong-usage',
    'There is no option for the access token: everybody on this machine can read the options of a running program, and ' +
      'the shell keeps them in its history. Put the token into the environment variable SOLARCHIVE_TOKEN, or into the file "token" in the data folder.',
  )
}
