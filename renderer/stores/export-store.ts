import { defineStore } from 'pinia'
import { onScopeDispose, shallowRef, watchEffect } from 'vue'
import type { ExportState, OrderOf, ReportOf } from '../../shared/background-tasks.ts'
import type { EventValue } from '../../shared/contract/events.ts'
import type { ExportSelection } from '../../shared/export.ts'
import { countOf } from '../../shared/format.ts'
import { createHandOver } from './hand-over.ts'

/** Something that can be exported. */
export interface ExportSubject {
  readonly selection: ExportSelection
  /** Name in titles and commands: "Delgado residence", "12 photos of Site survey". */
  readonly title: string
}

/** Words for what a page would export, instead of a title from the service. */
export const selectedBy: Readonly<Record<ExportSelection['kind'], string>> = {
  ids: 'this',
  projects: 'this project',
  checklists: 'this checklist',
  questions: 'this question',
  photos: 'these photos',
  search: 'these results',
  everything: 'everything',
}

export const everything: ExportSubject = { selection: { kind: 'everything' }, title: 'everything' }

/** The export dialog, and the export that runs or ended last. */
export const useExport = defineStore('export', () => {
  const task = createHandOver<
    OrderOf<ExportState>,
    ReportOf<ExportState>,
    EventValue<'export-progress'>,
    ExportSubject
  >({
    kind: 'export',
    subject: shallowRef(everything),
    show: (client) => client.call('export.show', {}),
    stop: (client) => client.call('export.stop', {}),
    summarize: ({ files, gapCount }) => ({
      text: gapCount === 0 ? countOf(files, 'file') : `${countOf(files, 'file')}, not complete`,
      isWhole: gapCount === 0,
    }),
  })
  /** Subject of the open page, or `null` if it has nothing to export. */
  const pageSubject = shallowRef<ExportSubject | null>(null)
  return {
    ...task,
    pageSubject,
    /** Exports what the page shows. */
    openPage: () => task.open(pageSubject.value ?? everything),
  }
})

/** Says what the page shows, for the commands of the palette and of the menu bar. */
export function useExportSubject(subject: () => ExportSubject | null): void {
  const store = useExport()
  let current: ExportSubject | null = null
  watchEffect(() => {
    current = subject()
    store.pageSubject = current
  })
  // The next page may have set its own already.
  onScopeDispose(() => {
    if (store.pageSubject === current) store.pageSubject = null
  })
}
