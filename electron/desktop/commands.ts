import { dialog } from 'electron'
import type { CallInput } from '../../shared/contract.ts'
import type { CallName } from '../../shared/channel-names.ts'
import { toAppError } from '../../shared/errors.ts'
import type { Installation } from '../app/create-installation.ts'
import type { Desktop } from '../engine/lib/ports.ts'
import type { TrayCommand } from './tray/tray-menu.ts'

export interface CommandParts {
  readonly installation: Pick<Installation, 'bridge' | 'setupState'>
  readonly files: Pick<Desktop, 'openFolder'>
  readonly show: () => void
  readonly quit: () => void
}

/** What a person chooses outside the window, where nothing else would tell that it did not work: a message box does. */
export function createCommands({ installation, files, show, quit }: CommandParts) {
  async function call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<void> {
    const answer = await installation.bridge.call(name, input)
    if (!answer.ok) await tell(answer.error.message)
  }

  async function openArchive(): Promise<void> {
    try {
      await files.openFolder(installation.setupState().archiveFolder)
    } catch (thrown) {
      await tell(toAppError(thrown).message)
    }
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
        return openArchive()
      case 'show':
        return show()
      case 'quit':
        return quit()
    }
  }

  return { run: (command: TrayCommand): void => void run(command), openArchive: (): void => void openArchive() }
}

async function tell(detail: string): Promise<void> {
  await dialog.showMessageBox({ type: 'warning', title: 'Solarchive', message: 'That did not work', detail })
}
