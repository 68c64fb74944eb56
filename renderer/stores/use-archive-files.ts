import { useToast } from '@nuxt/ui/composables/useToast'
import { computed } from 'vue'
import type { FilesTarget } from '../../shared/views.ts'
import { useInstallation } from './installation-store.ts'
import { copyToClipboard } from '../ui/copy-to-clipboard.ts'
import { useClient } from '../transport/use-client.ts'
import { useEngineActions } from './use-engine-actions.ts'

/** Where files are on the disk: shows them in the file manager, or copies their path. Errors are told in a toast. */
export function useFilesPlace() {
  const client = useClient()
  const toast = useToast()
  const installation = useInstallation()
  const { attempt } = useEngineActions()

  /** Copies `text` and says so; `what` begins the sentence ("Path", "Place"). */
  async function copyText(text: string, what: string): Promise<void> {
    if (await copyToClipboard(text)) {
      toast.add({ title: `${what} copied`, description: text, icon: 'i-lucide-copy-check', color: 'neutral' })
    } else {
      toast.add({ title: 'Copy it from here', description: text, icon: 'i-lucide-copy', color: 'neutral', duration: 0 })
    }
  }

  return {
    copyText,
    /** Whether this machine's file manager can be opened from here: not from a browser elsewhere, nor without a screen. */
    canShow: computed(() => installation.info?.canShowFiles ?? false),
    /** In the file manager of the machine that Solarchive runs on. */
    show: async (target: FilesTarget): Promise<void> => {
      await attempt(() => client.call('files.show', target))
    },
    /** A report or photo, in the program that the same machine has for it. */
    open: async (assetId: number): Promise<void> => {
      await attempt(() => client.call('files.open', { assetId }))
    },
    copyPath: async (target: FilesTarget): Promise<void> => {
      await attempt(async () => copyText((await client.call('files.locate', target)).path, 'Path'))
    },
  }
}
