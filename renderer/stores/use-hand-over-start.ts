import { computed, type Ref, ref, shallowRef, watch } from 'vue'
import { useRoute } from 'vue-router'
import { type CallError, useClient } from '../transport/transport.ts'
import { useInstallation } from './installation-store.ts'
import { useEngineActions } from './use-engine-actions.ts'

/** Reason that an export or a packet failed, or could not start. */
type Failure = Pick<CallError, 'code' | 'message'>

/** The store of an export or of a packet; see `createHandOver`. */
interface HandOverTask {
  readonly isOpen: boolean
  readonly ended: { readonly ok: boolean; readonly error?: Failure } | null
  readonly begin: (start: () => Promise<unknown>) => Promise<void>
  readonly close: () => void
}

/**
 * The start button of the dialog of an export or packet. Asks for a folder if none is entered, and keeps what went
 * wrong until a choice changes. The dialog closes when another page opens, since the menu bar works while it is open.
 */
export function useHandOverStart(
  task: HandOverTask,
  noun: 'export' | 'packet',
  folder: Ref<string>,
  choices: () => unknown,
) {
  const client = useClient()
  const installation = useInstallation()
  const route = useRoute()
  const { attempt } = useEngineActions()
  const failure = shallowRef<CallError | null>(null)
  /** True once the user tried to start without a folder. */
  const isFolderMissing = ref(false)
  const isStarting = ref(false)
  /** The end that was shown when a choice changed: what failed may be corrected. */
  const answered = shallowRef<HandOverTask['ended']>(null)

  watch([() => task.isOpen, choices, folder], ([isOpen], [wasOpen]) => {
    failure.value = null
    isFolderMissing.value = false
    // Opening the dialog fills in the choices, which corrects nothing.
    if (isOpen && wasOpen) answered.value = task.ended
  })
  const isOfFolder = computed(() => failure.value?.details?.['input'] === 'to')
  const folderProblem = computed(() => {
    if (isFolderMissing.value) return `Enter the folder for the ${noun}.`
    return isOfFolder.value ? (failure.value?.message ?? null) : null
  })
  /** Everything else that went wrong with the last try. */
  const problem = computed<Failure | null>(() => {
    if (failure.value !== null) return isOfFolder.value ? null : failure.value
    const { ended } = task
    return ended?.ok === false && ended !== answered.value ? (ended.error ?? null) : null
  })
  watch(
    () => route.path,
    () => {
      // Closing a dialog that is not open would drop a result that nobody has seen.
      if (task.isOpen) task.close()
    },
  )
  // On a small screen, the field or the message can be out of sight.
  watch(
    [problem, folderProblem],
    () => document.querySelector('[role="dialog"] [role="alert"]')?.scrollIntoView({ block: 'center' }),
    { flush: 'post' },
  )

  /** `call` starts the task; its argument is the folder. */
  async function start(call: (to: string) => Promise<unknown>): Promise<void> {
    // While the dialog fades out, this button is where Done was.
    if (!task.isOpen || isStarting.value) return
    if (folder.value.trim() === '' && installation.info?.canChooseFolders === true) {
      const chosen = await attempt(() => client.call('folders.choose', { from: '' }))
      if (chosen?.folder == null) return
      folder.value = chosen.folder
    }
    const to = folder.value.trim()
    isFolderMissing.value = to === ''
    if (to === '') return
    isStarting.value = true
    try {
      await task.begin(() => call(to))
    } catch (error) {
      failure.value = error as CallError
    } finally {
      isStarting.value = false
    }
  }

  return { problem, folderProblem, isStarting, start }
}
