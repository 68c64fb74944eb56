import { useToast } from '@nuxt/ui/composables/useToast'
import { countOf } from '../format/format-numbers.ts'
import { useEngine } from '../stores/engine-store.ts'
import { useClient } from './use-client.ts'
import { useEngineActions } from './use-engine-actions.ts'

/** What a person does with one or many projects of the list. */
export function useProjectActions() {
  const client = useClient()
  const engine = useEngine()
  const toast = useToast()
  const { attempt, syncNow } = useEngineActions()

  /** Goes on until the first error, which it tells. Answers how many were done. */
  async function each(ids: readonly string[], act: (projectId: string) => Promise<void>): Promise<number> {
    let done = 0
    await attempt(async () => {
      for (const id of ids) {
        await act(id)
        done += 1
      }
    })
    engine.refresh()
    return done
  }

  return {
    /** All of them without naming them: a call names at most 10,000. */
    sync: (ids: string[]) => syncNow(ids.length === engine.overview?.counts.projects ? undefined : ids),

    async retry(ids: readonly string[]) {
      let files = 0
      const done = await each(ids, async (projectId) => {
        files += (await client.call('failures.retry', { projectId })).queued
      })
      if (done === 0) return
      const title = files === 0 ? 'No file had failed' : `${countOf(files, 'file')} will be tried again now`
      toast.add({ title, icon: 'i-lucide-rotate-cw', color: 'neutral' })
    },

    /** Answers the ids of those that were removed. */
    async remove(ids: readonly string[]): Promise<string[]> {
      const done = await each(ids, async (projectId) => {
        await client.call('projects.remove', { projectId })
      })
      if (done > 0) {
        const title = `${countOf(done, 'project')} removed. The files stay in the archive folder.`
        toast.add({ title, icon: 'i-lucide-list-x', color: 'neutral' })
      }
      return ids.slice(0, done)
    },
  }
}
