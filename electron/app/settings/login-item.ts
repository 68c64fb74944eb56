import { AppError } from '../../../shared/errors.ts'
import type { StartAtLogin } from '../../../shared/settings.ts'
import type { LoginItem } from '../../engine/lib/ports.ts'

export async function readLoginItem(item: LoginItem | undefined): Promise<StartAtLogin> {
  return { canChange: item !== undefined, isOn: (await item?.isOn()) ?? false }
}

/** Answers what the system says then. Throws `wrong-usage` for on where there is none, and what the host's throws. */
export async function setLoginItem(item: LoginItem | undefined, isOn: boolean): Promise<StartAtLogin> {
  if (item === undefined && isOn) {
    throw new AppError('wrong-usage', 'Only the installed app can start when you log in. Nothing was changed.')
  }
  await item?.set(isOn)
  return readLoginItem(item)
}
