import { computed } from 'vue'
import { useRouter, type RouteLocationRaw } from 'vue-router'
import { settingEntries } from '../features/settings/index.ts'
import { photoViewTabs } from '../labels/photo-view-tabs.ts'
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

interface AppPage {
  readonly to: string
  readonly label: string
  readonly icon: string
  /** Opens it after `g`. */
  readonly key?: string
  readonly suffix?: string
  readonly words?: string
}

export const appPages: readonly AppPage[] = [
  { to: '/', label: 'Overview', icon: 'i-lucide-layout-dashboard', key: 'o' },
  { to: '/search', label: 'Search', icon: 'i-lucide-search', key: 'f' },
  {
    to: '/projects',
    label: 'Projects',
    icon: 'i-lucide-house',
    key: 'p',
    suffix: 'Each has a map and a timeline',
    words: 'map timeline photos',
  },
  { to: '/orders', label: 'Orders', icon: 'i-lucide-drafting-compass', key: 'r' },
  { to: '/orders/presets', label: 'Order presets', icon: 'i-lucide-sliders-horizontal' },
  { to: '/orders/lists', label: 'Order lists', icon: 'i-lucide-file-spreadsheet' },
  {
    to: '/packets/templates',
    label: 'Packet templates',
    icon: 'i-lucide-list-checks',
    words: 'hand over slots permit financing',
  },
  { to: '/attention', label: 'Attention', icon: 'i-lucide-triangle-alert', key: 'n' },
  { to: '/activity', label: 'Activity', icon: 'i-lucide-history', key: 'a' },
  { to: '/settings/deliveries', label: 'Hook deliveries', icon: 'i-lucide-webhook', words: 'webhooks repeat' },
  { to: '/settings', label: 'Settings', icon: 'i-lucide-settings-2', key: 's' },
  { to: '/settings?section=about', label: 'About Solarchive', icon: 'i-lucide-info' },
]
const pageCommands = appPages.map(({ to, key, ...page }): PaletteCommand => ({
  ...page,
  run: to,
  ...(key !== undefined && { kbds: ['g', key] }),
}))

/** Commands, pages, and settings of the palette. */
export function usePaletteCommands(showShortcuts: () => void) {
  const exporting = useExport()
  const router = useRouter()
  const appearance = useAppearance()
  const installation = useInstallation()
  const { verify, retry, reportFailure } = useEngineActions()
  const { run, pausesOrResume } = useSyncMenu()
  const { save, error: notSaved } = useSettings()

  async function changeAppearance(): Promise<void> {
    if (await save({ appearance: appearance.isDark ? 'light' : 'dark' })) return
    reportFailure('Not saved', notSaved.value ?? '')
  }

  const commands = computed<PaletteCommand[]>(() => [
    ...[run.value, ...pausesOrResume.value].map(({ label, icon, onSelect }) => ({ label, icon, run: onSelect })),
    { label: 'Verify the archive', icon: 'i-lucide-shield-check', words: 'check', run: () => verify(false) },
    { label: 'Retry all failed files', icon: 'i-lucide-rotate-cw', run: () => retry({ all: true }) },
    { label: 'New order', icon: 'i-lucide-drafting-compass', kbds: ['g', 'd'], run: '/orders/new' },
    {
      label: 'Order from a list',
      icon: 'i-lucide-file-spreadsheet',
      words: 'csv import',
      run: '/orders/lists/new',
    },
    { label: 'Add projects', icon: 'i-lucide-plus', words: 'import csv new', run: '/projects?add' },
    ...[...(exporting.pageSubject === null ? [] : [exporting.pageSubject]), everything].map((subject) => ({
      label: `Export ${selectedBy[subject.selection.kind]}…`,
      icon: 'i-lucide-package',
      words: 'hand over copies save zip bagit',
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
  const pages = computed<readonly PaletteCommand[]>(() => {
    const { projectId, checklistId } = router.currentRoute.value.params
    if (typeof projectId !== 'string') return pageCommands
    const [target, subject] =
      typeof checklistId === 'string' ? [{ projectId, checklistId }, 'checklist'] : [{ projectId }, 'project']
    const views = photoViewTabs(target, 'list').filter(({ isCurrent }) => !isCurrent)
    const icons: Readonly<Record<string, string>> = { Map: 'i-lucide-map-pin', Timeline: 'i-lucide-clock-3' }
    const ofThis = views.map(({ label, to }) => ({
      label: `${label} of this ${subject}`,
      icon: icons[label] ?? '',
      run: to,
    }))
    return [...ofThis, ...pageCommands]
  })

  const settings = computed(() =>
    settingEntries
      .filter(({ host }) => host === undefined || host === installation.info?.host)
      .map(({ section, label, words }): PaletteCommand => ({
        label,
        words,
        icon: 'i-lucide-settings-2',
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
