import { countOf } from '../../shared/format.ts'
import { useEngine } from './engine-store.ts'
import { type CallError, useClient } from '../transport/transport.ts'
import { goneSentence } from '../labels/project-labels.ts'
import { retriedText, useEngineActions } from './use-engine-actions.ts'

/** Maximum number of projects per call (shared/project-list.ts). */
const maxProjects = 10_000

/** Actions on one or more projects of the list. */
export function useProjectActions() {
  const client = useClient()
  const engine = useEngine()
  const { attempt, notify, syncNow } = useEngineActions()

  /**
   * Skips projects that were removed in the meantime, and stops at the first other error, which is reported in a toast.
   * Returns the IDs of the processed and of the skipped projects.
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
    /**
     * Returns the IDs of projects that were removed in the meantime. Syncs all projects if `ids` exceeds a call's
     * maximum.
     */
    async sync(ids: string[]): Promise<string[]> {
      const synced = await syncNow(ids.length > maxProjects ? undefined : ids)
      const isSynced = new Set(synced ?? ids)
      return ids.filter((id) => !isSynced.has(id))
    },

    async retry(ids: readonly string[]) {
      let files = 0
      const { done } = await each(ids, async (projectId) => {
        files += (await client.call('failures.retry', { projectId })).queued
      })
      if (done.length > 0) notify(retriedText(files), 'i-lucide-rotate-cw')
    },

    /** Returns the IDs of projects that are no longer in the list. */
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
      if (sentences.length > 0) notify(sentences.join(' '), 'i-lucide-list-x')
      return [...done, ...gone]
    },
  }
}
