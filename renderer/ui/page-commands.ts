import { shallowRef } from 'vue'
import type { Router } from 'vue-router'

/** A command of the menu bar for the page that is open. It arrives as `?command=` of the page's path. */
export type PageCommand = 'search' | 'export'

/** The last command; a new object for each, so that watchers see a repeated one. */
export const pageCommand = shallowRef<{ readonly name: PageCommand } | null>(null)

/** Takes commands out of the path before the page sees it. */
export function followPageCommands(router: Router): void {
  router.beforeEach((to) => {
    const { command, ...query } = to.query
    if (command === undefined) return
    if (command === 'search' || command === 'export') pageCommand.value = { name: command }
    return { path: to.path, query, hash: to.hash, replace: true }
  })
}
