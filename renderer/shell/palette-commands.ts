import { useToast } from '@nuxt/ui/composables/useToast'
import { computed } from 'vue'
import { useRouter, type RouteLocationRaw } from 'vue-router'
import { settingEntries } from '../features/settings/index.ts'
import { photoViewTabs } from '../labels/photo-views.ts'
import { everything, selectedBy, useExport } from '../stores/export-store.ts'
import { useEngineActions, useSyncMenu } from '../stores/use-engine-actions.ts'
import { useAppearance, useInstallation, useSettings } from '../stores/installation-store.ts'

/** A row of the palette that does something. */
export interface PaletteCommand {
  readonly label: string
  readonly icon: string
  /** More about it, beside the label. */
  readonly suffix?: string
  /** Other words that it is found by. */
  readonly words?: string
  readonly kbds?: string[]
  /** Page that it leads to, or what it does. */
  readonly run: RouteLocationRaw | (() => unknown)
}

const page = (label: string, icon: string, run: string, kbds?: string[]): PaletteCommand => ({
  ...{ label, icon, run },
  ...(kbds && { kbds }),
})

const fixedPages: readonly PaletteCommand[] = [
  page('Overview', 'i-lucide-layout-dashboard', '/', ['g', 'o']),
  page('Search', 'i-lucide-search', '/search', ['g', 'f']),
  {
    ...page('Projects', 'i-lucide-house', '/projects', ['g', 'p']),
    ...{ suffix: 'Each has a map and a timeline', words: 'map timeline photos' },
  },
  page('Orders', 'i-lucide-drafting-compass', '/orders', ['g', 'r']),
  page('Order presets', 'i-lucide-sliders-horizontal', '/orders/presets'),
  page('Order lists', 'i-lucide-file-spreadsheet', '/orders/lists'),
  {
    ...page('Packet templates', 'i-lucide-list-checks', '/packets/templates'),
    words: 'hand over slots permit financing',
  },
  page('Attention', 'i-lucide-triangle-alert', '/attention', ['g', 'n']),
  page('Activity', 'i-lucide-history', '/activity', ['g', 'a']),
  { ...page('Deliveries of hooks', 'i-lucide-webhook', '/settings/deliveries'), words: 'webhooks repeat' },
  page('Settings', 'i-lucide-settings-2', '/settings', ['g', 's']),
  page('About Solarchive', 'i-lucide-info', '/settings?section=about'),
]

/** Commands, pages, and settings of the palette. */
export function usePaletteCommands(showShortcuts: () => void) {
  const exporting = useExport()
  const router = useRouter()
  const toast = useToast()
  const appearance = useAppearance()
  const installation = useInstallation()
  const { verify, retry } = useEngineActions()
  const { run, pausesOrResume } = useSyncMenu()
  const { save, error: notSaved } = useSettings()

  async function changeAppearance(): Promise<void> {
    if (await save({ appearance: appearance.isDark ? 'light' : 'dark' })) return
    const description = notSaved.value ?? ''
    toast.add({ title: 'Not saved', description, color: 'error', icon: 'i-lucide-triangle-alert', duration: 0 })
  }

  const commands = computed<PaletteCommand[]>(() => [
    ...[run.value, ...pausesOrResume.value].map(({ label, icon, onSelect }) => ({ label, icon, run: onSelect })),
    { label: 'Verify the archive', icon: 'i-lucide-shield-check', words: 'check', run: () => verify(false) },
    { label: 'Retry all failed files', icon: 'i-lucide-rotate-cw', run: () => retry({ all: true }) },
    page('New order', 'i-lucide-drafting-compass', '/orders/new', ['g', 'd']),
    { ...page('Order from a list', 'i-lucide-file-spreadsheet', '/orders/lists/new'), words: 'csv import' },
    { ...page('Add projects', 'i-lucide-plus', '/projects?add'), words: 'import csv new' },
    ...[...(exporting.pageSubject === null ? [] : [exporting.pageSubject]), everything].map((subject) => ({
      ...{
        label: `Export ${selectedBy[subject.selection.kind]}…`,
        icon: 'i-lucide-package',
        words: 'hand over copies save zip bagit',
      },
      run: () => exporting.open(subject),
    })),
    {
      label: appearance.isDark ? 'Use the light theme' : 'Use the dark theme',
      icon: appearance.isDark ? 'i-lucide-sun' : 'i-lucide-moon',
      run: changeAppearance,
    },
    { label: 'Keyboard shortcuts', icon: 'i-lucide-keyboard', words: 'keys', kbds: ['?'], run: showShortcuts },
  ])

  /** Map and timeline are those of the open project or checklist. */
  const pages = computed<PaletteCommand[]>(() => {
    const { projectId, checklistId } = router.currentRoute.value.params
    if (typeof projectId !== 'string') return [...fixedPages]
    const [target, subject] =
      typeof checklistId === 'string' ? [{ projectId, checklistId }, 'checklist'] : [{ projectId }, 'project']
    const views = photoViewTabs(target, 'list').filter(({ isCurrent }) => !isCurrent)
    const icons: Readonly<Record<string, string>> = { Map: 'i-lucide-map-pin', Timeline: 'i-lucide-clock-3' }
    return [...views.map(({ label, to }) => page(`${label} of this ${subject}`, icons[label] ?? '', to)), ...fixedPages]
  })

  const settings = computed(() =>
    settingEntries
      .filter(({ host }) => host === undefined || host === installation.info?.host)
      .map(({ section, label, words }): PaletteCommand => ({
        ...{ label, words, icon: 'i-lucide-settings-2' },
        run: { path: '/settings', query: { section, setting: label } },
      })),
  )

  return {
    commands,
    settings,
    pages,
    /** Also opens the page that is open, so that its link is followed again. */
    act: ({ run: wanted }: PaletteCommand): unknown =>
      typeof wanted === 'function'
        ? wanted()
        : router.push(typeof wanted === 'string' ? { path: wanted, force: true } : { ...wanted, force: true }),
  }
}

/** Returns true if each typed word starts a word of the command. */
export function isFoundBy(typed: string, { label, words = '' }: PaletteCommand): boolean {
  const all = wordsOf(`${label} ${words}`)
  return wordsOf(typed).every((word) => all.some((one) => one.startsWith(word)))
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}
