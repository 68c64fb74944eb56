/**
 * Columns of the head and of each row: checkbox, project, status, checklists, files, last sync, menu. Narrow windows
 * hide checklists and last sync.
 */
export const columnClasses =
  'grid items-center gap-x-4 px-6 grid-cols-[1.25rem_minmax(9rem,1fr)_9.5rem_9.5rem_1.75rem] ' +
  'lg:grid-cols-[1.25rem_minmax(12rem,1fr)_9.5rem_5.5rem_11rem_7.5rem_1.75rem]'

/** Class of columns that narrow windows hide. */
export const wideOnly = 'hidden lg:block'
