import { ref, shallowRef } from 'vue'
import type { ConnectionOutcome, ConnectionTest } from '../../../shared/settings.ts'
import { type CallError, useClient } from '../../transport/transport.ts'

/** Outcomes that show no mistake of the user. Whether address and token are right is unknown: only the user can say. */
const unproven: ReadonlySet<ConnectionOutcome> = new Set([
  'unreachable',
  'service-error',
  'not-certain',
  'rate-limited',
])

/** Tests a connection with an address and token that are not saved yet. */
export function useConnectionTest() {
  const client = useClient()
  const result = shallowRef<ConnectionTest | null>(null)
  const isTesting = ref(false)
  /** True after a check whose outcome the user has to confirm before the connection is saved. */
  const mustConfirm = ref(false)

  /** An empty `token` uses the stored one. `allowHttp`: the user accepts an address without encryption. */
  async function test(serviceUrl: string, token: string, allowHttp: boolean): Promise<ConnectionTest> {
    isTesting.value = true
    result.value = null
    mustConfirm.value = false
    const outcome = await client
      .call('connection.test', { serviceUrl, allowHttp, ...(token.trim() !== '' && { token }) })
      .catch((thrown: CallError): ConnectionTest => {
        return { outcome: 'bad-address', message: thrown.message, projectsFound: null }
      })
    isTesting.value = false
    result.value = outcome
    return outcome
  }

  /** Tests a connection that is to be saved. Resolves to true if it works; otherwise `result` says why not. */
  async function check(serviceUrl: string, token: string, allowHttp: boolean): Promise<boolean> {
    const { outcome } = await test(serviceUrl, token, allowHttp)
    mustConfirm.value = unproven.has(outcome)
    return outcome === 'ok'
  }

  function clear(): void {
    result.value = null
    mustConfirm.value = false
  }

  return { result, isTesting, mustConfirm, test, check, clear }
}
