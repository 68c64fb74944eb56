import { computed, ref } from 'vue'

interface ChoiceField {
  /** Returns the text that is stored. */
  readonly stored: () => string
  readonly store: (text: string) => void
  /** Returns the label of a known value; any other text unchanged. */
  readonly labelOf: (value: string) => string
  /** Returns the service's value for a text that is displayed or typed; any other text unchanged. */
  readonly valueOf: (text: string) => string
}

/**
 * The text of a field whose known values are displayed by label, and stored as the service's values. What is typed stays
 * until `leave`: it may begin like a known value, whose label would replace it.
 */
export function useShownChoice({ stored, store, labelOf, valueOf }: ChoiceField) {
  const typed = ref('')
  const shown = computed({
    get() {
      if (typed.value !== '' && valueOf(typed.value) === stored()) return typed.value
      return labelOf(stored())
    },
    set(text) {
      typed.value = text
      store(valueOf(text))
    },
  })
  return { shown, leave: () => (typed.value = '') }
}
