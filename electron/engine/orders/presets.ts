import { errorPolicy } from '../../../shared/error-policy.ts'
import type { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { isSiteField, orderFieldNames, type OrderTexts } from '../../../shared/order/order-fields.ts'
import { orderSchema } from '../../../shared/order/order-schema.ts'
import type { OrderPreset, presetInputSchema } from '../../../shared/order/order-views.ts'
import type { SetbackRegion } from '../../../shared/order/setback-defaults.ts'
import { dayMs, hourMs } from '../lib/time.ts'
import { readOrderUser } from '../service/readers/read-modules.ts'
import type { Store } from '../store/create-store.ts'
import { readOrders } from './match-order.ts'
import type { OrderDeps } from './order-deps.ts'

/** Named values for new orders. */
export interface Presets {
  /** Sorted by name. */
  list(): OrderPreset[]
  /** Throws `wrong-settings` if another preset has this name, `not-found` for an unknown `presetId`. */
  save(preset: z.output<typeof presetInputSchema>): OrderPreset
  /** Throws `not-found`. */
  remove(presetId: number): void
}

/** `onChanged` is called after each change. */
export function createPresets(store: Store, onChanged: () => void = () => undefined): Presets {
  const get = (presetId: number) => {
    const preset = store.orderPresets.get(presetId)
    if (preset === undefined) throw presetNotFound()
    return preset
  }
  return {
    list: () => store.orderPresets.list(),
    save({ presetId, name, kind, texts, region, isDefault }) {
      const saved = store.transaction(() => {
        if (presetId !== undefined) get(presetId)
        const holder = store.orderPresets.idOfName(name)
        if (holder !== undefined && holder !== presetId) throw nameTaken()
        if (isDefault && kind !== 'company') throw notCompanyPreset()
        return get(store.orderPresets.save({ presetId, name, kind, texts: withoutBlanks(texts), region, isDefault }))
      })
      onChanged()
      return saved
    },
    remove(presetId) {
      if (!store.orderPresets.remove(presetId)) throw presetNotFound()
      onChanged()
    },
  }
}

/** Values that a new order starts with. */
export interface StartingValues {
  readonly texts: OrderTexts
  readonly region: SetbackRegion | null
}

/**
 * Returns the default preset's values, overridden by the chosen preset's. Throws `not-found` for an unknown `presetId`.
 */
export function startingValuesOf(store: Store, presetId: number | undefined): StartingValues {
  const initial = store.orderPresets.default()
  const chosen = presetId === undefined ? undefined : store.orderPresets.get(presetId)
  if (presetId !== undefined && chosen === undefined) throw presetNotFound()
  return { texts: { ...initial?.texts, ...chosen?.texts }, region: chosen?.region ?? initial?.region ?? null }
}

/** Drops blank fields, which would override another preset's values, and fields of one site. */
function withoutBlanks(texts: OrderTexts): OrderTexts {
  const kept = orderFieldNames.flatMap((name) => {
    const text = texts[name]?.trim() ?? ''
    return text === '' || isSiteField(name) ? [] : [[name, text] as const]
  })
  return Object.fromEntries(kept)
}

function presetNotFound(): AppError {
  return new AppError('not-found', 'This preset no longer exists. Choose another one.')
}

function nameTaken(): AppError {
  return new AppError('wrong-settings', 'Another preset has this name. Choose another name, or change that preset.')
}

function notCompanyPreset(): AppError {
  return new AppError(
    'wrong-settings',
    'Only a company preset can apply to every new order. A jurisdiction preset is chosen for each order.',
  )
}

/**
 * Module names that the order form offers, each in one list. `library` is null if it was not asked for, or could not be
 * read.
 */
export interface ModuleNames {
  readonly ordered: string[]
  readonly presets: string[]
  readonly library: string[] | null
}

const maxLibraryWaitMs = 10_000

/** The library changes rarely. */
const freshMs = hourMs
/** The call is not in the service's specification: a service without it is asked again after a day. */
const unsupportedRetryMs = dayMs

/** More names than anyone would browse. */
const maxNames = 2000

export interface ModuleQuery {
  /** True to ask for the service's library, too. */
  readonly library: boolean
  /** Project whose orders name the library's user if no order that is known here does. */
  readonly projectId?: string | undefined
}

/**
 * Returns a function that collects module names from earlier orders and presets, and, if asked to, from the service's
 * library, which is cached. The library is that of a user, whom only orders name: without any, one call per project and
 * hour lists those of the project.
 */
export function createModuleNames(
  deps: Pick<OrderDeps, 'store' | 'client' | 'sanitizer' | 'clock' | 'logger' | 'library'>,
): (signal: AbortSignal, query: ModuleQuery) => Promise<ModuleNames> {
  const { store, client, sanitizer, clock, logger } = deps
  let cached: { readonly library: string[] | null; readonly userId: string; readonly untilMs: number } | undefined

  /** The user that orders of other programs name; until when their projects are not asked again, by the clock. */
  let foundUser: string | undefined
  const askedUntilMs = new Map<string, number>()

  async function findUser(projectId: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const known = store.orderPolls.lastRemotes().map((remote) => readOrderUser(store.parseJson(remote)))
    const user = known.find((id) => id !== null) ?? foundUser
    if (user !== undefined || projectId === undefined) return user
    if (clock.monotonicMs() < (askedUntilMs.get(projectId) ?? 0)) return undefined
    const { list } = await readOrders(client, projectId, { signal })
    askedUntilMs.set(projectId, clock.monotonicMs() + freshMs)
    foundUser = list?.orders.map(({ raw }) => readOrderUser(raw)).find((id) => id !== null) ?? undefined
    return foundUser
  }

  async function library(projectId: string | undefined, signal: AbortSignal): Promise<string[] | null> {
    try {
      const combinedSignal = AbortSignal.any([signal, AbortSignal.timeout(maxLibraryWaitMs)])
      const userId = await findUser(projectId, combinedSignal)
      if (userId === undefined) return null
      if (cached?.userId === userId && clock.monotonicMs() < cached.untilMs) return cached.library
      const names = await ask(userId, combinedSignal)
      const found =
        names
          ?.map((name) => sanitizer.text(name))
          .flatMap(orderable)
          .slice(0, maxNames) ?? null
      deps.library.names = found
      cached = {
        library: found,
        userId,
        untilMs: clock.monotonicMs() + (found === null ? unsupportedRetryMs : freshMs),
      }
      return found
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'internal') throw error
      logger.debug('The module library could not be asked for', { code: error.code })
      return null
    }
  }

  /** Returns null if the service has neither of the two calls, or does not permit them. */
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

  return async (signal, query) => {
    const others = query.library ? await library(query.projectId, signal) : null
    const { ordered, presets } = rememberedModules(store)
    const known = new Set([...ordered, ...presets])
    return { ordered, presets, library: others?.filter((name) => !known.has(name)) ?? null }
  }
}

/** Returns the modules of earlier orders, the last used first, and those that only presets have. */
function rememberedModules(store: Store): Pick<ModuleNames, 'ordered' | 'presets'> {
  const ordered = new Set(store.orderPolls.moduleNames().flatMap(orderable))
  const presets = new Set(store.orderPresets.list().flatMap(({ texts }) => orderable(texts.designOneModule ?? '')))
  return { ordered: [...ordered], presets: [...presets].filter((name) => !ordered.has(name)) }
}

/** Knowledge of module names: whether one was ordered before, or is in a preset or the service's library. */
export interface ModuleKnowledge {
  readonly isKnown: (name: string) => boolean
  /** False if the service's library could not be read, or was not asked for. */
  readonly isLibraryRead: boolean
}

export function moduleKnowledge({ store, library }: Pick<OrderDeps, 'store' | 'library'>): ModuleKnowledge {
  const { ordered, presets } = rememberedModules(store)
  const known = new Set([...ordered, ...presets, ...(library.names ?? [])].map(plainName))
  return { isKnown: (name) => known.has(plainName(name)), isLibraryRead: library.names !== null }
}

const plainName = (name: string) => name.trim().replaceAll(/\s+/g, ' ').toLowerCase()

/** Returns the name as it would be ordered, or nothing if it is not a valid module name. */
function orderable(name: string): string[] {
  const read = orderSchema.shape.designOneModule.safeParse(name)
  return read.success ? [read.data] : []
}
