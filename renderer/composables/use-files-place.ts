import { useToast } from '@nuxt/ui/composables/useToast'
import type { FilesTarget } from '../../shared/views.ts'
import { useClient } from './use-client.ts'
import { useEngineActions } from './use-engine-actions.ts'

/** Where files are on the disk: shows them in the file manager, or copies their path. Errors are told in a toast. */
export function useFilesPlace() {
  const client = useClient()
  const toast = useToast()
  const { attempt } = useEngineActions()

  /** Copies `text` and says so; `what` begins the sentence ("Path", "Place"). */
  async function copyText(text: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      toast.add({ title: `${what} copied`, description: text, icon: 'i-lucide-copy-check', color: 'neutral' })
    } catch {
      // Browsers give the clipboard to secure pages only; an office server is often reached without TLS.
      toast.add({ title: 'Copy it from here', description: text, icon: 'i-lucide-copy', color: 'neutral', duration: 0 })
    }
  }

  return {
    copyText,
    /** In the file manager of the machine that Solarchive runs on; where that cannot be, the path is copied instead. */
    show: async (target: FilesTarget): Promise<void> => {
      await attempt(async () => {
        const { path, canShow } = await client.call('files.locate', target)
        if (canShow) await client.call('files.show', target)
        else await copyText(path, 'This window cannot open folders. Path')
      })
    },
    copyPath: async (target: FilesTarget): Promise<void> => {
      await attempt(async () => copyText((await client.call('files.locate', target)).path, 'Path'))
    },
  }
}
