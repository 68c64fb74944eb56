import type { OrderPreset } from '../../../shared/order/order-views.ts'
import type { Db } from './open-database.ts'
import { readRegion, readTexts } from './order-texts.ts'

interface PresetRow {
  readonly presetId: number
  readonly name: string
  readonly kind: OrderPreset['kind']
  readonly texts: string
  readonly region: string | null
  readonly isDefault: 0 | 1
}

type NewPreset = Omit<PresetRow, 'presetId'>

const columns = 'id AS presetId, name, kind, texts, region, is_default AS isDefault'

/** Presets: values for new orders. */
export function createOrderPresetsStore(db: Db) {
  const list = db.prepare<[], PresetRow>(`SELECT ${columns} FROM order_presets ORDER BY name COLLATE NOCASE, id`)
  const get = db.prepare<[number], PresetRow>(`SELECT ${columns} FROM order_presets WHERE id = ?`)
  const initial = db.prepare<[], PresetRow>(`SELECT ${columns} FROM order_presets WHERE is_default = 1`)
  const named = db.prepare<[string], { id: number }>('SELECT id FROM order_presets WHERE name = ?')
  const insert = db.prepare<NewPreset, { id: number }>(
    `INSERT INTO order_presets (name, kind, texts, region, is_default)
     VALUES (:name, :kind, :texts, :region, :isDefault) RETURNING id`,
  )
  const update = db.prepare<NewPreset & { presetId: number }>(
    `UPDATE order_presets SET name = :name, kind = :kind, texts = :texts, region = :region, is_default = :isDefault
     WHERE id = :presetId`,
  )
  const clearDefault = db.prepare<[]>('UPDATE order_presets SET is_default = 0 WHERE is_default = 1')
  const remove = db.prepare<[number]>('DELETE FROM order_presets WHERE id = ?')

  return {
    /** Sorted by name. */
    list: () => list.all().map(toPreset),
    get: (presetId: number) => toPresetOf(get.get(presetId)),
    /** The preset that is applied to every new draft. */
    default: () => toPresetOf(initial.get()),
    /** Ignores the case of ASCII letters. */
    idOfName: (name: string) => named.get(name)?.id,
    /**
     * Adds a preset, or replaces the existing one with this `presetId`. A new default replaces the old one. Returns the
     * id.
     */
    save: ({
      presetId,
      isDefault,
      texts,
      ...preset
    }: Omit<OrderPreset, 'presetId'> & { presetId?: number | undefined }) => {
      const row: NewPreset = { ...preset, texts: JSON.stringify(texts), isDefault: isDefault ? 1 : 0 }
      if (isDefault) clearDefault.run()
      if (presetId === undefined) return insert.get(row)?.id ?? 0
      update.run({ ...row, presetId })
      return presetId
    },
    /** Returns `false` if there was none. */
    remove: (presetId: number) => remove.run(presetId).changes > 0,
  }
}

const toPreset = ({ texts, region, isDefault, ...row }: PresetRow): OrderPreset => ({
  ...row,
  texts: readTexts(texts),
  region: readRegion(region),
  isDefault: isDefault === 1,
})

const toPresetOf = (row: PresetRow | undefined) => (row === undefined ? undefined : toPreset(row))
