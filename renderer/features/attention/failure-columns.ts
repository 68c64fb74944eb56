/** The columns of failed files, for the head and each row: where it belongs, file, reason, tries, next try, button. */
export const columnClasses =
  'grid items-center gap-x-4 px-6 grid-cols-[minmax(7rem,4fr)_minmax(6rem,2fr)_minmax(7.5rem,3fr)_7rem] ' +
  'lg:grid-cols-[minmax(11rem,5fr)_minmax(8rem,3fr)_minmax(11rem,4fr)_3rem_6.5rem_7rem]'

/** Of the columns that narrow windows leave out. */
export const wideOnly = 'hidden lg:block'

export const rowHeightPx = 44
export const headHeightPx = 32
