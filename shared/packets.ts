import { z } from 'zod'
import { gapReasons } from './domain.ts'
import { isPattern } from './match-labels.ts'
import { templateLimits } from './packet-names.ts'

/** ID of a template or a slot: `main-panel`. */
const slug = z
  .string()
  .max(60)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'has lower-case letters, digits, and single hyphens')
const title = z.string().trim().min(1).max(templateLimits.title)
const photoCount = z.int().min(1).max(templateLimits.photos)

const packetSlotSchema = z
  .strictObject({
    id: slug,
    title,
    instructions: z.string().trim().max(templateLimits.instructions).default(''),
    minPhotos: photoCount.default(1),
    /** Null: as many as there are. */
    maxPhotos: photoCount.nullable().default(null),
    /** The packet is complete only with this slot. */
    required: z.boolean().default(true),
    /** Which questions fill it; see `createMatcher`. */
    patterns: z
      .array(
        z.string().trim().max(templateLimits.patternLength).refine(isPattern, 'has no word that a question must have'),
      )
      .max(templateLimits.patterns)
      .default([]),
    /** A document that no site survey has: it is listed, for a person to add. */
    notPartOfSurvey: z.boolean().default(false),
  })
  .refine(({ minPhotos, maxPhotos }) => maxPhotos === null || maxPhotos >= minPhotos, {
    message: 'is less than the minimum',
    path: ['maxPhotos'],
  })
  .refine(({ notPartOfSurvey, required, patterns }) => !notPartOfSurvey || (!required && patterns.length === 0), {
    message: 'cannot be required or have patterns if it is not part of a site survey',
    path: ['notPartOfSurvey'],
  })
export type PacketSlot = z.output<typeof packetSlotSchema>

/** A template of packets: what a financier or an office asks for, slot by slot. Files of templates have this shape. */
export const packetTemplateSchema = z
  .strictObject({
    id: slug,
    title,
    slots: z.array(packetSlotSchema).min(1).max(templateLimits.slots),
  })
  .refine(({ slots }) => new Set(slots.map(({ id }) => id)).size === slots.length, {
    message: 'has two slots with one ID',
    path: ['slots'],
  })
export type PacketTemplate = z.output<typeof packetTemplateSchema>

/** A template that can be used, and whether it came with Solarchive: those cannot be changed. */
export const listedTemplateSchema = z.object({ template: packetTemplateSchema, isBuiltIn: z.boolean() })
export type ListedTemplate = z.output<typeof listedTemplateSchema>

/** Reasons of gaps in a packet: those of the archive, and those of the template. */
const packetGapReasons = [
  ...gapReasons,
  'not synced yet', // no sync has completed the project, or the last one failed
  'no question', // no question fills the slot
  'no photos', // the questions of the slot have none
  'too few photos',
] as const

const count = z.int().min(0)
const questionLocationSchema = z.object({
  checklistId: z.string(),
  checklistTitle: z.string(),
  section: z.string(),
  question: z.string(),
})

/** Why photos of a slot are missing. `null` labels refer to the slot or the whole checklist. */
export const packetGapSchema = z.object({
  checklistId: z.string().nullable(),
  checklistTitle: z.string().nullable(),
  section: z.string().nullable(),
  question: z.string().nullable(),
  expected: count,
  archived: count,
  reason: z.enum(packetGapReasons),
})
export type PacketGap = z.infer<typeof packetGapSchema>

/**
 * `filled`: it has enough photos and none is missing, or one checklist alone has enough and lacks none. `photos` are
 * those in the packet.
 */
const slotStateSchema = z.object({
  id: z.string(),
  title: z.string(),
  required: z.boolean(),
  notPartOfSurvey: z.boolean(),
  filled: z.boolean(),
  photos: count,
  gaps: z.array(packetGapSchema),
})
export type SlotState = z.infer<typeof slotStateSchema>

/** `packet --json`. `complete`: every required slot is filled. `path` is absolute. */
export const packetResultSchema = z.object({
  path: z.string(),
  template: z.string(),
  slots: z.array(slotStateSchema),
  complete: z.boolean(),
})
export type PacketResult = z.infer<typeof packetResultSchema>

/** A question and how it counts for a slot. `corrected`: a person decided it. */
const slotQuestionSchema = questionLocationSchema.extend({
  projectId: z.string(),
  corrected: z.boolean(),
  photos: z.array(z.object({ assetId: z.int().min(1), thumbnailId: z.int().min(1).nullable(), name: z.string() })),
})
export type SlotQuestion = z.infer<typeof slotQuestionSchema>

/**
 * Preview of a packet. `leftOut`: photos beyond the maximum of the slot. `others`: questions that fill no slot, if they
 * have photos or a person moved them out of a slot.
 */
export const packetPreviewSchema = z.object({
  title: z.string(),
  complete: z.boolean(),
  slots: z.array(
    slotStateSchema.extend({ leftOut: count, instructions: z.string(), questions: z.array(slotQuestionSchema) }),
  ),
  others: z.array(slotQuestionSchema),
})
export type PacketPreview = z.infer<typeof packetPreviewSchema>

const label = z.string().max(20_000)

/**
 * A person's decision that a question fills a slot, or does not, in all checklists of this title; null forgets it.
 */
export const packetCorrectionSchema = z.strictObject({
  templateId: slug,
  checklistTitle: label,
  section: label,
  question: label,
  slotId: slug,
  fills: z.boolean().nullable(),
})
export type PacketCorrection = z.output<typeof packetCorrectionSchema>

/** Each photo of a slot is copied, and shown in one or more documents: a step for each. */
export const packetProgressSchema = z.object({ stepsDone: count, stepsTotal: count })
export type PacketProgress = z.infer<typeof packetProgressSchema>
