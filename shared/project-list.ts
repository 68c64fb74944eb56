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
 * The effect of `projects.add` on each row. `new`: it is not archived now. `known`: it is archived, and gets the
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

/** Shown after `projects.discover` if the service says that there are more projects than it listed. */
export const partialProjectList =
  'The service said that it listed only a part of the projects. The others are not archived: add them by their IDs, ' +
  "or ask the service's support how to get the whole list."

/** The service's IDs have 24 characters; far longer ones are a mistake, such as a pasted address. */
const maxIdLength = 200

/**
 * Returns the reason that a text is not a project ID, as a clause ("the id is empty"), or undefined if it may be one.
 * IDs are opaque: only text that cannot be a URL path segment, or is surely a typo, is refused.
 */
export function projectIdProblem(id: string): string | undefined {
  if (id === '') return 'the ID is empty'
  if (id.length > maxIdLength) return `the ID is longer than ${maxIdLength} characters`
  if (/\p{Cc}/u.test(id)) return 'the ID has a control character in it'
  if (/\s/u.test(id)) return 'the ID has a space in it'
  if (/[/\\]/.test(id)) return 'the ID has a slash in it'
  if (/^\.{1,2}$/.test(id)) return 'the ID is not a project ID'
  return undefined
}

/** Returns whether an ID is unlike the known ones: 24 hex digits at the service, short words in the sample. */
export function isUnusualProjectId(id: string): boolean {
  return !/^[\w-]{6,}$/.test(id)
}
