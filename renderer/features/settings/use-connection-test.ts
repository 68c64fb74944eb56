import { ref, shallowRef } from 'vue'
import type { ConnectionTest } from '../../../shared/settings.ts'
import { type CallError, useClient } from '../../transport/transport.ts'

/** Tests a connection with an address and token that are not saved yet. */
export function useConnectionTest() {
  const client = useClient()
  const result = shallowRef<ConnectionTest | null>(null)
  const isTesting = ref(false)

  /** An empty `token` uses the stored one. `allowHttp`: the user accepts an address without encryption. */
  async function test(serviceUrl: string, token: string, allowHttp: boolean): Promise<ConnectionTest> {
    isTesting.value = true
    result.value = null
    const outcome = await client
      .call('connection.test', { serviceUrl, allowHttp, ...(token.trim() !== '' && { token }) })
      .catch((thrown: CallError): ConnectionTest => {
        return { outcome: 'bad-address', message: thrown.message, projectsFound: null }
      })
    isTesting.value = false
    result.value = outcome
    return outcome
  }

  return { result, isTesting, test, clear: () => (result.value = null) }
}
