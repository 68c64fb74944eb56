import { useToast } from '@nuxt/ui/composables/useToast'
import { computed } from 'vue'
import type { FilesTarget } from '../../shared/views.ts'
import { useClient } from '../transport/transport.ts'
import { useInstallation } from './installation-store.ts'
import { useEngineActions } from './use-engine-actions.ts'

/** Shows archived files in the file manager, opens them, or copies their paths. Errors are reported in a toast. */
export function useArchiveFiles() {
  const client = useClient()
  const toast = useToast()
  const installation = useInstallation()
  const { attempt } = useEngineActions()

  /**
   * Copies `text` and confirms it in a toast; `what` is the subject of that sentence ("Path"), and `shown` is displayed
   * instead of a long text.
   */
  async function copyText(text: string, what: string, shown = text): Promise<void> {
    if (await copyToClipboard(text)) {
      toast.add({ title: `${what} copied`, description: shown, icon: 'i-lucide-copy-check', color: 'neutral' })
    } else {
      toast.add({ title: 'Copy it from here', description: text, icon: 'i-lucide-copy', color: 'neutral', duration: 0 })
    }
  }

  /** False in a browser on another machine, and on machines without a screen. */
  const canShow = computed(() => installation.info?.canShowFiles ?? false)

  /** Shows the file in the file manager of the machine that Solarchive runs on. */
  async function show(target: FilesTarget): Promise<void> {
    await attempt(() => client.call('files.show', target))
  }

  async function copyPath(target: FilesTarget): Promise<void> {
    await attempt(async () => copyText((await client.call('files.locate', target)).path, 'Path'))
  }

  return {
    copyText,
    canShow,
    show,
    copyPath,
    /** Opens a report or photo in that machine's program for it. */
    open: async (assetId: number): Promise<void> => {
      await attempt(() => client.call('files.open', { assetId }))
    },
    /** Items of a menu for the folder of a project or checklist. */
    folderItems: (target: FilesTarget) => [
      ...(canShow.value
        ? [{ label: 'Show folder', icon: 'i-lucide-folder-open', onSelect: () => void show(target) }]
        : []),
      { label: 'Copy folder path', icon: 'i-lucide-copy', onSelect: () => void copyPath(target) },
    ],
  }
}

/**
 * Copies a text after a click. Returns false if that failed. Browsers offer the clipboard API to secure pages with
 * permission only, but an office server is often reached without TLS, and the installed app grants no permissions. The
 * older way, a copy command as by keyboard, works for both.
 */
async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByCommand(text)
  }
}

function copyByCommand(text: string): boolean {
  const copy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', copy, { capture: true, once: true })
  try {
    return document.execCommand('copy')
  } finally {
    document.removeEventListener('copy', copy, { capture: true })
  }
}
