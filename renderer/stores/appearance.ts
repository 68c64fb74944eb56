import { useMediaQuery } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, ref, watchEffect } from 'vue'
import type { Appearance } from '../../shared/settings.ts'

/** Light or dark: what the person chose, else what the system has. */
export const useAppearance = defineStore('appearance', () => {
  const chosen = ref<Appearance>('system')
  const systemIsDark = useMediaQuery('(prefers-color-scheme: dark)')
  const isDark = computed(() => (chosen.value === 'system' ? systemIsDark.value : chosen.value === 'dark'))
  watchEffect(() => {
    document.documentElement.classList.toggle('dark', isDark.value)
    document.documentElement.style.colorScheme = isDark.value ? 'dark' : 'light'
  })
  return { chosen, isDark }
})
