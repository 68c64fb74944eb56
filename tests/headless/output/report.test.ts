import { describe, expect, test } from 'vitest'
import { maxNameBytes, numberedName } from '../../../electron/engine/archive/safe-name.ts'
import type { FailedFile, SyncResult, VerifyResult } from '../../../electron/engine/engine.ts'
import { createPainter } from '../../../electron/headless/output/console-output.ts'
import { describeGap, gapsOf, statusLabel } from '../../../electron/headless/output/gaps.ts'
import { describeProjects } from '../../../electron/headless/commands/projects.ts'
import { describeFailedFiles, describeStatus } from '../../../electron/headless/commands/status.ts'
import { describeSync, describeSyncProblems, projectNames } from '../../../electron/headless/commands/sync.ts'
import { describeVerify, describeVerifyProblems } from '../../../electron/headless/commands/verify.ts'
import type { ReportedChecklist, ReportedGap, StatusReport } from '../../../shared/domain.ts'

const paint = createPainter(false)

function checklist(title: string, status: string, expectedFiles: number, gaps: ReportedGap[] = []): ReportedChecklist {
  const missing = gaps.reduce((sum, gap) => sum + gap.expected - gap.archived, 0)
  return {
    id: title,
    title,
    status,
    updatedAt: null,
    complete: gaps.length === 0,
    expectedFiles,
    archivedFiles: expectedFiles - missing,
    folder: title,
    gaps,
  }
}

const notUploaded: ReportedGap = {
  question: 'Attic vents',
  expected: 5,
  archived: 3,
  reason: 'not uploaded yet',
}
const refused: ReportedGap = { question: 'Rafters', expected: 1, archived: 0, reason: 'link refused' }

const status: StatusReport = {
  projects: [
    {
      id: 'p1',
      name: 'Maple Street 12',
      folder: 'Maple Street 12 [p1]',
      checklists: [
        checklist('Survey', 'completed', 24),
        checklist('Attic', 'awaitingMedia', 14, [notUploaded, refused]),
        checklist('Electrical', 'pdfProcessingFailed', 0),
      ],
    },
    { id: 'p2', name: 'Oak', folder: null, checklists: [] },
  ],
}

const nameOf = projectNames(status.projects)

const pass: SyncResult = {
  notSynced: 0,
  filesWaiting: 0,
  downloads: { newFiles: 0, replacedFiles: 0, previews: 0 },
  outages: [],
  projects: 2,
  checklists: 3,
  apiCalls: 41,
  filesDownloaded: 34,
  filesUnchanged: 1200,
  filesFailed: 1,
  bytesDownloaded: 48_200_000,
  durationMs: 12_345,
  failures: [
    {
      projectId: 'p1',
      checklistId: 'Attic',
      checklistTitle: 'Attic',
      path: 'a/b.jpg',
      code: 'link-refused',
      message: 'Refused.',
    },
  ],
  failedProjects: [],
  renamed: [],
}

describe('the status', () => {
  test('is a table per project, with the gaps of each checklist', () => {
    expect(describeStatus(status, '/archive', paint)).toEqual([
      'Maple Street 12 (p1)',
      '  Checklist   Status                    Files',
      '  Survey      completed              24 of 24  complete',
      '  Attic       awaiting media         11 of 14  3 missing',
      '      "Attic vents": 2 of 5 files missing, not uploaded from the phone yet',
      '      "Rafters": 1 file missing, link refused by the download server; the next sync asks for a fresh one',
      '  Electrical  PDF processing failed         0  no files yet',
      '',
      'Oak (p2)',
      '  No checklists archived yet.',
      '',
      'Archive: /archive',
      '2 of 3 checklists complete, 1 with something missing.',
    ])
  })

  test('says that a report failed although an earlier one is archived', () => {
    const gap: ReportedGap = { question: 'Report', expected: 1, archived: 1, reason: 'report failed' }
    const checklists = [{ ...checklist('Attic', 'pdfProcessingFailed', 9), gaps: [gap] }]
    const lines = describeStatus({ projects: [{ ...status.projects[0]!, checklists }] }, '/archive', paint)
    expect(lines.slice(2, 4)).toEqual([
      '  Attic      PDF processing failed  9 of 9  report failed',
      '      "Report": the service could not create the PDF report',
    ])
  })

  test('names a renamed folder of a checklist in place of its files, and lists those that others have to upload', () => {
    const damaged: ReportedGap = { question: 'Rafters', expected: 3, archived: 0, reason: 'damaged' }
    const folderOf = (title: string) => `Maple/${title}`
    const checklists = ['Survey', 'Attic'].map((title) => ({
      ...checklist(title, 'awaitingMedia', 8, [damaged, notUploaded]),
      folder: folderOf(title),
    }))
    const found = { projects: [{ ...status.projects[0]!, folder: 'Maple', checklists }] }
    const renamed = [{ projectId: 'p1', from: folderOf('Attic'), to: folderOf('Loft') }]
    const lines = describeStatus(found, '/archive', paint, { renamed }).filter((line) => line.startsWith('      '))
    expect(lines).toEqual([
      '      "Rafters": 3 files missing or changed on the disk; verify with repair downloads them again',
      '      "Attic vents": 2 of 5 files missing, not uploaded from the phone yet',
      '      Folder renamed: "Maple/Attic" is now "Maple/Loft". "sync" or "verify --repair" restores its name.',
      '      "Attic vents": 2 of 5 files missing, not uploaded from the phone yet',
    ])
  })

  test('counts checklists in progress beside those with something missing', () => {
    const checklists = [
      checklist('Survey', 'completed', 5),
      { ...checklist('Attic', 'draft', 0), complete: false },
      checklist('Roof', 'awaitingMedia', 5, [{ ...notUploaded, reason: 'gone' }]),
    ]
    const mixed = { projects: [{ ...status.projects[0]!, checklists }] }
    expect(describeStatus(mixed, '/archive', paint).at(-1)).toBe(
      '1 of 3 checklists complete, 1 in progress, 1 with something missing.',
    )
  })

  test('has one line for what the next sync or a running one downloads, and cuts long questions', () => {
    const waiting: ReportedGap[] = Array.from({ length: 75 }, (_, i) => ({
      question: `Question ${i}`,
      expected: 2,
      archived: 0,
      reason: 'not downloaded yet' as const,
    }))
    const report = { ...waiting[0]!, question: 'Report', expected: 1 }
    const long = { ...notUploaded, question: 'Attic '.repeat(40) }
    const started = {
      projects: [
        { ...status.projects[0]!, checklists: [checklist('Survey', 'completed', 156, [...waiting, report, long])] },
      ],
    }
    const lines = describeStatus(started, '/archive', paint).filter((line) => line.startsWith('      '))
    expect(lines).toEqual([
      '      Report and 75 questions: 151 files missing, not downloaded yet; the next sync does it',
      expect.stringMatching(/^ {6}"Attic [Atic ]{40,54}…": 2 of 5 files missing, not uploaded from the phone yet$/),
    ])
    expect(describeStatus(started, '/archive', paint, { isSyncing: true }).join('\n')).toContain(
      '151 files missing, not downloaded yet; the running Solarchive does it',
    )
  })

  test('says if only the service can continue', () => {
    const waiting = {
      projects: [{ ...status.projects[0]!, checklists: [checklist('Attic', 'draft', 5, [notUploaded])] }],
    }
    const claim = 'has everything that the service offered when it was last asked'
    expect(describeStatus(waiting, '/archive', paint).at(-1)).toContain(claim)
    // The gap of a question has one reason; a failed photo can be behind one that only waits.
    expect(describeStatus(waiting, '/archive', paint, { failedFiles: 1 }).at(-1)).not.toContain(claim)
  })

  test('of projects without a checklist claims nothing', () => {
    const empty = { projects: [{ id: 'p2', name: 'Oak', folder: null, checklists: [] }] }
    expect(describeStatus(empty, '/archive', paint).at(-1)).toBe('Nothing is archived yet; run "sync".')
  })

  test('says if all is well', () => {
    const done = { projects: [{ ...status.projects[0]!, checklists: [checklist('Survey', 'completed', 5)] }] }
    expect(describeStatus(done, '/archive', paint).at(-1)).toBe('1 of 1 checklist complete.')
    expect(describeStatus(done, '/archive', paint, { unread: 2 }).at(-1)).toBe(
      '1 of 1 checklist complete, 2 projects not synced yet or not readable.',
    )
  })

  test('shows text of the service without terminal control characters', () => {
    const evil = {
      projects: [
        { id: 'p\u001b[2J', name: 'N\u0007', folder: null, checklists: [checklist('T\n\u009bX', 'S\u0000', 0)] },
      ],
    }
    // eslint-disable-next-line no-control-regex
    expect(describeStatus(evil, '/archive', paint).join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })

  test.each([
    ['awaitingMedia', 'awaiting media'],
    ['pdfProcessingFailed', 'PDF processing failed'],
    ['formSubmitted', 'form submitted'],
    ['Something New', 'something New'],
    ['on-hold', 'on-hold'],
  ])('shows the status %s as %s', (code, words) => {
    expect(statusLabel(code).toLowerCase()).toBe(words.toLowerCase())
  })
})

describe('a pass', () => {
  test('is summarized', () => {
    expect(describeSync(pass, '/archive', paint)).toEqual([
      '2 projects, 3 checklists checked in 12 s.',
      '34 files downloaded (48.2 MB), 1,200 already archived, 41 calls to the service.',
      'Archive: /archive',
    ])
  })

  test('lists failures, and missing files by cause, each file once', () => {
    // The refused link of "Rafters" is the failure that is listed.
    expect(describeSyncProblems(pass, gapsOf(status), nameOf, paint)).toEqual([
      'Failed (1):',
      '  a/b.jpg: Refused.',
      'Not complete yet (1 checklist):',
      '  2 files missing, not uploaded from the phone yet:',
      '    Maple Street 12 / Attic, "Attic vents": 2 of 5 files',
    ])
    expect(describeSyncProblems({ ...pass, failures: [] }, gapsOf(status), nameOf, paint).slice(-2)).toEqual([
      '  1 file missing, link refused by the download server; the next sync asks for a fresh one:',
      '    Maple Street 12 / Attic, "Rafters": 1 file',
    ])
  })

  test('names a checklist that could not be read by its title and project', () => {
    const failure = { ...pass.failures[0]!, path: null, code: 'service-error', message: 'Down.' }
    const failures = [failure, { ...failure, checklistId: 'c2', checklistTitle: 'Survey' }]
    for (const same of [[failure], [failure, failure]]) {
      expect(describeSyncProblems({ ...pass, failures: same }, [], nameOf, paint)).toEqual([
        'Failed (1):',
        '  Maple Street 12 / Attic: Down.',
      ])
    }
    expect(describeSyncProblems({ ...pass, failures }, [], nameOf, paint)).toEqual([
      'Failed (2):',
      '  2 checklists: Down.',
      '    Maple Street 12 / Attic',
      '    Maple Street 12 / Survey',
    ])
  })

  test('without downloads says if there was nothing new, or if all failed', () => {
    const empty = { ...pass, filesDownloaded: 0 }
    expect(describeSync(empty, '/archive', paint)[1]).toMatch(/^Nothing downloaded, /)
    expect(describeSync({ ...empty, failures: [] }, '/archive', paint)[1]).toMatch(/^Nothing new to download, /)
  })

  test('whose projects were removed before their turn says that none was left', () => {
    const removed = { ...pass, projects: 0, notSynced: 0, checklists: 0, filesDownloaded: 0, failures: [] }
    expect(describeSync(removed, '/archive', paint)[0]).toMatch(/^No project was left to sync: /)
  })

  test('without problems lists none', () => {
    expect(describeSyncProblems({ ...pass, failures: [] }, [], nameOf, paint)).toEqual([])
  })

  test('that the service refuses is reported once for all projects, not per project', () => {
    const failure = {
      projectId: 'p1',
      checklistId: null,
      checklistTitle: null,
      path: null,
      code: 'token-refused',
      message: 'Refused.',
    }
    const refused = { ...pass, notSynced: 2, checklists: 0, filesDownloaded: 0, filesUnchanged: 0, apiCalls: 1 }
    const report = { ...refused, failures: [failure] }
    expect(describeSyncProblems(report, [], nameOf, paint)).toEqual(['Refused. 2 projects were not synced.'])
    expect(describeSync(report, '/archive', paint)).toEqual(['Archive: /archive'])
    const down = { ...report, failures: [{ ...failure, code: 'service-error', message: 'Down.' }] }
    expect(describeSync(down, '/archive', paint).slice(0, 2)).toEqual([
      'No project could be synced; tried for 12 s.',
      'Nothing downloaded, 1 call to the service.',
    ])
    const lateAndOne = { ...report, notSynced: 1, checklists: 3 }
    const failedProjects = [{ id: 'p2', name: 'Oak', code: 'token-refused', message: 'Refused.' }]
    expect(describeSyncProblems({ ...lateAndOne, failedProjects }, [], nameOf, paint)).toEqual([
      'Refused. 1 project was not synced (Oak).',
    ])
    expect(describeSync(lateAndOne, '/archive', paint)[0]).toBe('1 of 2 projects, 3 checklists checked in 12 s.')
  })

  test('that lost the connection says so once, with the number of files that wait', () => {
    const down = { code: 'unreachable-refused', message: 'The service is gone.' } as const
    const files = Array.from({ length: 50 }, (_, i) => ({ ...pass.failures[0]!, ...down, path: `${i}.jpg` }))
    const failures = [...files, { projectId: 'p1', checklistId: null, checklistTitle: null, path: null, ...down }]
    const report = { ...pass, notSynced: 1, filesWaiting: 1981, outages: [down], failures }
    expect(describeSyncProblems(report, [], nameOf, paint)).toEqual([
      'Connection lost: 1,981 files wait, and 1 project was not synced. The next sync continues.',
      '  The service is gone.',
    ])
    const offline = { ...report, notSynced: 2, filesWaiting: 0, filesDownloaded: 0 }
    expect(describeSyncProblems(offline, [], nameOf, paint)[0]).toBe(
      'No connection: 2 projects were not synced. The next sync continues.',
    )
  })

  test('names every failed project, those with the same error together', () => {
    const failure = {
      projectId: 'p1',
      checklistId: null,
      checklistTitle: null,
      path: null,
      code: 'service-error',
      message: 'Down.',
    }
    const lines = (...failures: (typeof failure)[]) =>
      describeSyncProblems({ ...pass, notSynced: failures.length, failures }, [], nameOf, paint)
    expect(lines(failure)).toEqual(['Failed (1):', '  Maple Street 12 (p1): Down.'])
    expect(lines(failure, { ...failure, projectId: 'p2' })).toEqual([
      'Failed (2):',
      '  2 projects: Down.',
      '    Maple Street 12 (p1)',
      '    Oak (p2)',
    ])
  })

  test('of projects without a checklist says so', () => {
    expect(describeSync({ ...pass, checklists: 0 }, '/archive', paint)[0]).toBe(
      '2 projects checked in 12 s; no checklists yet.',
    )
  })

  test('does not fill the screen with failures', () => {
    const failures = Array.from({ length: 500 }, (_, i) => ({ ...pass.failures[0]!, path: `${i}.jpg` }))
    const lines = describeSyncProblems({ ...pass, failures }, [], nameOf, paint)
    // A heading, the cause, and at most ten lines about it.
    expect(lines).toHaveLength(11)
    expect(lines[1]).toBe('  500 files: Refused.')
    expect(lines.at(-1)).toContain('492 more')
    const gaps = Array.from({ length: 500 }, () => gapsOf(status)[0]!)
    expect(describeSyncProblems({ ...pass, failures: [] }, gaps, nameOf, paint)).toHaveLength(11)
    const causes = Array.from({ length: 500 }, (_, i) => ({ ...pass.failures[0]!, message: `Reason ${i}.` }))
    expect(describeSyncProblems({ ...pass, failures: causes }, [], nameOf, paint)).toHaveLength(14)
  })

  test('of named projects has only their gaps', () => {
    expect(gapsOf(status, ['p1'])).toHaveLength(2)
    expect(gapsOf(status, ['p2'])).toHaveLength(0)
    expect(gapsOf(status, [])).toHaveLength(2)
  })

  test('counts the missing photos of a question', () => {
    expect(describeGap({ ...notUploaded, archived: 0 })).toBe(
      '"Attic vents": 5 files missing, not uploaded from the phone yet',
    )
    expect(describeGap({ ...notUploaded, archived: 1, reason: 'damaged' })).toBe(
      '"Attic vents": 4 of 5 files missing or changed on the disk; verify with repair downloads them again',
    )
    expect(describeGap({ ...notUploaded, archived: 4, reason: 'damaged' })).toMatch(
      /: 1 of 5 files .* downloads it again$/,
    )
    expect(describeGap({ ...notUploaded, archived: 5, reason: 'not checked yet' })).toBe(
      '"Attic vents": archived, but not checked for changes yet; the next sync does it',
    )
    expect(describeGap({ ...notUploaded, question: 'Report', expected: 1, archived: 0 })).toBe(
      '"Report": 1 file missing, not created by the service yet; every sync checks again',
    )
  })
})

describe('a verify', () => {
  const found: VerifyResult = {
    checked: 1200,
    ok: 1200,
    missing: [],
    changed: [],
    unexpected: [],
    repaired: 0,
    renamed: [],
    resumedFrom: null,
    alreadyRead: 0,
    quarantined: [],
    failures: [],
  }

  test('says if all is well', () => {
    expect(describeVerify(found, '/archive', paint)[0]).toBe('1,200 files checked, nothing is missing or changed.')
    expect(describeVerifyProblems(found, paint)).toEqual([])
  })

  test('of an empty archive claims nothing', () => {
    expect(describeVerify({ ...found, checked: 0, ok: 0 }, '/archive', paint)[0]).toBe('Nothing is archived yet.')
  })

  test('lists problems', () => {
    const bad = { ...found, ok: 1198, missing: ['a'], changed: ['b'], unexpected: ['c', 'd/e'] }
    expect(describeVerify(bad, '/archive', paint)[0]).toBe(
      '1,200 files checked: 1,198 unchanged, 1 missing, 1 changed.',
    )
    expect(describeVerifyProblems(bad, paint)).toEqual([
      'Missing:',
      '  a',
      'Changed:',
      '  b',
      '  "verify --repair" downloads them again, and keeps changed files beside the originals.',
      'Not put there by Solarchive, left untouched:',
      '  c (folder)',
      '  d/e',
    ])
  })

  test('that was resumed says how much was not read again', () => {
    const resumed = { ...found, resumedFrom: '2026-11-21T09:00:00.000Z', alreadyRead: 800 }
    expect(describeVerify(resumed, '/archive', paint)[1]).toBe(
      'Resumed the verification that started at 2026-11-21T09:00:00.000Z and was stopped: 800 files had been read, ' +
        'and only their names and sizes were checked now.',
    )
  })

  test('that repaired everything succeeds, and says where changed files are', () => {
    const repaired = {
      ...found,
      repaired: 2,
      unexpected: ['b (edited 2026-11-21)'],
      quarantined: ['b (edited 2026-11-21)'],
    }
    expect(describeVerify(repaired, '/archive', paint)[0]).toBe(
      '1,200 files checked, 2 of them repaired: nothing is missing or changed now.',
    )
    expect(describeVerifyProblems(repaired, paint)).toEqual([
      'Changed files, kept beside the originals:',
      '  b (edited 2026-11-21)',
      expect.stringContaining('the original has its name again'),
      expect.stringContaining('move or delete those you do not need'),
    ])
  })

  test('distinguishes files kept by an earlier repair from files of others, with instructions', () => {
    const kept = ['a/photo (edited 2026-01-02).jpg', 'a/report (edited 2026-01-02) (2).pdf']
    const lines = describeVerifyProblems({ ...found, unexpected: [...kept, 'a/notes (edited by Ada).txt'] }, paint)
    expect(lines).toEqual([
      'Changed files, kept beside the originals:',
      ...kept.map((path) => `  ${path}`),
      expect.stringContaining('the original has its name again'),
      expect.stringContaining('move or delete those you do not need'),
      'Not put there by Solarchive, left untouched:',
      '  a/notes (edited by Ada).txt',
    ])
  })

  test('never advises to delete what may be the last copy of a file', () => {
    const kept = ['a/photo (edited 2026-01-02) (2).jpg', 'a/photo (edited 2026-01-02).jpg']
    const other = 'a/report (edited 2026-01-02).pdf'
    const bad = { ...found, missing: ['a/photo.jpg'], unexpected: [...kept, other] }
    expect(describeVerifyProblems(bad, paint)).toEqual([
      'Missing:',
      '  a/photo.jpg',
      expect.stringContaining('"verify --repair"'),
      'Changed files whose originals are missing or changed:',
      ...kept.map((path) => `  ${path}`),
      expect.stringContaining('keep it until the original is back'),
      'Changed files, kept beside the originals:',
      `  ${other}`,
      expect.stringContaining('the original has its name again'),
      expect.stringContaining('move or delete those you do not need'),
    ])
  })

  test.each([1, 2, 12])(
    'never advises to delete what may be the last copy of a file with a long name: copy %d',
    (number) => {
      const original = `${'n'.repeat(80)}.jpg`
      const ending = ' (edited 2026-01-02).jpg'
      const copy = `a/v1.2/${numberedName('n'.repeat(maxNameBytes - ending.length) + ending, number)}`
      // A later verify than the repair that kept it.
      const verified = (changed: string) => ({ ...found, changed: [changed], unexpected: [copy] })
      const lastCopies = 'Changed files whose originals are missing or changed:'
      expect(describeVerifyProblems(verified(`a/v1.2/${original}`), paint)).toContain(lastCopies)
      expect(describeVerifyProblems(verified(`a/v1.3/${original}`), paint)).not.toContain(lastCopies)
    },
  )

  test('calls no kept file the last copy of another file whose name starts like that of its original', () => {
    const kept = ['a/roof (edited 2026-01-02).jpg', `a/${'n'.repeat(70)} (edited 2026-01-02).jpg`]
    const missing = ['a/roof (2).jpg', `a/${'n'.repeat(70)} (2).jpg`]
    const lines = describeVerifyProblems({ ...found, missing, unexpected: kept }, paint)
    expect(lines).toContain('Changed files, kept beside the originals:')
    expect(lines).not.toContain('Changed files whose originals are missing or changed:')
  })

  test('that skipped a file says so', () => {
    const resumed = { ...found, resumedFrom: '2026-11-21T09:00:00.000Z', alreadyRead: 0 }
    expect(describeVerify(resumed, '/archive', paint)[1]).toMatch(/was stopped before it had read a file\.$/)
  })

  test('that could not repair lists each reason once', () => {
    const gone = { code: 'file-gone', message: 'Gone.' } as const
    const down = { code: 'unreachable-refused', message: 'Down.' } as const
    const bad = {
      ...found,
      ok: 1197,
      repaired: 1,
      missing: ['a', 'b', 'c'],
      failures: [
        { path: 'a', ...gone },
        { path: 'b', ...down },
        { path: 'c', ...down },
      ],
    }
    expect(describeVerify(bad, '/archive', paint)[0]).toBe(
      '1,200 files checked: 1,196 unchanged, 3 missing, 0 changed, 1 repaired.',
    )
    expect(describeVerifyProblems(bad, paint).slice(4)).toEqual(['Not repaired:', '  a: Gone.', '  2 files: Down.'])
  })
})

test('projects are a table whose ids can be copied', () => {
  const id = 'x'.repeat(200)
  const lines = describeProjects([{ id, name: 'N'.repeat(60), address: null, folder: null }], paint)
  expect(lines[1]).toContain(id)
  expect(lines[1]).toContain(`${'N'.repeat(39)}…`)
})

test('colors are used only where they are shown', () => {
  expect(createPainter(true).good('x')).toBe('\u001b[32mx\u001b[39m')
  expect(paint.good('x')).toBe('x')
})

const failedFile = {
  assetId: 1,
  projectId: 'p',
  path: 'Site [abc]/Survey [def]/photos/a.jpg',
  code: 'file-invalid',
  message: 'It is no photo.',
  attempts: 2,
  nextTryAt: new Date(2026, 5, 1, 9, 30, 12).toISOString(),
} as const

test('lists each failed file with its reason and the next attempt of the watch', () => {
  const atMs = Date.parse(failedFile.nextTryAt)
  expect(describeFailedFiles([failedFile], 1, paint, atMs - 1)).toEqual([
    'Failed files (1); "sync" retries all of them now:',
    '  Site [abc]/Survey [def]/photos/a.jpg: It is no photo. "watch" retries at Jun 1, 2026, 9:30 AM.',
  ])
  const retries = (files: FailedFile[], nowMs: number) =>
    /"watch" retries .*/.exec(describeFailedFiles(files, files.length, paint, nowMs)[1] ?? '')?.[0]
  expect(retries([failedFile, failedFile], atMs - 1)).toBe('"watch" retries from Jun 1, 2026, 9:30 AM on.')
  expect(retries([failedFile], atMs)).toBe('"watch" retries at once.')
  expect(retries([failedFile, failedFile], atMs)).toBe('"watch" retries at once.')
  const later = { ...failedFile, nextTryAt: new Date(atMs + 1).toISOString() }
  expect(retries([later, failedFile], atMs)).toBe('"watch" retries from now on.')
})

test('lists nothing without failures, and at most ten lines for each reason', () => {
  expect(describeFailedFiles([], 0, paint, 0)).toEqual([])
  const files = Array.from({ length: 300 }, () => failedFile)
  expect(describeFailedFiles(files, 300, paint, 0)).toHaveLength(11)
  const ofMore = describeFailedFiles(files, 3_000, paint, 0)
  expect([ofMore[0], ofMore.at(-1)]).toEqual([
    'Failed files (3,000); "sync" retries all of them now:',
    '  ... and 2,700 more files (listed once these are fixed)',
  ])
})
