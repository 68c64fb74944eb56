import { computed, ref } from 'vue'
import { choiceLabel } from '../../../shared/order/order-fields.ts'

interface ChoiceField {
  /** Returns the text that is stored. */
  readonly stored: () => string
  readonly store: (text: string) => void
  readonly isKnown: (value: string) => boolean
  /** Returns the service's value for a text that is displayed or typed; any other text unchanged. */
  readonly valueOf: (text: string) => string
}

/**
 * The text of a field whose known values are displayed by label, and stored as the service's values. What is typed stays
 * until `leave`: it may begin like a known value, whose label would replace it.
 */
export function useShownChoice({ stored, store, isKnown, valueOf }: ChoiceField) {
  const typed = ref('')
  const shown = computed({
    get() {
      if (typed.value !== '' && valueOf(typed.value) === stored()) return typed.value
      return isKnown(stored()) ? choiceLabel(stored()) : stored()
    },
    set(text) {
      typed.value = text
      store(valueOf(text))
    },
  })
  return { shown, leave: () => (typed.value = '') }
}
