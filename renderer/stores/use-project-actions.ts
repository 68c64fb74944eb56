import { useToast } from '@nuxt/ui/composables/useToast'
import { countOf } from '../labels/format-numbers.ts'
import { useEngine } from './engine-store.ts'
import type { CallError } from '../transport/transport.ts'
import { goneSentence } from '../labels/project-labels.ts'
import { useClient } from '../transport/use-client.ts'
import { useEngineActions } from './use-engine-actions.ts'

/** As many as a call names (shared/project-preview.ts). */
const mostProjects = 10_000

/** What a person does with one or many projects of the list. */
export function useProjectActions() {
  const client = useClient()
  const engine = useEngine()
  const toast = useToast()
  const { attempt, syncNow } = useEngineActions()

  /**
   * Goes past those that left the list meanwhile, and on until any other error, which it tells. Answers the ids of those that
   * were done, and of those that are gone.
   */
  async function each(ids: readonly string[], act: (projectId: string) => Promise<void>) {
    const done: string[] = []
    const gone: string[] = []
    await attempt(async () => {
      for (const id of ids) {
        try {
          await act(id)
          done.push(id)
        } catch (thrown) {
          if ((thrown as CallError).code !== 'not-found') throw thrown
          gone.push(id)
        }
      }
    })
    engine.refresh()
    return { done, gone }
  }

  return {
    /** Answers the ids of those that left the list meanwhile. More than a call names: all projects. */
    async sync(ids: string[]): Promise<string[]> {
      const synced = await syncNow(ids.length > mostProjects ? undefined : ids)
      const isSynced = new Set(synced ?? ids)
      return ids.filter((id) => !isSynced.has(id))
    },

    async retry(ids: readonly string[]) {
      let files = 0
      const { done } = await each(ids, async (projectId) => {
        files += (await client.call('failures.retry', { projectId })).queued
      })
      if (done.length === 0) return
      const title = files === 0 ? 'No file had failed' : `${countOf(files, 'file')} will be tried again now`
      toast.add({ title, icon: 'i-lucide-rotate-cw', color: 'neutral' })
    },

    /** Answers the ids of those that are not in the list any more, by whomever they were removed. */
    async remove(ids: readonly string[]): Promise<string[]> {
      const { done, gone } = await each(ids, async (projectId) => {
        await client.call('projects.remove', { projectId })
      })
      const sentences = [
        ...(done.length > 0
          ? [`${countOf(done.length, 'project')} removed. The files stay in the archive folder.`]
          : []),
        ...(gone.length > 0 ? [goneSentence(gone.length)] : []),
      ]
      if (sentences.length > 0) toast.add({ title: sentences.join(' '), icon: 'i-lucide-list-x', color: 'neutral' })
      return [...done, ...gone]
    },
  }
}
