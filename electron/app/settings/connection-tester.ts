import { toAppError } from '../../../shared/errors.ts'
import { isUnencryptedRemote, unencryptedMeaning } from '../../../shared/service-address.ts'
import type { ConnectionTest, TokenSource } from '../../../shared/settings.ts'
import { isSameOrigin } from '../../engine/service/base-url.ts'
import { Outbound } from '../../engine/service/outbound.ts'
import { RateBudget } from '../../engine/service/rate-budget.ts'
import { testConnection } from '../../engine/service/test-connection.ts'
import type { Configuration } from './configuration.ts'
import type { EngineHolder } from '../engine-holder.ts'
import type { AppPorts } from '../ports.ts'

/** Returns advice for an address that the current token does not belong to. */
export function ownTokenAdvice(tokenSource: TokenSource): string {
  return tokenSource === 'environment'
    ? 'The token in SOLARCHIVE_TOKEN is sent to the current address alone. To use another address, start Solarchive ' +
        'with SOLARCHIVE_URL too.'
    : 'Paste the token for this address. The stored one belongs to another address, and is not sent here.'
}

/** Decision about a new address without encryption. */
export const unencryptedAdvice =
  `This address starts with http://, so ${unencryptedMeaning} Use https:// if the service offers it, or confirm that ` +
  'you accept this.'

const notSent =
  'Nothing was sent, because this address starts with http://. Use https:// if the service offers it, or confirm ' +
  'that you accept a connection without encryption.'

/** An address to test, and the token for it; the stored one if it is undefined. */
export interface ConnectionToTest {
  readonly serviceUrl: string
  /** True if a user accepts an address without encryption. */
  readonly allowHttp?: boolean
  readonly token?: string | undefined
}

/**
 * Tests addresses and tokens within the engine's rate budget, or before setup in one whose calls the engine counts.
 * `closing` aborts when the app closes.
 */
export function createConnectionTester(
  configuration: Configuration,
  engines: EngineHolder,
  ports: AppPorts,
  closing: AbortSignal,
) {
  const { clock, logger } = ports
  const callsMadeAtMs: number[] = []
  const memory = {
    recentAgesMs: () => callsMadeAtMs.map((atMs) => clock.nowMs() - atMs),
    record: () => void callsMadeAtMs.push(clock.nowMs()),
  }
  const budget = new RateBudget({ clock, memory })

  async function testWithoutEngine(question: Parameters<typeof testConnection>[0]): Promise<ConnectionTest> {
    const outbound = new Outbound(configuration.resolved.network)
    try {
      return await testConnection(question, { clock, logger, budget, outbound })
    } finally {
      outbound.close()
    }
  }

  async function test(asked: ConnectionToTest): Promise<ConnectionTest> {
    if (asked.token !== undefined) ports.keepSecret(asked.token)
    const stored = asked.token === undefined ? await ports.tokens.read() : undefined
    const isForeign = !isSameOrigin(asked.serviceUrl, configuration.resolved.serviceUrl)
    if (isForeign && asked.allowHttp !== true && isUnencryptedRemote(asked.serviceUrl)) {
      return { outcome: 'unencrypted', message: notSent, projectsFound: null }
    }
    const question = { serviceUrl: asked.serviceUrl, token: asked.token ?? (isForeign ? undefined : stored) }
    // The sample's engine has no rate limit, and must not be used to call the real service.
    const engine = configuration.usesSample ? undefined : engines.present
    const testing = engine?.testConnection(question) ?? testWithoutEngine(question)
    const result = await testing.catch((thrown: unknown) => {
      if (toAppError(thrown).code !== 'cancelled' || closing.aborted) throw thrown
    })
    // Saved settings have replaced the engine.
    if (result === undefined) return test(asked)
    const isKept = result.outcome === 'no-token' && isForeign && stored !== undefined
    if (result.outcome === 'no-token' && !isForeign) {
      const problem = await configuration.whyNoToken()
      if (problem !== null) return { ...result, message: problem }
    }
    return isKept ? { ...result, message: ownTokenAdvice(configuration.tokenSource) } : result
  }

  return {
    /** Times of the calls made without an engine, in wall-clock milliseconds. */
    callsMadeAtMs,
    /** Tests an address. The stored token is sent to the stored service alone. */
    test,
  }
}
