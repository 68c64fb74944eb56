/** Names of packets. Apart from the schemas: the command line's help needs no more. */

/** IDs of the templates that come with Solarchive. */
export const builtInTemplateIds = [
  'financing-site-survey',
  'permit-photos',
  'warranty-claim',
  'interconnection',
] as const

/** Limits of a template: more than any form asks for. */
export const templateLimits = {
  slots: 60,
  patterns: 20,
  patternLength: 100,
  title: 120,
  instructions: 1000,
  photos: 500,
}
