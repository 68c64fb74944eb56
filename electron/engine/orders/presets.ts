import type { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { isOfHouse, orderFieldNames, type OrderTexts } from '../../../shared/order/order-fields.ts'
import type { OrderPreset, presetInputSchema } from '../../../shared/order/order-views.ts'
import type { SetbackRegion } from '../../../shared/order/setback-defaults.ts'
import type { Store } from '../store/create-store.ts'

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
