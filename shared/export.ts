import { z } from 'zod'
import { gapReasons } from './domain.ts'
import { defaultParts, exportFormats, exportParts, maxTemplateLength } from './export-parts.ts'
import { searchQuerySchema } from './search.ts'

/** Most entries of a list in a selection: as many photos as the largest archives have in some projects. */
const maxSelected = 100_000

const id = z.string().min(1).max(500)
const ofChecklist = { projectId: id, checklistId: id }

/**
 * Selection of what is handed over. `ids` are those of projects or checklists. A question is named by its labels;
 * several with the same labels are all meant. Of a search result, projects and checklists are handed over as a whole,
 * questions and answers with their photos, and of reports the whole file; `limit` and `cursor` of the query do not
 * matter. `everything`: all projects that are not removed.
 */
export const exportSelectionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ids'), ids: z.array(id).min(1).max(maxSelected) }),
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

/**
 * `export --json`: what was written. `path` is absolute; `files` and `sizeBytes` count the files of the archive in it;
 * `leftOut` counts the checklists that `onlyComplete` left out.
 */
export const exportResultSchema = z.object({
  path: z.string(),
  format: z.enum(exportFormats),
  projects: z.int().min(0),
  checklists: z.int().min(0),
  files: z.int().min(0),
  sizeBytes: z.number().min(0),
  leftOut: z.int().min(0),
  gaps: z.array(exportGapSchema),
})
export type ExportResult = z.infer<typeof exportResultSchema>

/** Naming template of files that are handed over. */
export const namesTemplateSchema = z.string().max(maxTemplateLength)

export const exportOptionsSchema = z.strictObject({
  format: z.enum(exportFormats).default('folder'),
  include: z
    .array(z.enum(exportParts))
    .min(1)
    .max(exportParts.length)
    .default([...defaultParts]),
  /** Naming template of reports and photos; default: `defaultNames`. */
  names: namesTemplateSchema.optional(),
  /** Leave out checklists that are not complete. */
  onlyComplete: z.boolean().default(false),
})
export type ExportOptions = z.output<typeof exportOptionsSchema>

/**
 * Progress of an export. While the contact sheet is made, the files are its photos. `leftMs` is null until it can be
 * estimated.
 */
export const exportProgressSchema = z.object({
  phase: z.enum(['copying', 'contact-sheet', 'finishing']),
  filesDone: z.int().min(0),
  filesTotal: z.int().min(0),
  bytesDone: z.number().min(0),
  bytesTotal: z.number().min(0),
  leftMs: z.number().min(0).nullable(),
})
export type ExportProgress = z.infer<typeof exportProgressSchema>

/** Names that a preview shows. */
export const previewedNames = 20

/** The first names that a template produces; none while it has a `problem`. */
export const namesPreviewSchema = z.object({ names: z.array(z.string()), problem: z.string().nullable() })
export type NamesPreview = z.infer<typeof namesPreviewSchema>

/**
 * Preview of an export. `leftOut`: checklists that `onlyComplete` leaves out. `emptyProjects`: projects without a known
 * checklist that it leaves out. `unfinished`: checklists that the service has not completed. `title`: name of the
 * export in a chosen folder.
 */
export const exportPreviewSchema = namesPreviewSchema.extend({
  title: z.string(),
  projects: z.int().min(0),
  checklists: z.int().min(0),
  leftOut: z.int().min(0),
  emptyProjects: z.int().min(0),
  unfinished: z.int().min(0),
  files: z.int().min(0),
  sizeBytes: z.number().min(0),
  gaps: z.int().min(0),
})
export type ExportPreview = z.infer<typeof exportPreviewSchema>

/** What an export leaves out, and what the service has not completed. */
export type ExportOutline = Pick<ExportPreview, 'leftOut' | 'emptyProjects' | 'unfinished'>
