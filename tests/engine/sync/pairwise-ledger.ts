import type { LedgerRows } from '../../../electron/engine/sync/ledger.ts'

/** Of each kind of failure one code, and why a file without a failure is not there. */
export const reasons: Readonly<Record<string, string>> = {
  none: 'not downloaded yet',
  cancelled: 'not downloaded yet',
  'link-refused': 'link refused',
  'link-missing': 'not uploaded yet',
  'file-gone': 'gone',
  'file-invalid': 'file invalid',
  'disk-full': 'disk',
  'unreachable-dns': 'unreachable',
}

/** The completeness of a checklist by the plainest reading of its rules: every file is looked at for every question. */
export function reckonPairwise({ checklist, questions, assets, jobs }: LedgerRows) {
  const files = assets.filter(({ present, sha256 }) => present === 1 || sha256 !== null)
  const errorOf = (id: number) => jobs.find(({ assetId }) => assetId === id)?.errorCode ?? 'none'
  const gaps: { question: string; expected: number; archived: number; reason: string | undefined }[] = []
  let expectedFiles = 0
  let archivedFiles = 0

  /** `owed`: files that are expected without being known. */
  function add(question: string, own: LedgerRows['assets'], owed: number, why: string): void {
    const archived = own.filter(({ sha256 }) => sha256 !== null).length
    const missing = own.find(({ sha256 }) => sha256 === null)
    const reason = missing === undefined ? why : reasons[errorOf(missing.id)]
    if (missing !== undefined || owed > 0) gaps.push({ question, expected: own.length + owed, archived, reason })
  }

  const reports = assets.filter(({ kind }) => kind === 'report')
  const isMade = checklist.status === 'completed' || checklist.status === 'pdfProcessingFailed'
  const owedReports = isMade && reports.length === 0 ? 1 : 0
  add('Report', reports, owedReports, checklist.status === 'completed' ? 'not uploaded yet' : 'report failed')
  expectedFiles += reports.length + owedReports
  archivedFiles += reports.filter(({ sha256 }) => sha256 !== null).length
  for (const question of questions) {
    const own = files.filter(({ questionKey }) => questionKey === question.key)
    const photos = own.filter(({ kind }) => kind === 'photo')
    const announced = question.present === 1 ? (question.clientRefIds ?? []).length : 0
    const owed = Math.max(0, announced - photos.length)
    const why = question.mediaReadAt === null ? 'not downloaded yet' : 'not uploaded yet'
    add(question.label, photos, owed, why)
    const thumbnails = own.filter(({ kind }) => kind === 'thumbnail')
    add(`${question.label} (thumbnails)`, thumbnails, 0, why)
    expectedFiles += owed
  }
  for (const { kind, sha256 } of files) {
    if (kind === 'report') continue
    expectedFiles += 1
    if (sha256 !== null) archivedFiles += 1
  }
  if (gaps.length === 0) {
    const why = doubt()
    if (why !== null)
      gaps.push({ question: 'Checklist', expected: expectedFiles, archived: archivedFiles, reason: why })
  }
  const complete = checklist.status === 'completed' && gaps.length === 0 && expectedFiles === archivedFiles
  return { expectedFiles, archivedFiles, complete, gaps }

  function doubt(): string | null {
    const { status, fingerprint } = checklist
    if (status === 'draft' || status === 'formSubmitted') return null
    if (checklist.upstreamGoneAt !== null) return checklist.archivedFingerprint === fingerprint ? null : 'gone'
    if (checklist.readFingerprint !== fingerprint || checklist.errorCode !== null) return 'not read yet'
    if (jobs.length > 0) return 'not checked yet'
    if (status !== 'completed') return null
    if (!questions.some(({ present }) => present === 1)) return 'no questions found'
    const doubtful = assets.filter((asset) => asset.present === 1 && asset.confirmedFingerprint !== fingerprint)
    return doubtful.length > 0 ? 'not checked yet' : null
  }
}

/** The categories that have to be asked for, looked for in the same way. */
export function unsettledPairwise(
  { questions, assets }: LedgerRows,
  jobs: readonly { readonly assetId: number; readonly state: string }[],
  hasLink: (assetId: number) => boolean,
): string[] {
  const asked = questions.filter((question) => {
    if (question.present === 0) return false
    if (question.clientRefIds !== null && question.clientRefIds.length === 0) return false
    if (question.mediaReadAt === null) return true
    const own = assets.filter(({ questionKey }) => questionKey === question.key)
    const photos = own.filter(({ kind, present, sha256 }) => kind === 'photo' && (present === 1 || sha256 !== null))
    if (question.clientRefIds !== null && photos.length < question.clientRefIds.length) return true
    const open = jobs.filter(({ state }) => state !== 'failed')
    return own.some(({ id }) => open.some(({ assetId }) => assetId === id) && !hasLink(id))
  })
  return [...new Set(asked.flatMap(({ mediaCategoryId }) => mediaCategoryId ?? []))]
}
