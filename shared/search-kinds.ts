/**
 * Kinds of what a search finds. A `report` is a page of one. Apart from the schemas: the command line needs no more.
 */
export const searchKinds = ['project', 'order', 'checklist', 'question', 'answer', 'photo', 'report'] as const
export type SearchKind = (typeof searchKinds)[number]

/** Maximum length of a query in characters. */
export const maxQueryLength = 500
