import type { ConnectionTest } from '../../../shared/settings.ts'
import { createRateBudget } from '../service/rate-budget.ts'
import { testConnection } from '../service/test-connection.ts'
import type { Configuration } from './configuration.ts'
import type { EngineHolder } from './engine-holder.ts'
import type { InstallationPorts } from './installation-ports.ts'

/** Tries addresses and tokens: in the budget of the engine, or before there is one in a budget that the engine goes on with. */
export function createConnectionTester(configuration: Configuration, engines: EngineHolder, ports: InstallationPorts) {
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
    async test(asked: { readonly serviceUrl: string; readonly token?: string | undefined }): Promise<ConnectionTest> {
      if (asked.token !== undefined) ports.keepSecret(asked.token)
      const token = asked.token ?? (await ports.tokens.read())
      const question = { serviceUrl: asked.serviceUrl, token }
      // The sample's budget has no limit, and is not the service's.
      const engine = configuration.usesSample ? undefined : engines.present
      return engine?.testConnection(question) ?? testConnection(question, { clock, logger, budget })
    },
  }
}
