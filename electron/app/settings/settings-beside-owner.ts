import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnerFacts } from '../../../shared/contract/owner-facts.ts'
import { AppError } from '../../../shared/errors.ts'
import type { FixableSetting } from '../../../shared/setting-names.ts'
import { isSameFolder } from '../../engine/lib/fs/is-within.ts'
import { normalizeBaseUrl } from '../../engine/service/base-url.ts'
import { findLiveOwner } from '../api/live-owner.ts'
import { otherUserError } from '../api/owner-file.ts'
import { plainText } from '../log/plain-text.ts'
import type { ResolvedSettings } from '../ports.ts'
import type { HostSettings } from './resolve-settings.ts'

/** Time in which an owner describes itself: it opens its database first. */
const maxStartMs = 2_000

/**
 * Returns the settings, with those of the live owner in place of those that nobody set for this command (`fixed`).
 * Throws `wrong-usage` for another archive or another service than the owner's.
 */
export async function settingsBesideOwner(
  settings: HostSettings,
  fixed: readonly FixableSetting[],
): Promise<HostSettings> {
  const { homeFolder } = settings
  // A privileged user can read what belongs to another one, but believes nobody else about where the archive is.
  if (otherUserError(homeFolder) !== undefined) return settings
  const untilMs = performance.now() + maxStartMs
  let owner = findLiveOwner(homeFolder)
  while (owner !== undefined && owner.facts === undefined && performance.now() < untilMs) {
    await sleep(50)
    owner = findLiveOwner(homeFolder)
  }
  const facts = owner?.facts
  if (facts === undefined) return settings
  requireSameAs(facts, settings, fixed)
  return {
    ...settings,
    ...(!fixed.includes('archiveFolder') && { archiveFolder: facts.archiveFolder, archiveSource: 'owner' as const }),
    ...(!fixed.includes('serviceUrl') && { serviceUrl: facts.serviceUrl }),
  }
}

/** Words for a command or the app, and advice, if its settings differ from the owner's. */
const askers = {
  command: { who: 'This command', advice: 'Leave the setting out, or stop that process first.' },
  app: {
    who: 'This app',
    advice:
      'Give the app the same setting, in settings.json or the option or environment variable that sets it, and take ' +
      'over again. Or stop that process first.',
  },
} as const

/** Throws `wrong-usage` if another archive or service was set for a command or the app (`fixed`) than the owner's. */
export function requireSameAs(
  owner: Omit<OwnerFacts, 'key'>,
  settings: ResolvedSettings,
  fixed: readonly FixableSetting[],
  asker: keyof typeof askers = 'command',
): void {
  const otherThan = (mine: string, theirs: string) => {
    const { who, advice } = askers[asker]
    const works = `${describeOwner(owner)} works with ${plainText(theirs)}`
    return new AppError('wrong-usage', `${who} is for ${plainText(mine)}, and ${works}. Nothing was changed. ${advice}`)
  }
  if (fixed.includes('sample') && !owner.useSample) throw otherThan('the sample service', owner.serviceUrl)
  if (fixed.includes('archiveFolder') && !isSameFolder(settings.archiveFolder, owner.archiveFolder)) {
    throw otherThan(`the archive ${settings.archiveFolder}`, owner.archiveFolder)
  }
  if (fixed.includes('serviceUrl') && normalizeBaseUrl(settings.serviceUrl) !== normalizeBaseUrl(owner.serviceUrl)) {
    throw otherThan(`the service ${settings.serviceUrl}`, owner.serviceUrl)
  }
}

/** Returns warnings about limits that were set for a command (`fixed`) whose work the owner does with its own. */
export function limitsWithoutEffect(
  owner: Omit<OwnerFacts, 'key'>,
  settings: HostSettings,
  fixed: readonly FixableSetting[],
): string[] {
  const isUnused = (name: 'apiCallsPerMinute' | 'concurrency') => fixed.includes(name) && settings[name] !== owner[name]
  const unused = [
    ...(isUnused('apiCallsPerMinute') ? ['--api-rate'] : []),
    ...(isUnused('concurrency') ? ['--concurrency'] : []),
  ]
  if (unused.length === 0) return []
  return [`Without effect: ${unused.join(', ')}. The work is done by ${describeOwner(owner)}, with its own settings.`]
}

function describeOwner({ command, pid }: Omit<OwnerFacts, 'key'>): string {
  return `the running Solarchive (${command}, process ${pid})`
}
