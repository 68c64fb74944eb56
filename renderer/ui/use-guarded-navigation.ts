import { onScopeDispose } from 'vue'
import { isNavigationFailure, NavigationFailureType, useRouter, type RouteLocationRaw } from 'vue-router'

/** Navigates after an asynchronous action, unless the user has left the view or is leaving it. */
export function useGuardedNavigation() {
  const router = useRouter()
  let isLeft = false
  const stops = [
    router.beforeEach((to, from) => {
      if (to.path !== from.path) isLeft = true
    }),
    router.afterEach((_to, _from, failure) => {
      if (isNavigationFailure(failure, NavigationFailureType.aborted)) isLeft = false
    }),
  ]
  onScopeDispose(() => {
    isLeft = true
    for (const stop of stops) stop()
  })

  return {
    hasLeft: () => isLeft,
    navigate: async (to: RouteLocationRaw): Promise<void> => {
      if (!isLeft) await router.push(to)
    },
  }
}
