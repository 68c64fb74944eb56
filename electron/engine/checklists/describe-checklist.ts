import { toPlace } from '../../../shared/photo-places.ts'
import { pathBelow } from '../archive/layout.ts'
import { createRedactor } from '../lib/redact.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { checklistRows, evaluateChecklist, groupBySection, type ChecklistRows } from './completeness.ts'

type ChecklistDescription = ReturnType<typeof describeChecklist>

/**
 * Describes a checklist as its `checklist.json` does: a public format for users' scripts, version 1. The order of the
 * keys is that in the file. File paths are relative to the checklist's folder.
 */
export function describeChecklist(store: Store, project: ProjectRow, checklist: ChecklistRow) {
  const rows = checklistRows(store, checklist)
  const folder = checklist.folder ?? ''
  const files = Map.groupBy(rows.assets, ({ questionKey }) => questionKey)
  const report = rows.assets.find((asset) => asset.kind === 'report')
  return {
    format: 'solarchive-checklist',
    version: 1,
    project: { id: project.id, name: project.name ?? project.id, address: project.address },
    checklist: {
      id: checklist.id,
      title: checklist.title,
      status: checklist.status,
      updatedAt: checklist.updatedAt,
    },
    report: report === undefined ? null : describeFile(folder, report),
    sections: groupBySection(evaluateChecklist(rows).questions).map(({ label, lines }) => ({
      label,
      questions: lines.map((line) => ({
        label: line.question.label,
        mediaCategoryId: line.question.mediaCategoryId,
        expected: line.expected,
        photos: describePhotos(folder, files.get(line.question.key) ?? []),
        gaps: line.gaps.map(({ expected, archived, reason }) => ({ expected, archived, reason })),
      })),
    })),
    raw: {
      entry: store.parseJson(checklist.entryRaw),
      detail: checklist.detailRaw === null ? null : store.parseJson(checklist.detailRaw),
      media: photosWithRecords(rows.assets).map(({ record }) => store.parseJson(record)),
    },
    rebuild: describeRebuild(store, folder, rows),
  }
}

/** A token in a URL or a text, with what could be its value. */
const tokenValue = /(access_token(?:=|%3D))[^\s"'<>&\\…]+/gi

/**
 * Returns the text of a checklist's `checklist.json`. The same content produces the same bytes, regardless of the order
 * of the keys in `raw`, the service's JSON. That is stored redacted; as a last guard, the value of a token is left out
 * here as well.
 */
export function checklistDocument(description: ChecklistDescription): string {
  return `${JSON.stringify({ ...description, raw: toDocument(description.raw) }, null, 2)}\n`
}

function describePhotos(folder: string, assets: readonly AssetRow[]) {
  const thumbnails = new Map(
    assets.filter((asset) => asset.kind === 'thumbnail').map((asset) => [asset.remoteKey, asset]),
  )
  return assets.flatMap((asset) => {
    const found = asset.kind === 'photo' ? describeFile(folder, asset) : null
    if (found === null) return []
    const thumbnail = thumbnails.get(asset.remoteKey)
    const { file, sha256, sizeBytes, archivedAt, upstream } = found
    return {
      file,
      thumbnail: thumbnail?.sha256 == null ? null : pathBelow(folder, thumbnail.path),
      filename: asset.fileName,
      sha256,
      sizeBytes,
      takenAt: asset.takenAt,
      place: toPlace(asset.latitude, asset.longitude),
      archivedAt,
      upstream,
    }
  })
}

/** Returns null for a file that is not in the archive. */
function describeFile(folder: string, { path, sha256, sizeBytes, archivedAt, present }: AssetRow) {
  if (sha256 === null || sizeBytes === null || archivedAt === null) return null
  return { file: pathBelow(folder, path), sha256, sizeBytes, archivedAt, upstream: upstreamOf(present) }
}

/**
 * Describes what a rebuild of a lost database needs beyond the public part to match the service's records with archived
 * files: hashes and names, no URLs. Additions to version 1 that scripts can ignore.
 */
function describeRebuild(store: Store, folder: string, { checklist, questions, assets }: ChecklistRows) {
  const positions = new Map(questions.map(({ key }, index) => [key, index]))
  const records = new Map(photosWithRecords(assets).map((asset, index) => [recordKey(asset), index]))
  const redactor = createRedactor()
  // Validators come from the file host: one that looks like a link or a secret is dropped.
  const withoutSecrets = (text: string | null) => (text !== null && redactor.redactText(text) === text ? text : null)
  return {
    questions: questions.map((question) => ({
      section: question.sectionLabel,
      label: question.label,
      mediaCategoryId: question.mediaCategoryId,
      /** As below `photos`. */
      folder: `${question.sectionFolder}/${question.folder}`,
      /** `gone`: it is no longer in the checklist. */
      upstream: upstreamOf(question.present),
    })),
    files: assets.flatMap((asset) => {
      const { questionKey } = asset
      const sha256 = asset.sha256 ?? asset.lostSha256
      const archivedAt = asset.archivedAt ?? asset.verifiedAt
      if (sha256 === null || archivedAt === null) return []
      return {
        file: pathBelow(folder, asset.path),
        sha256,
        /** `null` if it was archived and is missing now. */
        sizeBytes: asset.sizeBytes,
        archivedAt,
        upstream: upstreamOf(asset.present),
        /** Position of its question in `questions`; null for the report. */
        question: questionKey === null ? null : (positions.get(questionKey) ?? null),
        /** Identity of the record at the service, hashed. */
        key: asset.remoteKey,
        /** Hash of the file's URL identity. */
        source: asset.sourceHash,
        filename: asset.fileName,
        etag: withoutSecrets(asset.etag),
        lastModified: withoutSecrets(asset.lastModified),
        /** True if it was confirmed as the service's current file, as of the checklist's status and update time. */
        confirmed: asset.confirmedFingerprint === checklist.fingerprint,
        /** Position of its record in `raw.media`. */
        record: records.get(recordKey(asset)) ?? null,
        takenAt: asset.takenAt,
        place: toPlace(asset.latitude, asset.longitude),
      }
    }),
    versions: store.versions.listForChecklist(checklist.key).map(({ path, sha256, sizeBytes, replacedAt }) => ({
      file: pathBelow(folder, path),
      sha256,
      sizeBytes,
      replacedAt,
    })),
  }
}

const upstreamOf = (present: 0 | 1) => (present === 1 ? 'present' : 'gone')

/** Returns the photos that have records, in the order of `raw.media`. */
function photosWithRecords(assets: readonly AssetRow[]): (AssetRow & { readonly record: string })[] {
  return assets.flatMap((asset) => {
    const { kind, record } = asset
    return kind === 'photo' && record !== null ? [{ ...asset, record }] : []
  })
}

/** Key of a record: a photo and its thumbnail share one. */
const recordKey = ({ questionKey, remoteKey }: AssetRow) => `${questionKey} ${remoteKey}`

/**
 * Returns the service's JSON without values of tokens and with sorted keys: the service may send them in any order, and
 * a document changes only if its content does.
 */
function toDocument(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(tokenValue, '$1…')
  if (Array.isArray(value)) return value.map(toDocument)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, toDocument(member)]))
}
