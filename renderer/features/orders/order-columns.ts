/** Visibility of columns that are often empty. */
export interface OptionalColumns {
  readonly marks: boolean
  readonly provider: boolean
}

const narrow = 'grid items-center gap-x-4 px-6 grid-cols-[minmax(9rem,1fr)_9.5rem_6.5rem_1.75rem] '
const middle = 'md:grid-cols-[minmax(9rem,1.2fr)_minmax(9rem,1fr)_8rem_6.75rem_1.75rem] '

/**
 * Returns the columns of the head and of each row: order, project, status, marks, provider, time, menu. Narrow windows
 * hide marks and provider, the narrowest also the project.
 */
export function columnClasses({ marks, provider }: OptionalColumns): string {
  return narrow + middle + wide[`${marks}-${provider}`]
}

const wide: Readonly<Record<`${boolean}-${boolean}`, string>> = {
  'false-false': '',
  'true-false': 'xl:grid-cols-[minmax(12rem,1.2fr)_minmax(9rem,1fr)_9rem_6rem_7rem_1.75rem]',
  'false-true': 'xl:grid-cols-[minmax(12rem,1.5fr)_minmax(9rem,1fr)_8rem_minmax(6rem,0.5fr)_7rem_1.75rem]',
  'true-true': 'xl:grid-cols-[minmax(12rem,1.5fr)_minmax(9rem,1fr)_8rem_6rem_minmax(6rem,0.5fr)_7rem_1.75rem]',
}

/** Class of the project column. */
export const notNarrow = 'hidden md:block'

/** Class of columns that only wide windows show. */
export const wideOnly = 'hidden xl:block'
