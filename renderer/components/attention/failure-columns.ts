/** The columns of failed files, for the head and each row: where it belongs, file, reason, tries, next try, button. */
export const columnClasses =
  'grid items-center gap-x-4 px-6 grid-cols-[minmax(8rem,3fr)_minmax(7rem,3fr)_minmax(9rem,4fr)_6rem] ' +
  'lg:grid-cols-[minmax(9rem,3fr)_minmax(8rem,3fr)_minmax(12rem,5fr)_3rem_6.5rem_6rem]'

/** Of the columns that narrow windows leave out. */
export const wideOnly = 'hidden lg:block'

export const rowHeightPx = 44
export const headHeightPx = 32
