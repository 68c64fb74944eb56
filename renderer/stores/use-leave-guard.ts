import { useEventListener } from '@vueuse/core'
import { onBeforeRouteLeave, onBeforeRouteUpdate, type RouteLocationNormalized } from 'vue-router'
import { useInstallation } from './installation-store.ts'

/**
 * Asks `mayLeave` before the page is left, also for another page of the same route, which replaces it. Lets the browser
 * ask before its tab is closed or loaded again while `wouldLose` returns true.
 */
export function useLeaveGuard(
  mayLeave: (to: RouteLocationNormalized) => boolean | Promise<boolean>,
  wouldLose: () => boolean,
): void {
  const installation = useInstallation()
  onBeforeRouteLeave((to) => mayLeave(to))
  onBeforeRouteUpdate((to, from) => to.path === from.path || mayLeave(to))
  useEventListener(window, 'beforeunload', (event) => {
    // The installed app hides its window; preventing that would only keep it open without an explanation.
    if (installation.info?.host !== 'desktop' && wouldLose()) event.preventDefault()
  })
}
