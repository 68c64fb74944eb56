import { ref, watch, type Ref } from 'vue'

/**
 * Returns the text of a search box for a search that is kept elsewhere, such as in the URL. `change` is called with the
 * trimmed text as one types.
 */
export function useTypedSearch(search: () => string, change: (search: string) => void): Ref<string> {
  const typed = ref(search())
  watch(typed, (text) => change(text.trim()))
  watch(search, (text) => {
    if (text !== typed.value.trim()) typed.value = text
  })
  return typed
}
