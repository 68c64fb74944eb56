import { describe, expect, test } from 'vitest'
import {
  countedGaps,
  exitCodeOfEnd,
  exitCodeOfError,
  exitCodeOfStatus,
  exitCodeOfSync,
  exitCodeOfVerify,
} from '../../electron/headless/exit-code-of-report.ts'
import { gapReasons, type ReportedGap, type SyncFailure, type SyncReport } from '../../shared/domain.ts'
import { AppError } from '../../shared/errors.ts'
import { errorCodes } from '../../shared/error-policy.ts'

const pass: SyncReport = {
  projects: 1,
  checklists: 1,
  apiCalls: 2,
  filesDownloaded: 3,
  filesUnchanged: 0,
  filesFailed: 0,
  bytesDownloaded: 4,
  durationMs: 5,
  failures: [],
  failedProjects: [],
  renamed: [],
}
const gap: ReportedGap = { question: 'Attic', expected: 2, archived: 1, reason: 'not uploaded yet' }
const failure = (code: string): SyncFailure => ({
  projectId: 'p',
  checklistId: null,
  checklistTitle: null,
  path: null,
  code,
  message: 'm',
})

describe('the exit code of a pass', () => {
  test('is 0 when everything is archived', () => {
    expect(exitCodeOfSync(pass, [])).toBe(0)
  })

  test('is 4 when something failed or is missing', () => {
    expect(exitCodeOfSync({ ...pass, failures: [failure('file-invalid')] }, [])).toBe(4)
    expect(exitCodeOfSync(pass, [gap])).toBe(4)
  })

  test('with --fail-on errors is 0 if the rest only waits for the service or the crew', () => {
    const reportFailed = { ...gap, reason: 'report failed' } as const
    expect(exitCodeOfSync(pass, [gap, reportFailed], 'errors')).toBe(0)
    expect(exitCodeOfSync(pass, [gap, reportFailed], 'gaps')).toBe(4)
    for (const reason of gapReasons.filter((other) => other !== gap.reason && other !== 'report failed')) {
      expect(exitCodeOfSync(pass, [gap, { ...gap, reason }], 'errors'), reason).toBe(4)
    }
    expect(exitCodeOfSync({ ...pass, failures: [failure('unreachable-refused')] }, [gap], 'errors')).toBe(4)
    expect(exitCodeOfSync({ ...pass, failures: [failure('token-refused')] }, [gap], 'errors')).toBe(3)
  })

  test('is 3 when the token was refused, whatever else failed', () => {
    const failures = [failure('file-invalid'), failure('token-refused')]
    expect(exitCodeOfSync({ ...pass, failures }, [gap])).toBe(3)
  })
})

describe('the exit code of a status', () => {
  const none = { unsynced: 0, failedFiles: 0 }

  test('with --fail-on errors is 4 for what failed, and 0 for what waits for the service or the crew', () => {
    const gaps = (reason: ReportedGap['reason']) => countedGaps([{ ...gap, reason }], 'errors').length
    expect(exitCodeOfStatus(gaps('not uploaded yet'), none, 'errors')).toBe(0)
    expect(exitCodeOfStatus(gaps('damaged'), none, 'errors')).toBe(4)
    expect(exitCodeOfStatus(gaps('not uploaded yet'), { ...none, unsynced: 1 }, 'errors')).toBe(4)
    expect(exitCodeOfStatus(gaps('not uploaded yet'), { ...none, failedFiles: 1 }, 'errors')).toBe(4)
  })

  test('is 4 with any gap, else 0', () => {
    expect(exitCodeOfStatus(countedGaps([gap], 'gaps').length, none, 'gaps')).toBe(4)
    expect(exitCodeOfStatus(0, none, 'gaps')).toBe(0)
    expect(exitCodeOfStatus(0, { ...none, unsynced: 1 }, 'gaps')).toBe(4)
  })
})

describe('the exit code of a re-hash', () => {
  const found = { checked: 1, ok: 1, missing: [], changed: [], unexpected: [], repaired: 0, renamed: [] }

  test('is 4 when a file is missing or changed', () => {
    expect(exitCodeOfVerify({ ...found, missing: ['a'] })).toBe(4)
    expect(exitCodeOfVerify({ ...found, changed: ['a'] })).toBe(4)
    expect(exitCodeOfVerify({ ...found, missing: ['a'] }, [{ code: 'file-gone' }])).toBe(4)
    expect(exitCodeOfVerify({ ...found, missing: ['a'] }, [{ code: 'token-refused' }])).toBe(3)
  })

  test('is 0 when all is well, even with files of others', () => {
    expect(exitCodeOfVerify(found)).toBe(0)
    expect(exitCodeOfVerify({ ...found, unexpected: ['notes.txt'] })).toBe(0)
  })
})

describe('the exit code of a command that could not do its work', () => {
  test.each([
    ['internal', 1],
    ['wrong-usage', 2],
    ['wrong-settings', 2],
    ['not-found', 2],
    ['database-newer', 2],
    ['archive-unavailable', 2],
    ['token-refused', 3],
    ['unreachable-dns', 4],
    ['disk-full', 4],
    ['data-folder-locked', 5],
  ] as const)('is for %s %i', (code, exitCode) => {
    expect(exitCodeOfError(code)).toBe(exitCode)
  })

  test('is 1 if the data folder cannot be written, whatever the error', () => {
    for (const code of ['disk-full', 'disk-error'] as const) {
      expect(exitCodeOfEnd(new AppError(code, 'x', { details: { dataFolder: 'full' } }))).toBe(1)
      expect(exitCodeOfEnd(new AppError(code, 'x'))).toBe(4)
    }
  })

  test('is never 0', () => {
    for (const code of errorCodes) expect(exitCodeOfError(code)).toBeGreaterThan(0)
  })
})
