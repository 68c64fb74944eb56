import { z } from 'zod'
import { gapReasons } from './domain.ts'
import { searchQuerySchema } from './search.ts'

/** Most entries of a list in a selection: as many photos as the largest archives have in some projects. */
const maxSelected = 100_000

const id = z.string().min(1).max(500)
const ofChecklist = { projectId: id, checklistId: id }

/**
 * What to hand over. A question is named by its labels; several with the same ones are all meant. Of a search result,
 * projects and checklists are handed over as a whole, questions and answers with their photos, and of reports the whole
 * file; `limit` and `cursor` of the query do not matter. `everything`: all projects that are not removed.
 */
export const exportSelectionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('projects'), projectIds: z.array(id).min(1).max(maxSelected) }),
  z.strictObject({
    kind: z.literal('checklists'),
    checklists: z.array(z.strictObject(ofChecklist)).min(1).max(maxSelected),
  }),
  z.strictObject({
    kind: z.literal('questions'),
    ...ofChecklist,
    questions: z
      .array(z.strictObject({ section: z.string(), question: z.string() }))
      .min(1)
      .max(maxSelected),
  }),
  z.strictObject({ kind: z.literal('photos'), assetIds: z.array(z.int().min(1)).min(1).max(maxSelected) }),
  z.strictObject({ kind: z.literal('search'), query: searchQuerySchema }),
  z.strictObject({ kind: z.literal('everything') }),
])
export type ExportSelection = z.output<typeof exportSelectionSchema>

export const exportFormats = ['folder', 'zip', 'bagit'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** `tables`: CSV, JSON, and XLSX; `geo`: GeoJSON, KML, and GPX; `xmp`: a sidecar for each photo. */
export const exportParts = ['reports', 'photos', 'thumbnails', 'tables', 'geo', 'xmp'] as const
export type ExportPart = (typeof exportParts)[number]

/** Parts that are exported by default. */
export const defaultParts: readonly ExportPart[] = ['reports', 'photos', 'tables']

/** A gap in what was exported. `checklistId` and its title are null if nothing is known about the project yet. */
export const exportGapSchema = z.object({
  projectId: z.string(),
  projectName: z.string(),
  checklistId: z.string().nullable(),
  checklistTitle: z.string().nullable(),
  /** Label of the question, or of the line for thumbnails, the report, the checklist, or the project. */
  question: z.string(),
  expected: z.int().min(0),
  archived: z.int().min(0),
  reason: z.enum(gapReasons),
})
export type ExportGap = z.infer<typeof exportGapSchema>

/** `export --json`: what was written. `path` is absolute; `files` and `sizeBytes` count everything in it. */
export const exportResultSchema = z.object({
  path: z.string(),
  format: z.enum(exportFormats),
  projects: z.int().min(0),
  checklists: z.int().min(0),
  files: z.int().min(0),
  sizeBytes: z.number().min(0),
  gaps: z.array(exportGapSchema),
})
export type ExportResult = z.infer<typeof exportResultSchema>
