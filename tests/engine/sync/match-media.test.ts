import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RemoteMedia } from '../../../electron/engine/service/service-types.ts'
import { urlIdentityOf } from '../../../electron/engine/lib/link-identity.ts'
import {
  assignMedia,
  exactReference,
  matchAssets,
  remoteKey,
  storedReference,
} from '../../../electron/engine/sync/match-media.ts'

const item = (remoteKey: string, fileName: string | null = null) => ({ remoteKey, fileName })

describe('matching media records to assets', () => {
  it('uses the key first', () => {
    const a = item('id:1', 'IMG.jpg')
    const b = item('id:2', 'IMG.jpg')
    const match = matchAssets([a, b], [item('id:2', 'renamed.jpg'), item('id:1', 'IMG.jpg')])
    expect(match.pairs.map(([asset]) => asset)).toEqual([b, a])
    expect(match).toMatchObject({ created: [], gone: [] })
  })

  it('treats a photo with another id as another photo, even under the same name', () => {
    const match = matchAssets([item('id:1', 'IMG.jpg')], [item('id:2', 'IMG.jpg')])
    expect(match.pairs).toEqual([])
    expect(match.created).toEqual([item('id:2', 'IMG.jpg')])
    expect(match.gone).toEqual([item('id:1', 'IMG.jpg')])
  })

  it('recognizes photos without ids after the file host moved them', () => {
    const match = matchAssets(
      [item('file:IMG.jpg#old1', 'IMG.jpg'), item('file:IMG.jpg#old2', 'IMG.jpg')],
      [item('file:IMG.jpg#new1', 'IMG.jpg'), item('file:IMG.jpg#new2', 'IMG.jpg'), item('file:X.jpg#n', 'X.jpg')],
    )
    expect(match.pairs).toHaveLength(2)
    expect(match.created).toEqual([item('file:X.jpg#n', 'X.jpg')])
    expect(match.gone).toEqual([])
  })

  it('assigns every asset and every distinct record exactly once', () => {
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
        const { pairs, created, gone } = matchAssets(assets, records)
        expect(new Set([...pairs.map(([asset]) => asset), ...gone])).toEqual(new Set(assets))
        expect(pairs.length + gone.length).toBe(assets.length)
        const distinct = new Set(records.map((record) => record.remoteKey))
        expect(pairs.length + created.length).toBe(distinct.size)
      }),
    )
  })
})

function record(raw: { id?: string; filename?: string; clientRefId?: string; url?: string }): RemoteMedia {
  const { id = null, filename = null } = raw
  return { id, filename, imgUrl: null, thumbnailUrl: null, hasThumbnail: false, place: null, takenAt: null, raw }
}

const question = (key: number, clientRefIds: string[] | null, knownKeys: string[] = []) => ({
  key,
  clientRefIds,
  knownKeys: new Set(knownKeys),
})

describe('assigning photos to questions that share a category', () => {
  it('follows the reference, in whichever field the record has it', () => {
    const records = [record({ id: '1', clientRefId: 'b' }), record({ filename: 'a.jpg' }), record({ id: 'c' })]
    const assigned = assignMedia(records, [question(1, ['a', 'c']), question(2, ['b'])])
    expect(assigned.get(1)).toEqual([records[1], records[2]])
    expect(assigned.get(2)).toEqual([records[0]])
  })

  it.each([
    ['https://files.example/a.jpg?X-Amz-Signature=', 'https://files.example/b.jpg?X-Amz-Signature='],
    ['/files/a.jpg?Expires=9&Signature=', '/files/b.jpg?Expires=9&Signature='],
    ['s3://photos/1/a.jpg?Signature=', 's3://photos/1/b.jpg?Signature='],
    ['https://files.example/photo?id=1&hdnts=', 'https://files.example/photo?id=2&hdnts='],
  ])('follows a reference that is a link, which is signed again: %s', (one, other) => {
    const records = [record({ url: `${other}2` }), record({ url: `${one}2` })]
    const [first, second] = [storedReference(`${one}1`), storedReference(`${other}1`)]
    expect(`${first} ${second}`).not.toMatch(/[/?=]/)
    const assigned = assignMedia(records, [question(1, [first]), question(2, [second])])
    expect([assigned.get(1), assigned.get(2)]).toEqual([[records[1]], [records[0]]])
    // An earlier version stored links unchanged.
    const before = assignMedia(records, [question(1, [`${one}2`]), question(2, [`${other}2`])])
    expect([before.get(1), before.get(2)]).toEqual([[records[1]], [records[0]]])
  })

  it('follows a reference that the record has as a number', () => {
    const records = [7, 8].map((clientRefId) => ({ ...record({}), raw: { clientRefId } }))
    const assigned = assignMedia(records, [question(1, ['8']), question(2, ['7'])])
    expect([assigned.get(1), assigned.get(2)]).toEqual([[records[1]], [records[0]]])
  })

  it('tells photos apart whose references differ only in what may be a signature', () => {
    const links = ['https://files.example/photo?sig=1', 'https://files.example/photo?sig=2']
    const [first = '', second = ''] = links.map(exactReference)
    const records = links.map((url) => record({ url }))
    const assigned = assignMedia(records, [question(1, [second]), question(2, [first])])
    expect([assigned.get(1), assigned.get(2)]).toEqual([[records[1]], [records[0]]])
  })

  it('tells files apart that only their tokens name', () => {
    const links = ['https://files.example/photo?token=1', 'https://files.example/photo?token=2']
    const records = links.map((url) => record({ url }))
    const assigned = assignMedia(records, [
      question(1, []),
      ...links.map((url, n) => question(n + 2, [storedReference(url)])),
    ])
    expect([1, 2, 3].map((key) => assigned.get(key))).toEqual([[], [records[0]], [records[1]]])
  })

  it('moves a photo to the question that refers to it now', () => {
    const photo = record({ id: '1', clientRefId: 'x' })
    const assigned = assignMedia([photo], [question(1, ['x']), question(2, [], [remoteKey(photo)])])
    expect(assigned.get(1)).toEqual([photo])
  })

  it('gives a photo to each question that refers to it', () => {
    const records = [record({ id: 'a' }), record({ id: 'b' })]
    const assigned = assignMedia(records, [question(1, ['a', 'b']), question(2, ['b', 'b']), question(3, [])])
    expect([1, 2, 3].map((key) => assigned.get(key))).toEqual([records, [records[1]], []])
  })

  it('keeps a photo with its question', () => {
    const photo = record({ id: '1' })
    const assigned = assignMedia([photo], [question(1, ['x']), question(2, ['y'], [remoteKey(photo)])])
    expect(assigned.get(2)).toEqual([photo])
  })

  it('fills the questions in order up to their expected counts if there are no references', () => {
    const records = [record({ id: '1' }), record({ id: '2' }), record({ id: '3' })]
    const assigned = assignMedia(records, [question(1, ['x', 'y']), question(2, ['z'])])
    expect(assigned.get(1)).toHaveLength(2)
    expect(assigned.get(2)).toHaveLength(1)
  })

  it('assigns every record to each question that refers to it, or else to exactly one', () => {
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
          for (const [index, value] of ids.entries()) {
            const referring = questions.filter(({ refs }) => refs?.includes(value) === true).length
            expect(all.filter((one) => one === records[index])).toHaveLength(Math.max(1, referring))
          }
        },
      ),
    )
  })
})

describe('the identity of a photo without an id', () => {
  const at = (url: string) => remoteKey({ ...record({ filename: 'IMG.jpg' }), imgUrl: url })

  it('is stable if only the signature of its link changes, and distinguishes files of the same name', () => {
    expect(at('https://files.example/a/1.jpg?sig=1')).toBe(at('https://files.example/a/1.jpg?sig=2'))
    expect(at('https://files.example/a/1.jpg')).not.toBe(at('https://files.example/a/2.jpg'))
  })

  it('does not reveal the link', () => {
    expect(at('https://files.example/secretpath/1.jpg?sig=topsecret')).not.toMatch(/secret|example/)
    expect(urlIdentityOf('not a link')).toBeNull()
  })
})
