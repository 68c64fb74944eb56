import { errorPolicy } from '../../../shared/error-policy.ts'
import type { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { isOfHouse, orderFieldNames, type OrderTexts } from '../../../shared/order/order-fields.ts'
import { orderSchema } from '../../../shared/order/order-schema.ts'
import type { OrderPreset, presetInputSchema } from '../../../shared/order/order-views.ts'
import type { SetbackRegion } from '../../../shared/order/setback-defaults.ts'
import { readOrderUser } from '../service/readers/read-modules.ts'
import type { Store } from '../store/create-store.ts'
import type { OrderParts } from './order-deps.ts'

/** Values for new orders, under names. */
export interface Presets {
  /** By name. */
  list(): OrderPreset[]
  /** Throws `not-found`. */
  get(presetId: number): OrderPreset
  /** Throws `wrong-settings` for a name that another one has, `not-found` for a `presetId` that is not there. */
  save(preset: z.output<typeof presetInputSchema>): OrderPreset
  /** Throws `not-found`. */
  remove(presetId: number): void
}

export function createPresets(store: Store): Presets {
  const get = (presetId: number) => {
    const preset = store.orderPresets.get(presetId)
    if (preset === undefined) throw noPreset()
    return preset
  }
  return {
    list: () => store.orderPresets.list(),
    get,
    save: ({ presetId, name, kind, texts, region, isDefault }) =>
      store.transaction(() => {
        if (presetId !== undefined) get(presetId)
        const holder = store.orderPresets.idOfName(name)
        if (holder !== undefined && holder !== presetId) throw nameTaken()
        if (isDefault && kind !== 'company') throw notForAll()
        return get(store.orderPresets.save({ presetId, name, kind, texts: worthKeeping(texts), region, isDefault }))
      }),
    remove(presetId) {
      if (!store.orderPresets.remove(presetId)) throw noPreset()
    },
  }
}

/** What a new order begins with. */
export interface Beginning {
  readonly texts: OrderTexts
  readonly region: SetbackRegion | null
}

/** The default preset, and the chosen one over it. Throws `not-found` for a `presetId` that is not there. */
export function presetBeginning(store: Store, presetId: number | undefined): Beginning {
  const initial = store.orderPresets.default()
  const chosen = presetId === undefined ? undefined : store.orderPresets.get(presetId)
  if (presetId !== undefined && chosen === undefined) throw noPreset()
  return { texts: { ...initial?.texts, ...chosen?.texts }, region: chosen?.region ?? initial?.region ?? null }
}

/** What is left empty says nothing: it must not take the place of what another preset says. */
function worthKeeping(texts: OrderTexts): OrderTexts {
  const kept = orderFieldNames.flatMap((name) => {
    const text = texts[name]?.trim() ?? ''
    return text === '' || isOfHouse(name) ? [] : [[name, text] as const]
  })
  return Object.fromEntries(kept)
}

function noPreset(): AppError {
  return new AppError('not-found', 'This preset is not there any more. Choose another one.')
}

function nameTaken(): AppError {
  return new AppError('wrong-settings', 'Another preset has this name. Choose another name, or change that preset.')
}

function notForAll(): AppError {
  return new AppError('wrong-settings', 'Only a company preset can be in every new order. A jurisdiction is chosen.')
}

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
        const isQuiet = error instanceof AppError && errorPolicy[error.code].answer === 'unsupported'
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
