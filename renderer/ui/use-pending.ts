import { onScopeDispose } from 'vue'
import { isNavigationFailure, NavigationFailureType, useRouter, type RouteLocationRaw } from 'vue-router'

/**
 * Goes on from a view when what was waited for is done. A person who has gone elsewhere meanwhile, or is on the way, is not
 * pulled back.
 */
export function useGoingOn() {
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
    goOn: async (to: RouteLocationRaw): Promise<void> => {
      if (!isLeft) await router.push(to)
    },
  }
}
