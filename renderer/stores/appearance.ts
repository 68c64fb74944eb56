import { usePreferredDark } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, ref, watchEffect } from 'vue'
import type { Appearance } from '../../shared/settings.ts'

/** The theme: the user's choice, or the system's. */
export const useAppearance = defineStore('appearance', () => {
  const chosen = ref<Appearance>('system')
  const systemIsDark = usePreferredDark()
  const isDark = computed(() => (chosen.value === 'system' ? systemIsDark.value : chosen.value === 'dark'))
  watchEffect(() => {
    document.documentElement.classList.toggle('dark', isDark.value)
    document.documentElement.style.colorScheme = isDark.value ? 'dark' : 'light'
  })
  return { chosen, isDark }
})
