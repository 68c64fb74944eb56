import type { ZodType } from 'zod'
import { AppError } from '../../shared/errors.ts'
import { concurrencyRange } from '../../shared/setting-names.ts'
import { plainText } from '../app/log/plain-text.ts'
import { checkedUrl, type StartSettings } from '../app/settings/resolve-settings.ts'

/** Options of every command, as they were written. */
export interface GlobalFlags {
  readonly url?: string
  readonly allowHttp?: true
  readonly home?: string
  readonly archive?: string
  readonly apiRate?: string
  readonly concurrency?: string
  readonly json?: true
  readonly quiet?: true
  readonly sample?: true
}

/** Returns the settings that the options set. Throws `wrong-usage` with the option and its allowed values. */
export function readFlags(flags: GlobalFlags): StartSettings {
  if (flags.sample && flags.url !== undefined) {
    throw new AppError('wrong-usage', '--sample uses its own service, so it cannot be combined with --url.')
  }
  const url = textOf(flags.url, '--url')
  const homeFolder = textOf(flags.home, '--home')
  const archiveFolder = textOf(flags.archive, '--archive')
  const { MAX_SAFE_INTEGER } = Number
  const apiCallsPerMinute = wholeNumber(flags.apiRate, '--api-rate', 0, MAX_SAFE_INTEGER, '0 (no limit) or more')
  const { min, max } = concurrencyRange
  const concurrency = wholeNumber(flags.concurrency, '--concurrency', min, max, `from ${min} to ${max}`)
  return {
    ...(url !== undefined && { serviceUrl: checkedUrl(url, '--url', 'wrong-usage') }),
    ...(flags.allowHttp && { allowHttp: true }),
    ...(homeFolder !== undefined && { homeFolder }),
    ...(archiveFolder !== undefined && { archiveFolder }),
    ...(apiCallsPerMinute !== undefined && { apiCallsPerMinute }),
    ...(concurrency !== undefined && { concurrency }),
    ...(flags.sample && { useSample: true }),
  }
}

/** Returns the trimmed text of an option. Throws `wrong-usage` if it is empty. */
export function textOf(flag: string | undefined, name: string): string | undefined {
  if (flag?.trim() === '') throw new AppError('wrong-usage', `${name} needs a value.`)
  return flag?.trim()
}

/** Returns an option as a number. Throws `wrong-usage` with the values that are `allowed`. */
export function wholeNumber(
  flag: string | undefined,
  name: string,
  lowest: number,
  highest: number,
  allowed: string,
): number | undefined {
  if (flag === undefined) return undefined
  const value = /^\d+$/.test(flag.trim()) ? Number(flag) : Number.NaN
  if (value >= lowest && value <= highest) return value
  throw new AppError('wrong-usage', `${name} must be a whole number, ${allowed}; "${flag}" is not.`)
}

/** Returns what a list with commas names, each once. Throws `wrong-usage` with the known names of such a `what`. */
export function readChoices<Choice extends string>(text: string, known: readonly Choice[], what: string): Choice[] {
  const choices = text.split(',').map((name) => {
    const choice = known.find((one) => one === name.trim().toLowerCase())
    if (choice !== undefined) return choice
    throw new AppError('wrong-usage', `There is no ${what} "${plainText(name)}". Use ${known.join(', ')}.`)
  })
  return [...new Set(choices)]
}

/** Returns the text of an option as a field of the contract has it. Throws `wrong-usage` with the option. */
export function readText<Text>(schema: ZodType<Text>, text: string | undefined, name: string): Text {
  const read = schema.safeParse(text)
  if (read.success) return read.data
  const tooLong = read.error.issues.find((issue) => issue.code === 'too_big')
  const limit = tooLong === undefined ? 'needs a value' : `has at most ${tooLong.maximum} characters`
  throw new AppError('wrong-usage', `${name} ${limit}.`)
}
