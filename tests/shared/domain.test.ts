import { describe, expect, test } from 'vitest'
import {
  assetKindSchema,
  reportedChecklistSchema,
  gapReasons,
  reportedGapSchema,
  placeSchema,
  projectSchema,
  statusReportSchema,
  syncFailureSchema,
  syncReportSchema,
  verifyReportSchema,
} from '../../shared/domain.ts'

const gap = { question: 'Attic vents', expected: 5, archived: 3, reason: 'not uploaded yet' }
const checklist = {
  id: 'c',
  title: 'Survey',
  status: 'a status of tomorrow',
  updatedAt: null,
  complete: false,
  expectedFiles: 5,
  archivedFiles: 3,
  folder: null,
  gaps: [gap],
}
const failure = {
  projectId: 'p',
  checklistId: null,
  checklistTitle: null,
  path: null,
  code: 'token-refused',
  message: 'm',
}

describe('the documents of the command line', () => {
  test('are accepted as they are documented', () => {
    const project = { id: 'p', name: 'P', folder: null }
    expect(statusReportSchema.parse({ projects: [{ ...project, checklists: [checklist] }] })).toBeDefined()
    expect(projectSchema.parse({ ...project, address: null })).toBeDefined()
    expect(
      syncReportSchema.parse({
        projects: 1,
        checklists: 1,
        apiCalls: 1,
        filesDownloaded: 1,
        filesUnchanged: 0,
        filesFailed: 1,
        bytesDownloaded: 1,
        durationMs: 1,
        failures: [failure],
        failedProjects: [{ id: 'p', name: 'P', code: 'token-refused', message: 'm' }],
      }),
    ).toBeDefined()
    expect(
      verifyReportSchema.parse({ checked: 1, ok: 0, missing: ['a'], changed: [], unexpected: [], repaired: 0 }),
    ).toBeDefined()
  })

  test('keep a status that the specification does not know', () => {
    expect(reportedChecklistSchema.parse(checklist).status).toBe('a status of tomorrow')
  })

  test.each(gapReasons)('accept the reason "%s"', (reason) => {
    expect(reportedGapSchema.parse({ ...gap, reason }).reason).toBe(reason)
  })

  test.each([
    ['a reason that nobody has words for', reportedGapSchema, { ...gap, reason: 'because' }],
    ['half a file', reportedGapSchema, { ...gap, expected: 0.5 }],
    ['fewer than no files', reportedGapSchema, { ...gap, archived: -1 }],
    ['a failure that does not say why', syncFailureSchema, { ...failure, message: undefined }],
    ['an asset of another kind', assetKindSchema, 'video'],
    ['a place off the earth', placeSchema, { latitude: 91, longitude: 0 }],
  ])('refuse %s', (_, schema, value) => {
    expect(schema.safeParse(value).success).toBe(false)
  })
})
