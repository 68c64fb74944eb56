import { useToast } from '@nuxt/ui/composables/useToast'
import { defineStore } from 'pinia'
import { computed, onScopeDispose, ref, shallowRef, watchEffect } from 'vue'
import type { CallInput } from '../../shared/contract/calls.ts'
import type { EventValue } from '../../shared/contract/events.ts'
import type { ExportSelection } from '../../shared/export.ts'
import { countOf } from '../../shared/format.ts'
import { useClient } from '../transport/transport.ts'
import { useArchiveFiles } from './use-archive-files.ts'
import { useEngineActions } from './use-engine-actions.ts'

/** Something that can be exported. */
export interface ExportSubject {
  readonly selection: ExportSelection
  /** Name in titles and commands: "Delgado residence", "12 photos of Site survey". */
  readonly title: string
}

export const everything: ExportSubject = { selection: { kind: 'everything' }, title: 'everything' }

/** The export dialog, and the export that runs or ended last; it continues when the dialog is closed. */
export const useExport = defineStore('export', () => {
  const client = useClient()
  const toast = useToast()
  const { attempt } = useEngineActions()
  const { canShow, copyText } = useArchiveFiles()

  const isOpen = ref(false)
  /** What the dialog exports. */
  const subject = shallowRef<ExportSubject>(everything)
  /** What the open page shows, or `null` if it is nothing that can be exported. */
  const pageSubject = shallowRef<ExportSubject | null>(null)
  const state = shallowRef<EventValue<'export-state'>>({ kind: 'idle', last: null })
  const progress = shallowRef<EventValue<'export-progress'> | null>(null)
  /** End of an export that ran while this window was open; `null` once the user has dealt with it. */
  const ended = shallowRef<Extract<EventValue<'export-state'>, { kind: 'idle' }>['last']>(null)
  const isRunning = computed(() => state.value.kind === 'running')

  function open(wanted: ExportSubject): void {
    if (!isRunning.value) ended.value = null
    subject.value = wanted
    isOpen.value = true
  }

  function setState(now: EventValue<'export-state'>): void {
    const wasRunning = isRunning.value
    state.value = now
    if (now.kind === 'running') {
      ended.value = null
      return
    }
    progress.value = null
    if (!wasRunning) return
    ended.value = now.last
    if (!isOpen.value) announceEnd()
  }

  function announceEnd(): void {
    const { value: last } = ended
    if (last === null) return
    const details = { label: 'Details', color: 'neutral' as const, variant: 'outline' as const, onClick: reopen }
    const looks = { color: 'neutral' as const, icon: 'i-lucide-package-check', duration: 15_000 }
    if (last.ok) {
      const { gapCount, files, path } = last.report
      const shown = { ...details, label: 'Show in folder', onClick: () => void show() }
      toast.add({
        ...looks,
        title: `Export finished: ${countOf(files, 'file')}`,
        description: path,
        ...(gapCount > 0 && { color: 'warning' as const, icon: 'i-lucide-triangle-alert' }),
        actions: canShow.value ? [shown, details] : [details],
      })
    } else if (last.error.code !== 'cancelled') {
      const failed = { color: 'error' as const, icon: 'i-lucide-triangle-alert', actions: [details] }
      toast.add({ ...looks, ...failed, title: 'The export failed', description: last.error.message })
    }
  }

  /** Exports what the page shows. */
  function openPage(): void {
    open(pageSubject.value ?? everything)
  }

  function reopen(): void {
    isOpen.value = true
  }

  function show(): Promise<unknown> {
    return attempt(() => client.call('export.show', {}))
  }

  return {
    ...{ isOpen, subject, pageSubject, state, progress, ended, isRunning, open, openPage, reopen, show },
    /** The events report its state: a short export may end before the call is answered. */
    async begin(input: CallInput<'export.start'>): Promise<void> {
      ended.value = null
      await client.call('export.start', input)
    },
    stop: () => attempt(() => client.call('export.stop', {})),
    forget(): void {
      ended.value = null
    },
    copyPath: (path: string) => copyText(path, 'Path'),
    /** Listens for events. Returns a function that stops listening. */
    start: () =>
      client.listen({
        onEvent({ name, value }) {
          if (name === 'export-state') setState(value as EventValue<'export-state'>)
          if (name === 'export-progress') progress.value = value as EventValue<'export-progress'>
        },
        onResync: () => undefined,
        onLink: () => undefined,
      }),
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
