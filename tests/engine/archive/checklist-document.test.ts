import { describe, expect, test } from 'vitest'
import { checklistDocument, type ChecklistDocumentInput } from '../../../electron/engine/archive/checklist-document.ts'

const folder = 'Smith [a1b2c3]/Survey [d4e5f6]'
const file = {
  sha256: 'ab'.repeat(32),
  sizeBytes: 1234,
  archivedAt: '2026-11-21T01:40:00Z',
  upstream: 'present',
} as const
const input: ChecklistDocumentInput = {
  folder,
  project: { id: 'a1b2c3', name: 'Smith', address: null },
  checklist: { id: 'd4e5f6', title: 'Survey', status: 'completed', updatedAt: '2026-11-20T10:00:00Z' },
  report: { ...file, path: `${folder}/report.pdf` },
  sections: [
    {
      label: 'Roof',
      questions: [
        {
          label: 'Ridge',
          mediaCategoryId: 'category-1',
          expected: 2,
          photos: [
            {
              ...file,
              path: `${folder}/photos/01 Roof/01 Ridge/IMG.jpg`,
              thumbnailPath: `${folder}/thumbnails/01 Roof/01 Ridge/IMG.jpg`,
              filename: 'IMG.jpg',
              takenAt: '2026-11-19T09:00:00Z',
              place: { longitude: 8.5, latitude: 47.4 },
              upstream: 'gone',
            },
          ],
          gaps: [{ kind: 'photos', question: 'Ridge', expected: 2, archived: 1, reason: 'not uploaded yet' }],
        },
        { label: 'Eave', mediaCategoryId: null, expected: 0, photos: [], gaps: [] },
      ],
    },
  ],
  raw: { entry: { id: 'd4e5f6', b: [2, 1, null], a: 'x' }, detail: null },
}

describe('checklist.json', () => {
  test('describes the checklist, its files, and what is missing', () => {
    const text = checklistDocument(input)
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
                    "reason": "not uploaded yet"
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
          }
        }
      }
      "
    `)
    expect(text.endsWith('}\n')).toBe(true)
  })

  test('is the same for the same content, in any key order', () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, member]) => [key, turned(member)]),
      )
    }
    expect(checklistDocument(turned(input) as ChecklistDocumentInput)).toBe(checklistDocument(input))
  })

  test('describes a checklist without report, thumbnail, name, time, and location', () => {
    const photo = {
      ...file,
      path: `${folder}/photos/a.jpg`,
      thumbnailPath: null,
      filename: null,
      takenAt: null,
      place: null,
    }
    const questions = [{ label: '', mediaCategoryId: null, expected: 1, photos: [photo], gaps: [] }]
    const parsed: unknown = JSON.parse(
      checklistDocument({ ...input, report: null, sections: [{ label: '', questions }] }),
    )
    expect(parsed).toMatchObject({
      report: null,
      sections: [
        {
          questions: [
            { photos: [{ file: 'photos/a.jpg', thumbnail: null, filename: null, takenAt: null, place: null }] },
          ],
        },
      ],
    })
  })

  test('is refused if it contains a token', () => {
    for (const link of ['https://host/x?access_token=secret', 'https://host/x?next=%2F%3FAccess_Token%3Dsecret']) {
      const raw = { detail: { url: link } }
      expect(() => checklistDocument({ ...input, raw })).toThrow(expect.objectContaining({ code: 'internal' }) as Error)
    }
  })

  test('is refused if it lists a file of another folder', () => {
    const report = { ...file, path: 'Smith [a1b2c3]/Other [000000]/report.pdf' }
    expect(() => checklistDocument({ ...input, report })).toThrow(
      expect.objectContaining({ code: 'internal' }) as Error,
    )
  })
})
