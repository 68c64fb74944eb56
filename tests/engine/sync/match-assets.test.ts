import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchAssets } from '../../../electron/engine/sync/match-assets.ts'

const item = (remoteKey: string, fileName: string | null = null) => ({ remoteKey, fileName })

describe('finding the asset of a media record', () => {
  it('goes by the key first', () => {
    const a = item('id:1', 'IMG.jpg')
    const b = item('id:2', 'IMG.jpg')
    const match = matchAssets([a, b], [item('id:2', 'renamed.jpg'), item('id:1', 'IMG.jpg')])
    expect(match.pairs.map(([asset]) => asset)).toEqual([b, a])
    expect(match).toMatchObject({ created: [], vanished: [] })
  })

  it('takes a photo with another id for another photo, also under the same name', () => {
    const match = matchAssets([item('id:1', 'IMG.jpg')], [item('id:2', 'IMG.jpg')])
    expect(match.pairs).toEqual([])
    expect(match.created).toEqual([item('id:2', 'IMG.jpg')])
    expect(match.vanished).toEqual([item('id:1', 'IMG.jpg')])
  })

  it('recognises photos without ids after the file host moved them', () => {
    const match = matchAssets(
      [item('file:IMG.jpg#old1', 'IMG.jpg'), item('file:IMG.jpg#old2', 'IMG.jpg')],
      [item('file:IMG.jpg#new1', 'IMG.jpg'), item('file:IMG.jpg#new2', 'IMG.jpg'), item('file:X.jpg#n', 'X.jpg')],
    )
    expect(match.pairs).toHaveLength(2)
    expect(match.created).toEqual([item('file:X.jpg#n', 'X.jpg')])
    expect(match.vanished).toEqual([])
  })

  it('gives every asset and every distinct record exactly one place', () => {
    const items = fc.array(
      fc.record({
        remoteKey: fc.oneof(
          fc.nat(9).map((n) => `id:${n}`),
          fc.nat(9).map((n) => `file:a.jpg#${n}`),
        ),
        fileName: fc.constantFrom('a.jpg', 'b.jpg', null),
      }),
    )
    fc.assert(
      fc.property(items, items, (local, records) => {
        const assets = [...new Map(local.map((asset) => [asset.remoteKey, asset])).values()]
        const { pairs, created, vanished } = matchAssets(assets, records)
        expect(new Set([...pairs.map(([asset]) => asset), ...vanished])).toEqual(new Set(assets))
        expect(pairs.length + vanished.length).toBe(assets.length)
        const distinct = new Set(records.map((record) => record.remoteKey))
        expect(pairs.length + created.length).toBe(distinct.size)
      }),
    )
  })
})
