import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createPresets, type Presets } from '../../../electron/engine/orders/presets.ts'
import type { Store } from '../../../electron/engine/store/create-store.ts'
import { storeFolder } from '../store/store-folder.ts'

let store: Store
let presets: Presets
/** Number of changes that were announced. */
let changes: number
beforeEach(() => {
  store = storeFolder().open()
  onTestFinished(() => store.close())
  changes = 0
  presets = createPresets(store, () => (changes += 1))
})

const company = { name: 'Brightline', kind: 'company', texts: {}, region: null, isDefault: true } as const
const town = { name: 'Town of Babylon', kind: 'jurisdiction', texts: {}, region: 'LI', isDefault: false } as const

describe('presets of orders', () => {
  it('are listed by name, updated in place, and removed', () => {
    const babylon = presets.save({ ...town, texts: { ridge: '18' } })
    const own = presets.save({ ...company, texts: { tierLevel: 'maxFill' } })
    expect(presets.list()).toEqual([own, babylon])
    const changed = presets.save({ ...babylon, texts: { ridge: '36' }, region: 'NYC' })
    expect(changed).toEqual({ ...babylon, texts: { ridge: '36' }, region: 'NYC' })
    presets.remove(babylon.presetId)
    expect(presets.list()).toEqual([own])
    expect(() => presets.remove(babylon.presetId)).toThrow(expect.objectContaining({ code: 'not-found' }))
    expect(() => presets.save(changed)).toThrow(expect.objectContaining({ code: 'not-found' }))
  })

  it('announce what changes them, but nothing that is refused', () => {
    const { presetId } = presets.save(town)
    expect(changes).toBe(1)
    expect(() => presets.save({ ...company, name: town.name })).toThrow()
    expect(() => presets.remove(presetId + 1)).toThrow()
    expect(changes).toBe(1)
    presets.remove(presetId)
    expect(changes).toBe(2)
  })

  it('have unique names, ignoring case', () => {
    const own = presets.save(company)
    expect(() => presets.save({ ...town, name: 'BRIGHTLINE' })).toThrow(
      expect.objectContaining({ code: 'wrong-settings' }),
    )
    expect(presets.save({ ...own, name: 'BrightLine' }).name).toBe('BrightLine')
  })

  it('have one default at most: the company preset last chosen', () => {
    expect(store.orderPresets.default()).toBeUndefined()
    const first = presets.save(company)
    const second = presets.save({ ...company, name: 'Sunrise' })
    expect(store.orderPresets.default()).toEqual(second)
    expect(store.orderPresets.get(first.presetId)?.isDefault).toBe(false)
    expect(() => presets.save({ ...town, isDefault: true })).toThrow(
      expect.objectContaining({ code: 'wrong-settings' }),
    )
    presets.save({ ...second, isDefault: false })
    expect(store.orderPresets.default()).toBeUndefined()
  })

  it('keep neither the homeowner and address nor empty fields', () => {
    const form = {
      projectId: 'p1',
      homeownerName: 'Ann',
      projectAddress: '1 Elm St',
      ridge: ' 18 ',
      eave: ' ',
      hip: '',
    }
    expect(presets.save({ ...company, texts: form }).texts).toEqual({ ridge: '18' })
  })
})
