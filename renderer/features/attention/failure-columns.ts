/** Columns of the head and of each row: project and checklist, file, reason, attempts, next attempt, button. */
export const columnClasses =
  'grid items-center gap-x-4 px-6 grid-cols-[minmax(7rem,4fr)_minmax(6rem,2fr)_minmax(7.5rem,3fr)_7rem] ' +
  'lg:grid-cols-[minmax(11rem,5fr)_minmax(8rem,3fr)_minmax(11rem,4fr)_4.5rem_6.5rem_7rem]'

/** Class of columns that narrow windows hide. */
export const wideOnly = 'hidden lg:block'

export const rowHeightPx = 44
export const headHeightPx = 32
