/** Which of the columns that are often empty a table has. */
export interface OptionalColumns {
  readonly marks: boolean
  readonly provider: boolean
}

const narrow = 'grid items-center gap-x-4 px-6 grid-cols-[minmax(9rem,1fr)_9.5rem_6.5rem_1.75rem] '
const middle = 'md:grid-cols-[minmax(9rem,1.2fr)_minmax(9rem,1fr)_9rem_6.5rem_1.75rem] '

/**
 * The columns of the table, for its head and for each row alike: order, project, status, marks, provider, time, menu. Windows of
 * less width leave out marks and provider, the narrowest the project too.
 */
export function columnClasses({ marks, provider }: OptionalColumns): string {
  return narrow + middle + wide[`${marks}-${provider}`]
}

const wide: Readonly<Record<`${boolean}-${boolean}`, string>> = {
  'false-false': '',
  'true-false': 'xl:grid-cols-[minmax(12rem,1.2fr)_minmax(9rem,1fr)_9rem_6rem_7rem_1.75rem]',
  'false-true': 'xl:grid-cols-[minmax(12rem,1.2fr)_minmax(9rem,1fr)_9rem_minmax(7rem,0.6fr)_7rem_1.75rem]',
  'true-true': 'xl:grid-cols-[minmax(12rem,1.2fr)_minmax(9rem,1fr)_9rem_6rem_minmax(7rem,0.6fr)_7rem_1.75rem]',
}

/** Of the project. */
export const notNarrow = 'hidden md:block'

/** Of the columns that only wide windows have. */
export const wideOnly = 'hidden xl:block'

export const rowHeightPx = 44
export const headHeightPx = 32
