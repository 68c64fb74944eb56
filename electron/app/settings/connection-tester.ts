import type { ConnectionTest, TokenSource } from '../../../shared/settings.ts'
import { isSameOrigin } from '../../engine/service/base-url.ts'
import { createRateBudget } from '../../engine/service/rate-budget.ts'
import { testConnection } from '../../engine/service/test-connection.ts'
import type { Configuration } from './configuration.ts'
import type { EngineHolder } from '../engine-holder.ts'
import type { AppPorts } from '../ports.ts'

/** What to do at an address that the token in use is not for. */
export function ownTokenAdvice(tokenSource: TokenSource): string {
  return tokenSource === 'environment'
    ? 'The token in SOLARCHIVE_TOKEN is sent to the present address alone. To use another address, start Solarchive with SOLARCHIVE_URL too.'
    : 'Paste the token for this address. The stored one belongs to another address, and is not sent here.'
}

/** Tries addresses and tokens: in the budget of the engine, or before there is one in a budget that the engine goes on with. */
export function createConnectionTester(configuration: Configuration, engines: EngineHolder, ports: AppPorts) {
  const { clock, logger } = ports
  const callsMadeAtMs: number[] = []
  const memory = {
    recentAgesMs: () => callsMadeAtMs.map((atMs) => clock.nowMs() - atMs),
    note: () => void callsMadeAtMs.push(clock.nowMs()),
  }
  const budget = createRateBudget({ clock, memory })

  return {
    /** Calls that no engine made, wall-clock milliseconds. */
    callsMadeAtMs,
    /** The stored token is for the stored service: another one never gets to see it. */
    async test(asked: { readonly serviceUrl: string; readonly token?: string | undefined }): Promise<ConnectionTest> {
      if (asked.token !== undefined) ports.keepSecret(asked.token)
      const stored = asked.token === undefined ? await ports.tokens.read() : undefined
      const isForeign = !isSameOrigin(asked.serviceUrl, configuration.resolved.serviceUrl)
      const question = { serviceUrl: asked.serviceUrl, token: asked.token ?? (isForeign ? undefined : stored) }
      // The sample's budget has no limit, and is not the service's.
      const engine = configuration.usesSample ? undefined : engines.present
      const told = await (engine?.testConnection(question) ?? testConnection(question, { clock, logger, budget }))
      const isKept = told.outcome === 'no-token' && isForeign && stored !== undefined
      if (told.outcome === 'no-token' && !isForeign) {
        const problem = await ports.tokens.problem()
        if (problem !== null) return { ...told, message: problem }
      }
      return isKept ? { ...told, message: ownTokenAdvice(configuration.tokenSource) } : told
    },
  }
}
