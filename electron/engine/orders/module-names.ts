import { AppError } from '../../../shared/errors.ts'
import { orderSchema } from '../../../shared/order/order-schema.ts'
import { readOrderUser } from '../service/readers/read-modules.ts'
import type { OrderParts } from './order-deps.ts'

/** Names for the form. `library` null: the service does not answer. */
export interface ModuleNames {
  readonly remembered: string[]
  readonly library: string[] | null
}

/** The form waits for it. */
const longestLookMs = 10_000

/** A library changes rarely. */
const freshMs = 60 * 60_000
/** The call is known from a client only: where the service does not have it, it is left for a day. */
const quietMs = 24 * freshMs

/** More than anybody picks from. */
const mostNames = 2000

/** Module names of earlier orders and presets, and of the service's library, which is asked now and then. */
export function createModuleNames(
  parts: Pick<OrderParts, 'store' | 'client' | 'storable' | 'clock' | 'logger'>,
): (signal: AbortSignal) => Promise<ModuleNames> {
  const { store, client, storable, clock, logger } = parts
  let known: { readonly library: string[] | null; readonly userId: string; readonly untilMs: number } | undefined

  async function library(signal: AbortSignal): Promise<string[] | null> {
    const userId = store.orderPolls
      .lastRemotes()
      .map((remote) => readOrderUser(store.parseJson(remote)))
      .find((id) => id !== null)
    if (userId === undefined) return null
    if (known?.userId === userId && clock.monotonicMs() < known.untilMs) return known.library
    try {
      const either = AbortSignal.any([signal, AbortSignal.timeout(longestLookMs)])
      const names = await ask(userId, either)
      const found =
        names
          ?.map((name) => storable.text(name))
          .flatMap(orderable)
          .slice(0, mostNames) ?? null
      known = { library: found, userId, untilMs: clock.monotonicMs() + (found === null ? quietMs : freshMs) }
      return found
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      logger.debug('The module library could not be asked for', { code: error.code })
      return null
    }
  }

  /** Null: the service has neither of the two calls, or does not give them. */
  async function ask(userId: string, signal: AbortSignal): Promise<readonly string[] | null> {
    for (const kind of ['own', 'combined'] as const) {
      try {
        return await client.listModules(userId, kind, { signal })
      } catch (error) {
        const isQuiet =
          error instanceof AppError && ['not-found', 'no-permission', 'unreadable-answer'].includes(error.code)
        if (!isQuiet) throw error
      }
    }
    return null
  }

  return async (signal) => {
    const ofPresets = store.orderPresets.list().flatMap(({ texts }) => texts.designOneModule ?? [])
    const remembered = [...store.orderPolls.moduleNames(), ...ofPresets].flatMap(orderable)
    return { remembered: [...new Set(remembered)], library: await library(signal) }
  }
}

/** As it would be ordered; nothing where it cannot be. */
function orderable(name: string): string[] {
  const read = orderSchema.shape.designOneModule.safeParse(name)
  return read.success ? [read.data] : []
}
