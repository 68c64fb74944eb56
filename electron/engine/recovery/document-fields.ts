import { z } from 'zod'
import { isPathSegment } from '../service/base-url.ts'

/** The fields of which a `checklist.json` is made. */

/** Longer texts are none that a checklist has. */
export const text = z.string().max(10_000)
/** An id that the service could not be asked for would fail every pass. */
export const id = z.string().min(1).max(500).refine(isPathSegment)
export const time = text.refine((value) => !Number.isNaN(Date.parse(value)))
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
export const upstream = z.enum(['present', 'gone'])
