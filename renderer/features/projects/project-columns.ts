/**
 * Columns of the head and of each row: checkbox, project, status, checklists, files, last sync, menu. What a narrow
 * table hides depends on the width of the table, which is not that of the window: the sidebar folds at 1024 px.
 */
export const columnClasses =
  'grid items-center gap-x-3 px-6 grid-cols-[1.25rem_minmax(7rem,1fr)_8rem_7rem_1.75rem] ' +
  '@min-[38rem]:grid-cols-[1.25rem_minmax(8rem,1fr)_8rem_7rem_5.5rem_1.75rem] ' +
  '@min-[54rem]:grid-cols-[1.25rem_minmax(12rem,1fr)_8rem_4.5rem_9.5rem_6rem_1.75rem] ' +
  '@min-[60rem]:gap-x-4 @min-[60rem]:grid-cols-[1.25rem_minmax(12rem,1fr)_9.5rem_5.5rem_11rem_7.5rem_1.75rem]'

/** Classes of columns that a narrow table hides. */
export const checklistsColumn = 'hidden @min-[54rem]:block'
/** Names get the width of the bars there: many differ only at their end. */
export const barClasses = '@max-[54rem]:*:first:sr-only'
export const syncedColumn = 'hidden @min-[38rem]:block'
