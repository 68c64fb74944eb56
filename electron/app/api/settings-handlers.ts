import type { NativeMenu } from '../../../shared/contract/calls.ts'
import { AppError } from '../../../shared/errors.ts'
import type { StartAtLogin } from '../../../shared/settings.ts'
import type { Desktop, LoginItem } from '../../engine/lib/ports.ts'
import { chooseFolder } from '../settings/archive-folder.ts'
import type { RecordAction } from '../settings/settings-activity.ts'
import type { Handlers, HandlersDeps } from './handlers.ts'

/** Returns the handlers of the calls that need no engine: setup, settings, token, menus, and the app itself. */
export function createSettingsHandlers(deps: HandlersDeps) {
  const { source, ports, configuration, changer, queue, setupState, takeOver, testConnection, recordAction } = deps
  return {
    'app.info': () => ({
      ...ports.appInfo,
      homeFolder: source.homeFolder,
      canShowFiles: ports.desktop !== undefined,
      canChooseFolders: ports.desktop?.chooseFolder !== undefined,
    }),
    'setup.state': setupState,
    'setup.complete': async (input) => {
      await queue.run(() => changer.complete(input))
      return setupState()
    },
    'setup.useSample': async () => {
      await queue.run(() => changer.useSample())
      return setupState()
    },
    'owner.takeOver': async () => {
      await queue.run(takeOver)
      return setupState()
    },
    'connection.test': testConnection,
    'folders.choose': ({ from }) => chooseFolder(ports.desktop, from, source.userFolder),
    'menu.show': (menu) => showMenu(ports.desktop, menu),
    'settings.get': () => configuration.settings,
    'settings.save': async (patch) => {
      await queue.run(() => changer.save(patch))
      return configuration.settings
    },
    'token.save': async (input) => {
      const serviceUrl = await changer.requireAccepted(input.token)
      await queue.run(() => changer.saveToken(input, serviceUrl))
      return setupState()
    },
    'diagnostics.bundle': () => ports.deliverBundle(),
    'startAtLogin.get': () => readLoginItem(ports.loginItem),
    'startAtLogin.set': ({ isOn }) => setLoginItem(ports.loginItem, isOn, recordAction),
  } satisfies Partial<Handlers>
}

async function showMenu(desktop: Desktop | undefined, menu: NativeMenu): Promise<{ readonly chosen: number | null }> {
  if (desktop?.showMenu === undefined) {
    throw new AppError('wrong-usage', 'Only the app window has native menus. Nothing was chosen.')
  }
  return { chosen: await desktop.showMenu(menu) }
}

async function readLoginItem(item: LoginItem | undefined): Promise<StartAtLogin> {
  return { canChange: item !== undefined, isOn: (await item?.isOn()) ?? false }
}

/** Returns the system's setting after the change. Throws `wrong-usage` if the host cannot start at login. */
async function setLoginItem(
  item: LoginItem | undefined,
  isOn: boolean,
  recordAction: RecordAction,
): Promise<StartAtLogin> {
  if (item === undefined && isOn) {
    throw new AppError('wrong-usage', 'Only the installed app can start when you log in. Nothing was changed.')
  }
  const before = await readLoginItem(item)
  await item?.set(isOn)
  const after = await readLoginItem(item)
  if (after.isOn !== before.isOn) {
    const changes = [{ setting: 'startAtLogin' as const, from: before.isOn, to: after.isOn }]
    recordAction({ kind: 'settings-changed', facts: { changes } })
  }
  return after
}
