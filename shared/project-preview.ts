import { z } from 'zod'

/** One request may name so many projects: some 2 MB of JSON. */
export const mostProjects = 10_000

/** Bytes of a list of projects: ten times what 10,000 projects with names and addresses need. */
const mostListBytes = 4 * 1024 * 1024

/** A CSV file, as text or, where the program that saved it used another encoding than UTF-8, as bytes; or pasted ids. */
export const projectPreviewInputSchema = z.union([
  z.strictObject({ text: z.string().max(mostListBytes) }),
  z.strictObject({ base64: z.base64().max(Math.ceil(mostListBytes / 3) * 4) }),
])
export type ProjectPreviewInput = z.infer<typeof projectPreviewInputSchema>

const count = z.int().min(0)

/** Columns by their titles, or as "column 2" where they have none. Several columns of the address are its parts. */
const columnReadingSchema = z.object({
  id: z.string(),
  name: z.array(z.string()),
  address: z.array(z.string()),
  /** Those with something in them that is not used. */
  ignored: z.array(z.string()),
})
export type ColumnReading = z.infer<typeof columnReadingSchema>

/**
 * What `projects.add` would do with each row. `new`: it is not archived now. `known`: it is, and gets the row's name and
 * address. `duplicate`: the same as a row above. `wrong`: it cannot be added, for `problem`, the end of a sentence ("line 3:
 * the id is empty"); a list that cannot be read at all is one such row, without an id.
 */
export const projectPreviewSchema = z.object({
  rows: z.array(
    z.object({
      /** Where the row ends, from 1. */
      line: z.int().min(1),
      id: z.string(),
      name: z.string().nullable(),
      address: z.string().nullable(),
      state: z.enum(['new', 'known', 'duplicate', 'wrong']),
      problem: z.string().nullable(),
    }),
  ),
  /** How the columns were read; null where there is one, or the list cannot be read. */
  reading: columnReadingSchema.nullable(),
  counts: z.object({ new: count, known: count, duplicate: count, wrong: count }),
})
export type ProjectPreview = z.infer<typeof projectPreviewSchema>
