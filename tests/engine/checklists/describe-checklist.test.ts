import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checklistDocument, describeChecklist } from '../../../electron/engine/checklists/describe-checklist.ts'
import type { AssetFacts } from '../../../electron/engine/store/assets-store.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = 'Smith [a1b2c3]/Survey [d4e5f6]'
const at = '2026-11-21T01:40:00Z'
const entryRaw = '{"id":"d4e5f6","b":[2,1,null],"a":"x"}'
const photos = 'photos/01 Roof/01 Ridge'

/** Creates a store with a completed checklist of two questions. */
function newChecklist(projectName: string | null = 'Smith') {
  const store = createStore(join(temporaryFolder(), 'solarchive.sqlite3'))
  onTestFinished(() => store.close())
  store.projects.put('a1b2c3', projectName, null, at)
  const key = store.checklists.put({
    projectId: 'a1b2c3',
    id: 'd4e5f6',
    title: 'Survey',
    status: 'completed',
    updatedAt: '2026-11-20T10:00:00Z',
    fingerprint: 'f',
    entryRaw,
  })
  store.checklists.setFolder(key, folder, folder)
  for (const [index, label] of ['Ridge', 'Eave'].entries()) {
    store.questions.insert({
      checklistKey: key,
      position: index,
      sectionLabel: 'Roof',
      label,
      answer: null,
      clientRefIds: null,
      sectionFolder: '01 Roof',
      folder: `0${index + 1} ${label}`,
      mediaCategoryId: index === 0 ? 'category-1' : null,
    })
  }
  const [question] = store.questions.listForChecklist(key)
  const describeNow = () => {
    const [project, checklist] = [store.projects.get('a1b2c3'), store.checklists.get(key)]
    if (project === undefined || checklist === undefined) throw new Error('There is a checklist')
    return describeChecklist(store, project, checklist)
  }
  return {
    store,
    describeNow,
    documentNow: () => checklistDocument(describeNow()),
    /** Records a file below the checklist's folder, of the first question unless it is a report. */
    insert: (kind: 'report' | 'photo' | 'thumbnail', path: string, facts: Partial<AssetFacts> = {}) =>
      store.assets.insert({
        checklistKey: key,
        questionKey: kind === 'report' ? null : (question?.key ?? 0),
        kind,
        path: `${folder}/${path}`,
        pathKey: path,
        remoteKey: kind === 'report' ? 'report' : `id:${'0'.repeat(32)}`,
        sourceHash: null,
        fileName: null,
        record: null,
        takenAt: null,
        latitude: null,
        longitude: null,
        ...facts,
      }),
    archive: (id: number, lastModified: string | null = null) =>
      store.assets.markArchived({
        id,
        sha256: 'ab'.repeat(32),
        sizeBytes: 1234,
        archivedAt: at,
        urlIdentity: null,
        etag: '"https://host/x?access_token=secret"',
        lastModified,
      }),
  }
}

describe('checklist.json', () => {
  test('describes the checklist, its files, and what is missing', () => {
    const { store, insert, archive, documentNow } = newChecklist()
    const report = insert('report', 'report.pdf')
    archive(report)
    store.versions.insert({
      path: `${folder}/.versions/2026-11-21T01-30-00Z/report.pdf`,
      assetId: report,
      sha256: 'cd'.repeat(32),
      sizeBytes: 1000,
      replacedAt: '2026-11-21T01:30:00Z',
    })
    const facts = {
      fileName: 'IMG.jpg',
      takenAt: '2026-11-19T09:00:00Z',
      latitude: 47.4,
      longitude: 8.5,
      record: '{"id":"photo-1","filename":"IMG.jpg"}',
    }
    const photo = insert('photo', `${photos}/IMG.jpg`, { ...facts, sourceHash: 'ef'.repeat(16) })
    archive(photo, 'Fri, 20 Nov 2026 09:00:00 GMT')
    store.assets.markGone(photo)
    archive(insert('thumbnail', 'thumbnails/01 Roof/01 Ridge/IMG.jpg', facts))
    insert('photo', `${photos}/IMG_2.jpg`, { fileName: 'IMG_2.jpg' })
    const text = documentNow()
    expect(text).toMatchInlineSnapshot(`
      "{
        "format": "solarchive-checklist",
        "version": 1,
        "project": {
          "id": "a1b2c3",
          "name": "Smith",
          "address": null
        },
        "checklist": {
          "id": "d4e5f6",
          "title": "Survey",
          "status": "completed",
          "updatedAt": "2026-11-20T10:00:00Z"
        },
        "report": {
          "file": "report.pdf",
          "sha256": "abababababababababababababababababababababababababababababababab",
          "sizeBytes": 1234,
          "archivedAt": "2026-11-21T01:40:00Z",
          "upstream": "present"
        },
        "sections": [
          {
            "label": "Roof",
            "questions": [
              {
                "label": "Ridge",
                "mediaCategoryId": "category-1",
                "expected": 2,
                "photos": [
                  {
                    "file": "photos/01 Roof/01 Ridge/IMG.jpg",
                    "thumbnail": "thumbnails/01 Roof/01 Ridge/IMG.jpg",
                    "filename": "IMG.jpg",
                    "sha256": "abababababababababababababababababababababababababababababababab",
                    "sizeBytes": 1234,
                    "takenAt": "2026-11-19T09:00:00Z",
                    "place": {
                      "latitude": 47.4,
                      "longitude": 8.5
                    },
                    "archivedAt": "2026-11-21T01:40:00Z",
                    "upstream": "gone"
                  }
                ],
                "gaps": [
                  {
                    "expected": 2,
                    "archived": 1,
                    "reason": "not downloaded yet"
                  }
                ]
              },
              {
                "label": "Eave",
                "mediaCategoryId": null,
                "expected": 0,
                "photos": [],
                "gaps": []
              }
            ]
          }
        ],
        "raw": {
          "detail": null,
          "entry": {
            "a": "x",
            "b": [
              2,
              1,
              null
            ],
            "id": "d4e5f6"
          },
          "media": [
            {
              "filename": "IMG.jpg",
              "id": "photo-1"
            }
          ]
        },
        "rebuild": {
          "questions": [
            {
              "section": "Roof",
              "label": "Ridge",
              "mediaCategoryId": "category-1",
              "folder": "01 Roof/01 Ridge",
              "upstream": "present"
            },
            {
              "section": "Roof",
              "label": "Eave",
              "mediaCategoryId": null,
              "folder": "01 Roof/02 Eave",
              "upstream": "present"
            }
          ],
          "files": [
            {
              "file": "report.pdf",
              "sha256": "abababababababababababababababababababababababababababababababab",
              "sizeBytes": 1234,
              "archivedAt": "2026-11-21T01:40:00Z",
              "upstream": "present",
              "question": null,
              "key": "report",
              "source": null,
              "filename": null,
              "etag": null,
              "lastModified": null,
              "confirmed": true,
              "record": null,
              "takenAt": null,
              "place": null
            },
            {
              "file": "photos/01 Roof/01 Ridge/IMG.jpg",
              "sha256": "abababababababababababababababababababababababababababababababab",
              "sizeBytes": 1234,
              "archivedAt": "2026-11-21T01:40:00Z",
              "upstream": "gone",
              "question": 0,
              "key": "id:00000000000000000000000000000000",
              "source": "efefefefefefefefefefefefefefefef",
              "filename": "IMG.jpg",
              "etag": null,
              "lastModified": "Fri, 20 Nov 2026 09:00:00 GMT",
              "confirmed": true,
              "record": 0,
              "takenAt": "2026-11-19T09:00:00Z",
              "place": {
                "latitude": 47.4,
                "longitude": 8.5
              }
            },
            {
              "file": "thumbnails/01 Roof/01 Ridge/IMG.jpg",
              "sha256": "abababababababababababababababababababababababababababababababab",
              "sizeBytes": 1234,
              "archivedAt": "2026-11-21T01:40:00Z",
              "upstream": "present",
              "question": 0,
              "key": "id:00000000000000000000000000000000",
              "source": null,
              "filename": "IMG.jpg",
              "etag": null,
              "lastModified": null,
              "confirmed": true,
              "record": 0,
              "takenAt": "2026-11-19T09:00:00Z",
              "place": {
                "latitude": 47.4,
                "longitude": 8.5
              }
            }
          ],
          "versions": [
            {
              "file": ".versions/2026-11-21T01-30-00Z/report.pdf",
              "sha256": "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
              "sizeBytes": 1000,
              "replacedAt": "2026-11-21T01:30:00Z"
            }
          ]
        }
      }
      "
    `)
    expect(text.endsWith('}\n')).toBe(true)
  })

  test("is the same for the same content, in any order of the keys of the service's JSON", () => {
    const { describeNow } = newChecklist()
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, member]) => [key, turned(member)]),
      )
    }
    const { raw, ...description } = describeNow()
    expect(checklistDocument({ ...description, raw: turned(raw) as typeof raw })).toBe(
      checklistDocument({ ...description, raw }),
    )
  })

  test('describes a checklist without report, thumbnail, names, time, and location', () => {
    const { insert, archive, documentNow } = newChecklist(null)
    archive(insert('photo', `${photos}/a.jpg`))
    expect(JSON.parse(documentNow())).toMatchObject({
      project: { id: 'a1b2c3', name: 'a1b2c3', address: null },
      report: null,
      sections: [
        {
          questions: [
            { photos: [{ file: `${photos}/a.jpg`, thumbnail: null, filename: null, takenAt: null, place: null }] },
            { photos: [] },
          ],
        },
      ],
    })
  })

  test('never has the value of a token, and keeps texts that only name one', () => {
    const { describeNow } = newChecklist()
    const description = describeNow()
    const written = (detail: unknown) => {
      const document = checklistDocument({ ...description, raw: { ...description.raw, detail } })
      return (JSON.parse(document) as typeof description).raw.detail
    }
    expect(
      written({ a: 'https://host/x?access_token=secret&b=1', b: 'https://host/x?next=%2F%3FAccess_Token%3Dsecret' }),
    ).toEqual({ a: 'https://host/x?access_token=…&b=1', b: 'https://host/x?next=%2F%3FAccess_Token%3D…' })
    for (const text of [
      'access_token=… (office)',
      'Note (access_token= is on the card)',
      'access_token=\nB',
      'access_token=',
    ]) {
      expect(written({ text })).toEqual({ text })
    }
  })

  test('is refused if it lists a file of another folder', () => {
    const { store, insert, archive, describeNow } = newChecklist()
    const report = insert('report', 'report.pdf')
    archive(report)
    store.assets.setPath(report, 'Smith [a1b2c3]/Other [000000]/report.pdf', 'other')
    expect(describeNow).toThrow(expect.objectContaining({ code: 'internal' }) as Error)
  })
})
