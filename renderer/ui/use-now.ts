import { onScopeDispose, ref, type Ref } from 'vue'

/** The present time in milliseconds, for texts such as "3 min ago"; it moves every `everyMs`. */
export function useNow(everyMs = 1_000): Ref<number> {
  const now = ref(Date.now())
  const timer = window.setInterval(() => (now.value = Date.now()), everyMs)
  onScopeDispose(() => window.clearInterval(timer))
  return now
}
