import { createEngine, type Predecessor } from '../engine/create-engine.ts'
import type { DataFolderLock } from '../engine/store/data-folder-lock.ts'
import type { Configuration } from './settings/configuration.ts'
import type { OpenedEngine } from './engine-holder.ts'
import type { InstallationPorts } from './app-ports.ts'

/** Opens the engine that the settings ask for, with the sample service where they say so. */
export async function openEngine(
  configuration: Configuration,
  ports: InstallationPorts,
  before: { readonly lock: DataFolderLock; readonly callsMadeAtMs: readonly number[] },
): Promise<OpenedEngine> {
  const { clock, logger, tokens } = ports
  const settings = configuration.engineSettings
  if (!configuration.usesSample) {
    const secrets = { accessToken: () => tokens.read(), whyNone: () => tokens.problem() }
    const engine = createEngine(settings, { clock, logger, secrets }, before)
    return { engine, close: () => engine.close() }
  }
  // The sample of settings.json has a data folder of its own, which nobody has locked yet.
  const predecessor: Predecessor = configuration.resolved.useSample ? before : {}
  const sample = await ports.startSample()
  try {
    ports.keepSecret(sample.token)
    const secrets = { accessToken: () => Promise.resolve(sample.token) }
    const engine = createEngine({ ...settings, serviceUrl: sample.url }, { clock, logger, secrets }, predecessor)
    if (engine.projects.list().length === 0) engine.projects.add(sample.projects)
    return {
      engine,
      serviceUrl: sample.url,
      async close() {
        await engine.close().finally(() => sample.close())
      },
    }
  } catch (error) {
    await sample.close()
    throw error
  }
}
