import { app, Menu } from 'electron'
import { join } from 'node:path'
import type { Installation } from '../app/create-installation.ts'
import type { Log } from '../engine/lib/ports.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { createCommands } from './commands.ts'
import { fileManager } from './file-manager.ts'
import { appMenu } from './menu/app-menu.ts'
import { startNotifier } from './notifications/notifier.ts'
import type { AppStatus } from './status/app-status.ts'
import { followStatus } from './status/follow-status.ts'
import { progressOf } from './status/progress-of.ts'
import { AppTray } from './tray/app-tray.ts'
import type { AppWindow } from './window/app-window.ts'

export interface OutsideParts {
  readonly installation: Installation
  readonly window: AppWindow
  /** Absolute path of the folder with icons and tray images. */
  readonly resources: string
  readonly log: Log
}

/** What a person sees of Solarchive without its window. */
export interface Outside {
  /** Whether the tray shows it, so that a window that is hidden is found again. Never rejects. */
  hasTray(): Promise<boolean>
  close(): void
}

/** Puts Solarchive into the tray, the taskbar, the menus and the notifications, as the engine is at each moment. */
export function showOutside({ installation, window, resources, log }: OutsideParts): Outside {
  const commands = createCommands({
    ...{ installation, files: fileManager },
    show: () => window.show(),
    quit: () => app.quit(),
  })
  const tray = new AppTray({ resources, log, onCommand: (command) => commands.run(command) })
  const actions = {
    open: (view: string) => window.show(view),
    openArchive: () => commands.openArchive(),
    quit: () => app.quit(),
  }
  const { platform } = process
  Menu.setApplicationMenu(Menu.buildFromTemplate(appMenu({ platform, isPackaged: app.isPackaged }, actions)))

  const image = join(resources, 'tray', 'windows', 'attention-on-light.ico')
  const sign = { image, description: 'Something needs attention' }
  const stopFollowing = followStatus(installation.bridge, (status: AppStatus) => {
    tray.tell(status)
    window.setBadge({ progress: progressOf(status), sign: status.attention > 0 ? sign : null })
    // The dock of macOS and some of Linux.
    app.setBadgeCount(status.attention)
  })
  const stopNotifying = startNotifier({
    ...{ bridge: installation.bridge, icon: join(resources, 'icons', '256x256.png'), clock: systemClock, log },
    isLooking: () => window.isFocused,
    open: (view) => window.show(view),
  })
  return {
    hasTray: () => tray.isThere(),
    close() {
      stopNotifying()
      stopFollowing()
      tray.close()
    },
  }
}
