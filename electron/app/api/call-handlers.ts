import type { CallName } from '../../../shared/channel-names.ts'
import type { CallOutput, ParsedInput } from '../../../shared/contract.ts'

/** What answers calls, by name. */
export type Handlers<Names extends CallName = CallName> = {
  readonly [Name in Names]: (input: ParsedInput<Name>) => CallOutput<Name> | Promise<CallOutput<Name>>
}
