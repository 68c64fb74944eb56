import type { CompletenessRows } from '../../../electron/engine/checklists/completeness.ts'

/** The gap reason for one error code of each kind, and for a missing file without a failure (`none`). */
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

/** The completeness of a checklist by the simplest implementation: compares every file with every question. */
export function evaluatePairwise({ checklist, questions, assets, jobs }: CompletenessRows) {
  const files = assets.filter(({ present, sha256, damage }) => present === 1 || sha256 !== null || damage !== null)
  type Asset = CompletenessRows['assets'][number]
  const isArchived = ({ sha256, damage }: Asset) => sha256 !== null && damage === null
  const isUnlinked = ({ id, sha256, damage }: Asset) =>
    sha256 === null && damage === null && reasons[errorOf(id)] === 'not uploaded yet'
  const firstMissing = (own: readonly Asset[]) =>
    own.find(({ damage }) => damage !== null) ??
    own.find((asset) => !isArchived(asset) && !isUnlinked(asset)) ??
    own.find((asset) => !isArchived(asset))
  const errorOf = (id: number) => jobs.find(({ assetId }) => assetId === id)?.errorCode ?? 'none'
  const reasonOf = ({ id, damage, present, sha256 }: Asset) => {
    if (damage !== null && (present === 0 || checklist.upstreamGoneAt !== null)) return 'gone'
    const why = reasons[errorOf(id)]
    return damage !== null && (sha256 !== null || why === 'not uploaded yet') ? 'damaged' : why
  }
  const gaps: { kind: string; question: string; expected: number; archived: number; reason: string | undefined }[] = []
  const awaited: boolean[] = []
  const expectedPhotos: number[] = []
  let expectedFiles = 0
  let archivedFiles = 0

  /** `owed`: expected files that no record names yet. */
  function add(kind: string, question: string, own: CompletenessRows['assets'], owed: number, why: string): void {
    const archived = own.filter(isArchived).length
    const missing = firstMissing(own)
    const reason = missing === undefined ? why : reasonOf(missing)
    if (missing !== undefined || owed > 0) gaps.push({ kind, question, expected: own.length + owed, archived, reason })
  }

  const reports = assets.filter(({ kind }) => kind === 'report')
  const isMade = checklist.status === 'completed' || checklist.status === 'pdfProcessingFailed'
  const owedReports = isMade && reports.length === 0 ? 1 : 0
  const whyOwed = checklist.readFingerprint === checklist.fingerprint ? 'not uploaded yet' : 'not downloaded yet'
  if (checklist.status === 'pdfProcessingFailed') {
    const archived = reports.filter(isArchived).length
    const missing = firstMissing(reports)
    const isUnlinked = missing !== undefined && reasons[errorOf(missing.id)] === 'not uploaded yet'
    const since = missing === undefined ? '' : (reasonOf(isUnlinked ? missing : { ...missing, id: -1 }) ?? '')
    const reason = ['damaged', 'gone'].includes(since) ? since : 'report failed'
    gaps.push({ kind: 'report', question: 'Report', expected: reports.length + owedReports, archived, reason })
  } else add('report', 'Report', reports, owedReports, whyOwed)
  expectedFiles += reports.length + owedReports
  archivedFiles += reports.filter(isArchived).length
  for (const question of questions) {
    const own = files.filter(({ questionKey }) => questionKey === question.key)
    const photos = own.filter(({ kind }) => kind === 'photo')
    const announced = question.present === 1 ? (question.clientRefIds ?? []).length : 0
    const owed = Math.max(0, announced - photos.filter(({ present }) => present === 1).length)
    const isDue = question.mediaReadAt === null && question.mediaCategoryId !== null
    const why = isDue ? 'not downloaded yet' : 'not uploaded yet'
    add('photos', question.label, photos, owed, why)
    const thumbnails = own.filter(({ kind }) => kind === 'thumbnail')
    add('thumbnails', `${question.label} (thumbnails)`, thumbnails, 0, why)
    expectedFiles += owed
    expectedPhotos.push(photos.length + owed)
    awaited.push(owed > 0 || own.some(isUnlinked))
  }
  for (const file of files) {
    if (file.kind === 'report') continue
    expectedFiles += 1
    if (isArchived(file)) archivedFiles += 1
  }
  const why = unconfirmedReason()
  const onlyWaits = gaps.every(({ reason }) => reason === 'not uploaded yet' || reason === 'report failed')
  if (why !== null && (gaps.length === 0 || (onlyWaits && why === 'not read yet'))) {
    const counts = { expected: archivedFiles, archived: archivedFiles }
    gaps.push({ kind: 'checklist', question: 'Checklist', ...counts, reason: why })
  }
  const complete = checklist.status === 'completed' && gaps.length === 0 && expectedFiles === archivedFiles
  return { expectedFiles, archivedFiles, complete, gaps, awaited, expectedPhotos }

  function unconfirmedReason(): string | null {
    const { status, fingerprint } = checklist
    if (status === 'draft' || status === 'formSubmitted') return null
    if (checklist.upstreamGoneAt !== null) return checklist.archivedFingerprint === fingerprint ? null : 'gone'
    if (checklist.readFingerprint !== fingerprint || checklist.errorCode !== null) return 'not read yet'
    if (jobs.length > 0) return 'not checked yet'
    if (status !== 'completed') return null
    if (!questions.some(({ present }) => present === 1)) return 'no questions found'
    const unconfirmed = assets.filter((asset) => asset.present === 1 && asset.confirmedFingerprint !== fingerprint)
    return unconfirmed.length > 0 ? 'not checked yet' : null
  }
}

/** The categories to request, found in the same way. */
export function unsettledPairwise(
  { questions, assets }: CompletenessRows,
  jobs: readonly { readonly assetId: number; readonly state: string }[],
  hasLink: (assetId: number) => boolean,
): string[] {
  const asked = questions.filter((question) => {
    if (question.present === 0) return false
    if (question.clientRefIds !== null && question.clientRefIds.length === 0) return false
    if (question.mediaReadAt === null) return true
    const own = assets.filter(({ questionKey }) => questionKey === question.key)
    const photos = own.filter(({ kind, present }) => kind === 'photo' && present === 1)
    if (question.clientRefIds !== null && photos.length < question.clientRefIds.length) return true
    const open = jobs.filter(({ state }) => state !== 'failed')
    return own.some(({ id }) => open.some(({ assetId }) => assetId === id) && !hasLink(id))
  })
  return [...new Set(asked.flatMap(({ mediaCategoryId }) => mediaCategoryId ?? []))]
}
