import { app as electronApp, shell } from 'electron'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { CallInput, CallName, CallOutput } from '../../shared/contract/calls.ts'
import type { EventMessage } from '../../shared/contract/events.ts'
import type { Answer } from '../../shared/envelope.ts'
import { AppError, toAppError } from '../../shared/errors.ts'
import type { Api } from '../app/api/create-api.ts'
import type { App } from '../app/create-app.ts'
import type { Log } from '../engine/lib/ports.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { attentionCount } from '../../shared/status-text.ts'
import { afterEvent, type AppStatus, progressOf, unknownStatus } from './app-status.ts'
import { systemDesktop } from './desktop-ports.ts'
import { showCommandFailure } from './failures.ts'
import { startNotifier } from './notifier.ts'
import type { TrayCommand } from './tray-menu.ts'
import { AppTray } from './tray.ts'
import type { AppWindow } from './window.ts'

export interface SystemUiDeps {
  readonly app: App
  readonly window: AppWindow
  /** Absolute path of the folder with icons and tray images. */
  readonly resources: string
  readonly log: Log
}

/** Shows the engine's state in the tray, the taskbar, and notifications. Returns what the window and the menu need. */
export function createSystemUi({ app, window, resources, log }: SystemUiDeps) {
  const { api } = app
  const run = createCommands(app, window)
  const tray = new AppTray({ resources, log, onCommand: run })
  const image = join(resources, 'tray', 'windows', 'attention-on-light.ico')
  const overlay = { image, description: 'Something needs attention' }
  const notifier = startNotifier({
    api,
    icon: join(resources, 'icons', '256x256.png'),
    clock: systemClock,
    log,
    isLooking: () => window.isFocused,
    open: (view) => window.show(view),
  })
  const stopFollowing = followStatus(api, {
    onStatus(status) {
      tray.update(status)
      window.setBadge({ progress: progressOf(status), overlay: status.attention > 0 ? overlay : null })
      // The dock of macOS and of some Linux desktops.
      electronApp.setBadgeCount(status.attention)
    },
    onOverview: notifier.onOverview,
  })
  return {
    /** Resolves to true if the tray can bring back a hidden window. Never rejects. */
    hasTray: () => tray.isShown(),
    openArchive: () => run({ kind: 'open-archive' }),
    openLogs: () => void openLogs(api),
    saveBundle: () => void saveBundle(api),
    close() {
      stopFollowing()
      notifier.close()
      tray.close()
    },
  }
}

/**
 * Returns a function that runs a command chosen outside the window, and shows a dialog if it fails.
 */
function createCommands(app: App, window: AppWindow): (command: TrayCommand) => void {
  async function call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<void> {
    const answer = await app.api.call(name, input)
    if (!answer.ok) await showCommandFailure(answer.error.message)
  }

  function run(command: TrayCommand): Promise<void> | void {
    switch (command.kind) {
      case 'run':
        return call('sync.now', {})
      case 'stop':
        return call('sync.stop', {})
      case 'pause':
        return call('watch.pause', { length: command.length })
      case 'resume':
        return call('watch.resume', {})
      case 'open-archive':
        return openFolder(app.setupState().archiveFolder)
      case 'show':
        return window.show()
      case 'quit':
        return electronApp.quit()
    }
  }
  return (command) => void run(command)
}

/** Opens a folder in the file manager, and shows a dialog if that fails. */
async function openFolder(path: string): Promise<void> {
  try {
    await access(path).catch((cause: NodeJS.ErrnoException) => {
      // Without the right to enter it, it is there: the file manager says so.
      if (cause.code !== 'ENOENT') return
      throw new AppError('not-found', `${path} is not there. If it is on a drive, connect the drive.`, { cause })
    })
    await systemDesktop.openFolder(path)
  } catch (thrown) {
    await showCommandFailure(toAppError(thrown).message)
  }
}

async function openLogs(api: Api): Promise<void> {
  const answer = (await api.call('app.info', {})) as Answer<CallOutput<'app.info'>>
  if (answer.ok) await openFolder(answer.value.logsFolder)
}

/** Asks where to save a support bundle, and shows the saved file in its folder. */
async function saveBundle(api: Api): Promise<void> {
  const answer = (await api.call('diagnostics.bundle', {})) as Answer<CallOutput<'diagnostics.bundle'>>
  if (!answer.ok) await showCommandFailure(answer.error.message)
  else if (answer.value.kind === 'saved') shell.showItemInFolder(answer.value.file)
}

/** Progress is emitted five times a second; nobody reads a tray or a taskbar that often. */
const emitIntervalMs = 1_000

/** The database counts what needs attention; in a large archive this takes long enough to do it rarely. */
const countIntervalMs = 5_000

/** Events after which the number of things that need attention may have changed. */
const countEvents: ReadonlySet<EventMessage['name']> = new Set<EventMessage['name']>([
  'setup-state',
  'watch-state',
  'sync-state',
  'verify-state',
  'activity',
  'project-synced',
  'sync-failure',
  'finding',
])

/** A failure that is retried by itself raises the badge after an hour, also if nothing else happens. */
const recountMs = 60_000

interface StatusHandlers {
  /** Called with the engine's status, at most once a second. */
  readonly onStatus: (status: AppStatus) => void
  /** Called with each overview that the badge is counted from. */
  readonly onOverview: (overview: CallOutput<'overview'>) => void
}

/** Follows the engine's status. Returns a function that ends it. */
function followStatus(api: Api, { onStatus, onOverview }: StatusHandlers): () => void {
  let status = unknownStatus
  let emitTimer: NodeJS.Timeout | undefined
  let countTimer: NodeJS.Timeout | undefined
  let isEnded = false

  function emitSoon(): void {
    emitTimer ??= setTimeout(() => {
      emitTimer = undefined
      onStatus(status)
    }, emitIntervalMs)
  }

  async function count(): Promise<void> {
    const answer = (await api.call('overview', {})) as Answer<CallOutput<'overview'>>
    if (isEnded) return
    // Without an engine there is nothing to count.
    const attention = answer.ok ? attentionCount(answer.value) : 0
    if (attention !== status.attention) emitSoon()
    status = { ...status, attention }
    if (answer.ok) onOverview(answer.value)
  }

  function countSoon(): void {
    countTimer ??= setTimeout(() => {
      countTimer = undefined
      void count()
    }, countIntervalMs)
  }

  const unsubscribe = api.subscribe((message) => {
    status = afterEvent(status, message)
    emitSoon()
    if (countEvents.has(message.name)) countSoon()
  })
  const recount = setInterval(countSoon, recountMs)
  // At once, because the tray shows nothing yet.
  onStatus(status)
  void count()
  return () => {
    isEnded = true
    unsubscribe()
    clearTimeout(emitTimer)
    clearTimeout(countTimer)
    clearInterval(recount)
  }
}
