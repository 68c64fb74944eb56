import { isTokenError } from '../../shared/error-policy.ts'
import { offerOf, openOwnerSocket, type OwnerSocket } from '../app/api/owner-socket.ts'
import { type DataFolder, openDataFolder } from '../app/data-folder.ts'
import { recordError } from '../app/log/create-file-log.ts'
import { HookRunner } from '../app/hooks/hook-runner.ts'
import { requireNoMove } from '../app/move/move-record.ts'
import { dataForSample, startSample } from '../app/start-sample.ts'
import { createEngine } from '../engine/create-engine.ts'
import type { Engine } from '../engine/engine.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { describeNewDatabase } from './output/describe-folders.ts'
import { loadSample, type SessionOptions, type Use, withAdvice, withConsole } from './session.ts'

/** Opens the engine, and with `--sample` the embedded service, for one command, and always closes them. */
export async function withEngine<T>(options: SessionOptions, use: Use<Engine, T>): Promise<T> {
  const { settings, output, redactor, environment } = options
  const warn = (message: string) => output.warn(message)
  const dataFolder = openDataFolder({ ...settings, platform: environment.platform, redactor, showMessage: warn })
  try {
    return await openSession(options, dataFolder, use)
  } catch (thrown) {
    const error = recordError(dataFolder.log, thrown)
    throw isTokenError(error.code) ? withAdvice(error, dataFolder.tokens.advice) : error
  }
}

async function openSession<T>(
  {
    settings: configured,
    hooks,
    command,
    output,
    redactor,
    signal,
    stop,
    startProcess,
    requireConsent,
    callsService = false,
  }: SessionOptions,
  { log, tokens, followRefusals }: DataFolder,
  use: Use<Engine, T>,
): Promise<T> {
  const { homeFolder, archiveFolder, useSample } = configured
  await requireNoMove(homeFolder, archiveFolder)
  const sample = useSample ? await startSample(loadSample) : undefined
  try {
    const settings =
      sample === undefined
        ? { ...configured, ...(callsService && { dataFor: { kind: 'service' as const } }) }
        : { ...configured, serviceUrl: sample.url, ...dataForSample(configured, sample) }
    if (sample !== undefined) redactor.addSecret(sample.token)
    const secrets =
      sample === undefined
        ? {
            async accessToken() {
              requireConsent()
              return tokens.accessToken()
            },
            whyNone: () => tokens.whyNone(),
          }
        : { accessToken: () => Promise.resolve(sample.token) }
    const logger = withConsole(log, output)
    const engine = createEngine(settings, { clock: systemClock, logger, secrets, startProcess })
    followRefusals(engine)
    if (engine.isMadeFromArchive) output.warn(describeNewDatabase(configured))
    const runner = new HookRunner({ clock: systemClock, log, hooks: () => hooks })
    const isDone = new AbortController()
    const running = hooks.length === 0 ? Promise.resolve() : runner.run(engine, signal, isDone.signal)
    let socket: OwnerSocket | undefined
    try {
      if (sample !== undefined && engine.projects.list().length === 0) engine.projects.add(sample.projects)
      const readToken = () => tokens.accessToken()
      const offered = { settings: () => offerOf(settings, useSample), engine: () => engine }
      socket = await openOwnerSocket({ homeFolder, command, ...offered, readToken, log, stop })
      return await use({ engine, settings, output, log, tokenAdvice: tokens.advice, readToken, signal })
    } finally {
      await socket?.finish((processes) => output.note(describeWait(processes)), signal)
      await socket?.close()
      isDone.abort()
      await running
      await runner.finish(engine, signal)
      await engine.close()
    }
  } finally {
    await sample?.close()
  }
}

function describeWait(processes: number): string {
  const others = processes === 1 ? 'another command' : `${processes} other commands`
  return `This command is done, and still works for ${others}. Ctrl+C ends them.`
}
