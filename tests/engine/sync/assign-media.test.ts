import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RemoteMedia } from '../../../electron/engine/service/service-types.ts'
import { assignMedia, remoteKey } from '../../../electron/engine/sync/assign-media.ts'
import { sourceHash } from '../../../electron/engine/sync/url-identity.ts'

function record(raw: { id?: string; filename?: string; clientRefId?: string }): RemoteMedia {
  const { id = null, filename = null } = raw
  return { id, filename, imgUrl: null, thumbnailUrl: null, place: null, takenAt: null, raw }
}

const question = (key: number, clientRefIds: string[] | null, knownKeys: string[] = []) => ({
  key,
  clientRefIds,
  knownKeys: new Set(knownKeys),
})

describe('which question a photo belongs to, when several share a category', () => {
  it('follows the reference, wherever the record carries it', () => {
    const records = [record({ id: '1', clientRefId: 'b' }), record({ filename: 'a.jpg' }), record({ id: 'c' })]
    const assigned = assignMedia(records, [question(1, ['a', 'c']), question(2, ['b'])])
    expect(assigned.get(1)).toEqual([records[1], records[2]])
    expect(assigned.get(2)).toEqual([records[0]])
  })

  it('leaves a photo where it was', () => {
    const photo = record({ id: '1' })
    const assigned = assignMedia([photo], [question(1, ['x']), question(2, ['y'], [remoteKey(photo)])])
    expect(assigned.get(2)).toEqual([photo])
  })

  it('fills the questions in order of what they expect when nothing refers', () => {
    const records = [record({ id: '1' }), record({ id: '2' }), record({ id: '3' })]
    const assigned = assignMedia(records, [question(1, ['x', 'y']), question(2, ['z'])])
    expect(assigned.get(1)).toHaveLength(2)
    expect(assigned.get(2)).toHaveLength(1)
  })

  it('never leaves a record out nor gives it to two', () => {
    const id = fc.nat(12).map(String)
    fc.assert(
      fc.property(
        fc.uniqueArray(id, { maxLength: 12 }),
        fc.array(fc.record({ refs: fc.option(fc.array(id)), known: fc.array(id) }), { minLength: 1, maxLength: 4 }),
        (ids, questions) => {
          const records = ids.map((value) => record({ id: value }))
          const assigned = assignMedia(
            records,
            questions.map(({ refs, known }, key) =>
              question(
                key,
                refs,
                known.map((k) => `id:${k}`),
              ),
            ),
          )
          const all = [...assigned.values()].flat()
          expect(all).toHaveLength(records.length)
          expect(new Set(all)).toEqual(new Set(records))
        },
      ),
    )
  })
})

describe('the identity of a photo without an id', () => {
  const at = (url: string) => remoteKey({ ...record({ filename: 'IMG.jpg' }), imgUrl: url })

  it('stays when only the signature of its link changes, and tells files of one name apart', () => {
    expect(at('https://files.example/a/1.jpg?sig=1')).toBe(at('https://files.example/a/1.jpg?sig=2'))
    expect(at('https://files.example/a/1.jpg')).not.toBe(at('https://files.example/a/2.jpg'))
  })

  it('shows nothing of the link', () => {
    expect(at('https://files.example/secretpath/1.jpg?sig=topsecret')).not.toMatch(/secret|example/)
    expect(sourceHash('not a link')).toBeNull()
  })
})
