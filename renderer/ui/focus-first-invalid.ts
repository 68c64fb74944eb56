import { nextTick } from 'vue'

/** Focuses the first field of a form that is marked as wrong, once the marks are shown: it may be scrolled away. */
export async function focusFirstInvalid(form: 'main' | '[role="dialog"]'): Promise<void> {
  await nextTick()
  document.querySelector<HTMLElement>(`${form} [aria-invalid="true"]`)?.focus()
}
