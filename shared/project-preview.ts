import { z } from 'zod'

/** Maximum number of projects in one request: about 2 MB of JSON. */
export const maxProjects = 10_000

const count = z.int().min(0)

/** Columns by title, or as "column 2" without one. An address may consist of several columns. */
const columnReadingSchema = z.object({
  id: z.string(),
  name: z.array(z.string()),
  address: z.array(z.string()),
  /** Non-empty columns that are not used. */
  ignored: z.array(z.string()),
})
export type ColumnReading = z.infer<typeof columnReadingSchema>

/**
 * What `projects.add` would do with each row. `new`: it is not archived now. `known`: it is archived, and gets the
 * row's name and address. `duplicate`: the same as a row above. `wrong`: it cannot be added because of `problem`, which
 * completes a sentence ("line 3: the id is empty"); a list that cannot be read is one such row, without an id.
 */
export const projectPreviewSchema = z.object({
  rows: z.array(
    z.object({
      /** Line where the row ends, from 1. */
      line: z.int().min(1),
      id: z.string(),
      name: z.string().nullable(),
      address: z.string().nullable(),
      state: z.enum(['new', 'known', 'duplicate', 'wrong']),
      problem: z.string().nullable(),
    }),
  ),
  /** How the columns were read; null if there is only one, or the list cannot be read. */
  reading: columnReadingSchema.nullable(),
  counts: z.object({ new: count, known: count, duplicate: count, wrong: count }),
})
export type ProjectPreview = z.infer<typeof projectPreviewSchema>
