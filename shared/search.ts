import { z } from 'zod'
import { maxQueryLength, searchKinds } from './search-kinds.ts'

/** Totals are counted up to this number. */
export const maxTotal = 1_000

export const searchQuerySchema = z.strictObject({
  query: z.string().max(maxQueryLength),
  kinds: z.array(z.enum(searchKinds)).min(1).optional(),
  projectId: z.string().optional(),
  limit: z.int().min(1).max(200).default(50),
  /** Of an earlier page of the same query, to continue after it. */
  cursor: z.string().max(200).optional(),
})
export type SearchQuery = z.output<typeof searchQuerySchema>

const text = z.string().nullable()

/** Texts to look for on a photo. */
export const photoWordsQuerySchema = z.strictObject({
  assetId: z.int().min(1),
  find: z.array(z.string().max(maxQueryLength)).min(1).max(16),
})
export type PhotoWordsQuery = z.output<typeof photoWordsQuerySchema>

const fraction = z.number().min(0).max(1)

/** A word that is printed on a photo, or a barcode or QR code. */
export const foundWordSchema = z.object({
  text: z.string(),
  source: z.enum(['code', 'print']),
  /** Left, top, width, and height as fractions of the upright photo. */
  box: z.tuple([fraction, fraction, fraction, fraction]),
})
export type FoundWord = z.output<typeof foundWordSchema>

export const searchHitSchema = z.object({
  kind: z.enum(searchKinds),
  projectId: z.string(),
  projectName: z.string(),
  checklistId: text,
  checklistTitle: text,
  section: text,
  question: text,
  /** Relative to the archive, with `/`; the folder of a project or a checklist; `null` for what is not archived. */
  path: text,
  /** Page of a report, from 1. */
  page: z.int().min(1).nullable(),
  /** One line of text around what was found. */
  snippet: z.string(),
  /** Start and end of each match in `snippet`, in UTF-16 code units. */
  marks: z.array(z.tuple([z.int().min(0), z.int().min(0)])),
  /** Matches in `question`, of an answer. */
  questionMarks: z.array(z.tuple([z.int().min(0), z.int().min(0)])),
  assetId: z.int().nullable(),
  /** Identifies the content of the file, as in a photo's view. */
  version: text,
  thumbnailAssetId: z.int().nullable(),
  thumbnailVersion: text,
  fileName: text,
  /** Of a photo; `missing`: expected, and not in the archive. */
  state: z.enum(['archived', 'missing']).nullable(),
  takenAt: text,
  orderId: z.int().nullable(),
  /** Status of the checklist or the order. */
  status: text,
  /** Source of the text, if a photo was found by the text on it. */
  textSource: z.enum(['code', 'print']).nullable(),
})
export type SearchHit = z.output<typeof searchHitSchema>

export const searchPageSchema = z.object({
  /** Number of hits, counted up to `maxTotal`. */
  total: z.int().min(0),
  /** True if there may be more than `total`. */
  isCapped: z.boolean(),
  hits: z.array(searchHitSchema),
  /** For the next page; `null` at the end. A page with a cursor may have fewer hits than its limit, even none. */
  cursor: z.string().nullable(),
  /** True while documents wait to be indexed: hits may be missing. */
  isIndexing: z.boolean(),
  /** True while archived reports, or photos as set, wait to be read for their text: hits may be missing. */
  isReading: z.boolean(),
  /**
   * Parts of the query that mean nothing, such as a wrong date or an unknown project, and were ignored; with `isLimit`,
   * a part that means too much, of which only some is searched.
   */
  problems: z.array(z.object({ text: z.string(), message: z.string(), isLimit: z.boolean().optional() })),
})
export type SearchPage = z.output<typeof searchPageSchema>
