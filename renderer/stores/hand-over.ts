import { useToast } from '@nuxt/ui/composables/useToast'
import { computed, ref, type ShallowRef, shallowRef } from 'vue'
import type { TaskEnd, TaskState } from '../../shared/background-tasks.ts'
import { type Client, useClient } from '../transport/transport.ts'
import { useArchiveFiles } from './use-archive-files.ts'
import { useEngineActions } from './use-engine-actions.ts'
import { download } from './use-file-copies.ts'

interface HandOverOptions<Report, Subject> {
  readonly kind: 'export' | 'packet'
  /** Subject of the dialog, and of the task that it started. */
  readonly subject: ShallowRef<Subject>
  readonly show: (client: Client) => Promise<unknown>
  readonly stop: (client: Client) => Promise<unknown>
  readonly summarize: (report: Report) => { readonly text: string; readonly isWhole: boolean }
}

/**
 * Creates the state of a task that hands over copies, and that continues beside other pages: its dialog, its progress,
 * and its end, which a toast announces if the dialog is closed.
 */
export function createHandOver<Order, Report extends { readonly path: string }, Progress, Subject>(
  options: HandOverOptions<Report, Subject>,
) {
  const { kind, subject, show, stop, summarize } = options
  const client = useClient()
  const { attempt } = useEngineActions()

  const isOpen = ref(false)
  /** True while the task that runs is about `subject`: this window started it. */
  let isOwn = false
  /** True if the dialog was opened to start a task. */
  let isForm = false
  const state = shallowRef<TaskState<Order, Report>>({ kind: 'idle', last: null })
  const progress = shallowRef<Progress | null>(null)
  /** End of a task that ran while this window was open; `null` once the user has dealt with it. */
  const ended = shallowRef<TaskEnd<Report> | null>(null)
  const isRunning = computed(() => state.value.kind === 'running')
  const noun = kind === 'export' ? 'Export' : 'Packet'

  const showResult = () => attempt(() => show(client))
  const announce = createAnnounce(noun, summarize, showResult)

  function setState(now: TaskState<Order, Report>): void {
    const [wasRunning, wasOwn] = [isRunning.value, isOwn]
    state.value = now
    if (now.kind === 'running') return void (ended.value = null)
    progress.value = null
    isOwn = false
    // The host forgets its last end with the archive that it was about.
    if (!wasRunning && now.last !== null) return
    // The dialog would show its form, which is about something else or nothing, unless it was open before.
    if (!wasOwn && !isForm && now.last?.ok !== true) isOpen.value = false
    if (!wasOwn && now.last?.ok === false) return announce(now.last)
    ended.value = now.last
    if (!isOpen.value && now.last !== null) announceEnd(now.last)
  }

  function announceEnd(last: TaskEnd<Report>): void {
    const { value: about } = subject
    announce(last, () => {
      if (!isRunning.value) [ended.value, subject.value] = [last, about]
      ;[isForm, isOpen.value] = [false, true]
    })
  }

  return {
    isOpen,
    subject,
    state,
    progress,
    ended,
    isRunning,
    show: showResult,
    /** Downloads the result; `undefined` in the installed app. */
    download: client.lastWrittenUrl === undefined ? undefined : () => download(client.lastWrittenUrl?.(kind) ?? ''),
    /** Line of the sidebar while the task runs, or has ended and was not looked at; else `null`. */
    outcome: computed(() => {
      const { value: last } = ended
      return isRunning.value || isOpen.value || last === null ? null : outcomeOf(noun, last, summarize)
    }),
    /** Opens the dialog for a subject; while a task of this window runs, for that one, whose end it will show. */
    open(wanted: NonNullable<Subject>): void {
      if (!isRunning.value) [ended.value, isOwn] = [null, false]
      isForm = !isRunning.value
      if (!isOwn) subject.value = wanted
      isOpen.value = true
    },
    reopen: () => void ([isForm, isOpen.value] = [false, true]),
    /** Closes the dialog; a result that was shown is not shown again. */
    close(): void {
      isOpen.value = false
      ended.value = null
    },
    stop: () => attempt(() => stop(client)),
    /**
     * Calls what starts the task. The events report its state: a short task may end before the call is answered. Throws
     * CallError.
     */
    async begin(start: () => Promise<unknown>): Promise<void> {
      ended.value = null
      isOwn = true
      await start().catch((error: unknown) => {
        isOwn = false
        throw error
      })
    },
    /** Listens for events. Returns a function that stops listening. */
    start: () =>
      client.listen({
        onEvent({ name, value }) {
          if (name === `${kind}-state`) setState(value as TaskState<Order, Report>)
          if (name === `${kind}-progress`) progress.value = value as Progress
        },
      }),
  }
}

type Summarize<Report> = HandOverOptions<Report, unknown>['summarize']

/** Returns the function that announces an end in a toast. Without `showDetails` it stays until it is closed. */
function createAnnounce<Report extends { readonly path: string }>(
  noun: string,
  summarize: Summarize<Report>,
  showResult: () => Promise<unknown>,
) {
  const toast = useToast()
  const { canShow } = useArchiveFiles()
  return (last: TaskEnd<Report>, showDetails?: () => void): void => {
    if (!last.ok && last.error.code === 'cancelled') return
    const button = { color: 'neutral' as const }
    const details = showDetails === undefined ? [] : [{ ...button, label: 'Details', onClick: showDetails }]
    const shown = { ...button, label: 'Show in folder', onClick: () => void showResult() }
    toast.add({
      ...describeEnd(noun, last, summarize),
      duration: showDetails === undefined ? 0 : 15_000,
      actions: last.ok && canShow.value ? [shown, ...details] : details,
    })
  }
}

/** Returns the toast's title, description, color, and icon. */
function describeEnd<Report extends { readonly path: string }>(
  noun: string,
  last: TaskEnd<Report>,
  summarize: Summarize<Report>,
) {
  const warning = 'i-lucide-triangle-alert'
  if (!last.ok) {
    return { color: 'error' as const, icon: warning, title: `${noun} failed`, description: last.error.message }
  }
  const { text, isWhole } = summarize(last.report)
  return {
    color: isWhole ? ('neutral' as const) : ('warning' as const),
    icon: isWhole ? 'i-lucide-package-check' : warning,
    title: `${noun} finished: ${text}`,
    description: last.report.path,
  }
}

/** Returns the line of the sidebar; `null` for a task that the user stopped. */
function outcomeOf<Report>(noun: string, last: TaskEnd<Report>, summarize: Summarize<Report>) {
  if (last.ok) {
    const { isWhole } = summarize(last.report)
    return { title: `${noun} finished`, state: isWhole ? ('whole' as const) : ('gaps' as const) }
  }
  return last.error.code === 'cancelled' ? null : { title: `${noun} failed`, state: 'failed' as const }
}
