import type { CallName } from '../../../shared/contract/channel-names.ts'
import type { CallOutput, ParsedInput } from '../../../shared/contract/calls.ts'

/** Functions that answer the calls of the contract, by call name. Each feature provides its own. */
export type Handlers<Names extends CallName = CallName> = {
  readonly [Name in Names]: (input: ParsedInput<Name>) => CallOutput<Name> | Promise<CallOutput<Name>>
}
