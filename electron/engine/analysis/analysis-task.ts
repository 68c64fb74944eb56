import { z } from 'zod'

/** pages: text of a report; text: codes and print on a photo; measures: of a photo. */
export type AnalysisKind = 'pages' | 'text' | 'measures'

/** Processor time for one file. Reports take 10 to 100 ms, photos up to a few seconds. */
export const maxProcessorMs = 20_000

/** Time for one file, also on a machine with so much other work that the process gets a tenth of a processor. */
export const maxTaskMs = 300_000

/** Resident memory of the process. Reading print on a photo of 12 megapixels takes 230 MB, and more after reports. */
export const maxResidentBytes = 350 * 1024 * 1024

/** Pages of a report that are read. */
export const maxPages = 500

/** UTF-16 units of a page, and of all pages of a report: some 600 pages of dense text. */
export const maxPageLength = 50_000
export const maxReportLength = 2_000_000

/** Words on a photo that are kept. */
export const maxWords = 500

/** An archived file. The process refuses bytes whose hash is another one. */
export interface FileToRead {
  /** Absolute. */
  readonly path: string
  readonly sizeBytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** One file to read, as sent to the process. */
export interface AnalysisTask {
  readonly kind: AnalysisKind
  readonly file: FileToRead
  /** Of a photo: look for print as well as for codes. */
  readonly readsPrint?: boolean
}

/** To load what reads reports, before the first one is there. Has no answer. */
export interface AnalysisPreparation {
  readonly kind: 'prepare'
}

/**
 * Reasons why a file has no result. `changed`: its content is not the archived one. `ended`: the process ended, because
 * it used too much memory, for example. `inaccessible`: the disk or its permissions refuse the file.
 */
const failureReasons = [
  'unreadable',
  'encrypted',
  'too-large',
  'too-long',
  'ended',
  'changed',
  'missing',
  'inaccessible',
] as const satisfies readonly string[]

const fraction = z.number().min(0).max(1)

export const photoWordSchema = z.object({
  text: z.string().min(1).max(4_096),
  /** 1 for a code. */
  confidence: fraction,
  /** Left, top, width, and height as fractions of the upright photo. */
  box: z.tuple([fraction, fraction, fraction, fraction]),
  /** True for the last word of a line. */
  endsLine: z.boolean(),
  /** Of a code, such as `QRCode` or `Code128`. */
  format: z.string().max(32).optional(),
})
export type PhotoWord = z.infer<typeof photoWordSchema>

/** Returns a word with its text tidied, and its box within the photo; undefined without text. */
export function toWord(word: Omit<PhotoWord, 'box'> & { readonly box: readonly [number, number, number, number] }) {
  const text = tidyText(word.text).replaceAll('\n', ' ').slice(0, 4_096).trim()
  const [left, top, width, height] = word.box
  const [x, y] = [within(left), within(top)]
  const box = [x, y, within(left + width) - x, within(top + height) - y]
  return photoWordSchema.safeParse({ ...word, text, box }).data
}

const within = (fraction: number) => Math.min(1, Math.max(0, fraction))

/** Control characters except line feeds, and characters that Unicode never assigns. */
const unwanted = /[^\P{Cc}\n]|[\uFFFE\uFFFF]/gu

/** Returns text without control characters, and with single spaces and line feeds. */
export function tidyText(text: string): string {
  return text
    .toWellFormed()
    .replace(unwanted, ' ')
    .normalize('NFC')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim()
}

export const photoMeasuresSchema = z.object({
  /** 0 (black) to 1. Like the next three, `null` for formats that are not decoded. */
  brightness: fraction.nullable(),
  /** Standard deviation of the brightness. */
  contrast: fraction.nullable(),
  /** Variance of the Laplacian at a fixed scale. */
  sharpness: z.number().min(0).nullable(),
  /** Perceptual hash, also `null` without enough contrast. */
  hash: z
    .string()
    .regex(/^[\da-f]{16}$/)
    .nullable(),
  /** Of the EXIF, like the longitude. */
  latitude: z.number().min(-90).max(90).nullable(),
  longitude: z.number().min(-180).max(180).nullable(),
})
export type PhotoMeasures = z.infer<typeof photoMeasuresSchema>

/** Answer of the process to a task. It is checked, because the process read a file that a stranger wrote. */
export const analysisResultSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('pages'),
    pages: z.array(z.object({ page: z.int().positive(), text: z.string().min(1).max(maxPageLength) })).max(maxPages),
  }),
  z.object({
    kind: z.literal('text'),
    codes: z.array(photoWordSchema).max(maxWords),
    print: z.array(photoWordSchema).max(maxWords),
  }),
  z.object({ kind: z.literal('measures'), measures: photoMeasuresSchema }),
  z.object({ kind: z.literal('failed'), reason: z.enum(failureReasons) }),
])
export type AnalysisResult = z.infer<typeof analysisResultSchema>
export type FailureReason = Extract<AnalysisResult, { kind: 'failed' }>['reason']

/** A file without a result. */
export class UnreadableFile extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason) {
    super(reason)
    this.reason = reason
  }
}

/** Messages from the process: it is ready, or the result of its task. `isLast`: the next task needs another process. */
export const analysisMessageSchema = z.union([
  z.object({ isReady: z.literal(true) }),
  z.object({ result: analysisResultSchema, isLast: z.boolean() }),
])
export type AnalysisMessage = z.infer<typeof analysisMessageSchema>
