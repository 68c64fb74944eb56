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
  let latest = 0

  /**
   * An empty `token` uses the stored one. `allowHttp`: the user accepts an address without encryption. Resolves to
   * `null` if another test has begun since, or `clear` was called.
   */
  async function test(serviceUrl: string, token: string, allowHttp: boolean): Promise<ConnectionTest | null> {
    clear()
    const mine = latest
    isTesting.value = true
    const outcome = await client
      .call('connection.test', { serviceUrl, allowHttp, ...(token.trim() !== '' && { token }) })
      .catch((thrown: CallError): ConnectionTest => {
        return { outcome: 'bad-address', message: thrown.message, projectsFound: null }
      })
    if (mine !== latest) return null
    isTesting.value = false
    result.value = outcome
    return outcome
  }

  /**
   * Tests a connection that is to be saved. Resolves to true if it works; otherwise `result` says why not, unless
   * `clear` was called meanwhile.
   */
  async function check(serviceUrl: string, token: string, allowHttp: boolean): Promise<boolean> {
    const tested = await test(serviceUrl, token, allowHttp)
    if (tested === null) return false
    mustConfirm.value = unproven.has(tested.outcome)
    return tested.outcome === 'ok'
  }

  /** Call it when the connection to test is changed: the result, also of a test that still runs, is of another one. */
  function clear(): void {
    latest += 1
    isTesting.value = false
    result.value = null
    mustConfirm.value = false
  }

  return { result, isTesting, mustConfirm, test, check, clear }
}
