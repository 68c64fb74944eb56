import { ref, shallowRef } from 'vue'
import type { ConnectionTest } from '../../../shared/settings.ts'
import type { CallError } from '../../transport/transport.ts'
import { useClient } from '../../transport/use-client.ts'

/** A look at the service with an address and a token that are not stored yet. */
export function useConnectionTest() {
  const client = useClient()
  const result = shallowRef<ConnectionTest | null>(null)
  const isTesting = ref(false)

  /** An empty token: with the stored one. */
  async function test(serviceUrl: string, token: string): Promise<ConnectionTest> {
    isTesting.value = true
    result.value = null
    const answer = await client
      .call('connection.test', { serviceUrl, ...(token.trim() !== '' && { token }) })
      .catch((thrown: CallError): ConnectionTest => {
        return { outcome: 'bad-address', message: thrown.message, projectsFound: null }
      })
    isTesting.value = false
    result.value = answer
    return answer
  }

  return { result, isTesting, test, clear: () => (result.value = null) }
}
