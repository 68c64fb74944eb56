import { z } from 'zod'
import { placeSchema } from '../../../shared/domain.ts'
import { createRedactor, redactRaw } from '../lib/redact.ts'
import { isPathSegment } from '../service/base-url.ts'
import {
  parseComponents,
  parseRecordedPath,
  parseVersionPath,
  type RecordedChecklist,
  type RecordedFile,
  type RecordedQuestion,
  type RecordedVersion,
} from './recorded-checklist.ts'

/** Longer texts do not occur in a checklist. */
const text = z.string().max(10_000)
/** An id that is not a valid URL path segment would fail every pass. */
const id = z.string().min(1).max(500).refine(isPathSegment)
const time = text.refine((value) => !Number.isNaN(Date.parse(value)))
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const upstream = z.enum(['present', 'gone'])

const documentSchema = z.object({
  format: z.literal('solarchive-checklist'),
  version: z.literal(1),
  project: z.object({ id, name: text.catch(''), address: text.nullable().catch(null) }),
  checklist: z.object({ id, title: text, status: text, updatedAt: text.nullable() }),
  raw: z.object({ entry: z.unknown(), detail: z.unknown(), media: z.array(z.unknown()).catch([]) }).catch({
    entry: {},
    detail: null,
    media: [],
  }),
  rebuild: z.object({
    questions: z.array(z.unknown()).catch([]),
    files: z.array(z.unknown()).catch([]),
    versions: z.array(z.unknown()).catch([]),
  }),
})

const questionSchema = z.object({
  section: text,
  label: text,
  mediaCategoryId: text.nullable(),
  folder: text,
  upstream,
})

const fileSchema = z.object({
  file: text,
  question: z.int().min(0).nullable(),
  key: z.string().regex(/^(report|(id|file|nameless):[0-9a-z#]{1,64})$/),
  source: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .nullable(),
  filename: text.nullable(),
  sha256,
  archivedAt: time,
  upstream,
  etag: text.nullable().catch(null),
  lastModified: text.nullable().catch(null),
  confirmed: z.boolean().catch(false),
  record: z.int().min(0).nullable().catch(null),
  takenAt: text.nullable().catch(null),
  place: placeSchema.nullable().catch(null),
})

const replacedAt = z.iso.datetime().optional().catch(undefined)
const versionSchema = z.object({ file: text, sha256, sizeBytes: z.int().min(0), replacedAt })

/**
 * Reads a `checklist.json`, also one that an editor saved with a byte order mark; returns undefined if it cannot be
 * used. Nothing in it is trusted: invalid entries are left out and counted, and the service's JSON is redacted again.
 * Never throws.
 */
export function readDocument(json: string): RecordedChecklist | undefined {
  try {
    const document = documentSchema.safeParse(JSON.parse(json.replace(/^\uFEFF/, '')))
    return document.success ? clean(document.data) : undefined
  } catch {
    // Not JSON, or nested deeper than the stack.
    return undefined
  }
}

type Document = z.infer<typeof documentSchema>

function clean({ project, checklist, raw, rebuild }: Document): RecordedChecklist {
  const redactor = createRedactor().evidence
  const body = readRebuild(rebuild, raw.media)
  return {
    project: {
      id: project.id,
      // Solarchive names a project without a name after its id.
      name: project.name === '' || project.name === project.id ? null : redactor.redactText(project.name),
      address: project.address === null ? null : redactor.redactText(project.address),
    },
    checklist: { ...checklist, title: redactor.redactText(checklist.title) },
    ...body,
    files: body.files.map((file) => ({
      ...file,
      filename: file.filename === null ? null : redactor.redactText(file.filename),
      record: file.record === undefined ? undefined : redactRaw(file.record),
    })),
    entry: redactRaw(raw.entry) ?? {},
    detail: redactRaw(raw.detail) ?? null,
  }
}

function readRebuild(rebuild: Document['rebuild'], media: readonly unknown[]) {
  const questions = rebuild.questions.map((value) => readQuestion(value))
  const files = rebuild.files.map((value): RecordedFile | undefined => {
    const parsed = fileSchema.safeParse(value)
    if (!parsed.success) return undefined
    const { upstream: at, record, ...facts } = parsed.data
    const recordedPath = parseRecordedPath(facts.file)
    const question = facts.question === null ? undefined : questions[facts.question]
    if (recordedPath === undefined || !isInFolderOf(recordedPath.folders, question)) return undefined
    if ((recordedPath.kind === 'report') !== (facts.key === 'report')) return undefined
    return {
      ...facts,
      kind: recordedPath.kind,
      present: at === 'present',
      record: record === null ? undefined : media[record],
    }
  })
  const versions = rebuild.versions.map((value): RecordedVersion | undefined => {
    const parsed = versionSchema.safeParse(value)
    return parsed.success && parseVersionPath(parsed.data.file) !== undefined ? parsed.data : undefined
  })
  // Files refer to questions by position, so unusable questions are only removed here.
  const usable = questions
    .map((question, index) => ({ question, index }))
    .filter(({ question }) => question !== undefined)
  const moved = new Map(usable.map(({ index }, position) => [index, position]))
  return {
    questions: questions.filter((question) => question !== undefined),
    files: files
      .filter((file) => file !== undefined)
      .map((file) => ({ ...file, question: file.question === null ? null : (moved.get(file.question) ?? null) })),
    versions: versions.filter((version) => version !== undefined),
    skipped: [...questions, ...files, ...versions].filter((entry) => entry === undefined).length,
  }
}

function readQuestion(value: unknown): RecordedQuestion | undefined {
  const parsed = questionSchema.safeParse(value)
  if (!parsed.success) return undefined
  const { section, label, mediaCategoryId, folder: folderPath, upstream: at } = parsed.data
  const [sectionFolder, folder, ...more] = parseComponents(folderPath) ?? []
  if (sectionFolder === undefined || folder === undefined || more.length > 0) return undefined
  return { section, label, mediaCategoryId, sectionFolder, folder, present: at === 'present' }
}

/** Returns whether a file is in its question's folder; a report belongs to no question. */
function isInFolderOf(folders: readonly string[], question: RecordedQuestion | undefined): boolean {
  if (folders.length === 0) return question === undefined
  return question !== undefined && folders[0] === question.sectionFolder && folders[1] === question.folder
}
