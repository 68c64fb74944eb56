import { setTimeout as sleep } from 'node:timers/promises'
import type { OwnerFacts } from '../../../shared/contract/owner-facts.ts'
import { AppError } from '../../../shared/errors.ts'
import type { FixableSetting } from '../../../shared/setting-names.ts'
import { normalizeBaseUrl } from '../../engine/service/base-url.ts'
import { findLiveOwner } from '../api/live-owner.ts'
import { otherUserError } from '../api/owner-file.ts'
import { plainText } from '../log/plain-text.ts'
import type { HostSettings } from './resolve-settings.ts'

/** Time in which an owner describes itself: it opens its database first. */
const maxStartMs = 2_000

/** Returns the settings, with those of the live owner in place of those that nobody set for this command (`fixed`). */
export async function settingsBesideOwner(
  settings: HostSettings,
  fixed: readonly FixableSetting[],
): Promise<HostSettings> {
  const { homeFolder } = settings
  // A privileged user can read what belongs to another one, but believes nobody else about where the archive is.
  if (otherUserError(homeFolder) !== undefined) return settings
  const untilMs = performance.now() + (fixed.includes('archiveFolder') ? 0 : maxStartMs)
  let owner = findLiveOwner(homeFolder)
  while (owner !== undefined && owner.facts === undefined && performance.now() < untilMs) {
    await sleep(50)
    owner = findLiveOwner(homeFolder)
  }
  const facts = owner?.facts
  if (facts === undefined) return settings
  return {
    ...settings,
    ...(!fixed.includes('archiveFolder') && { archiveFolder: facts.archiveFolder, archiveSource: 'owner' as const }),
    ...(!fixed.includes('serviceUrl') && { serviceUrl: facts.serviceUrl }),
  }
}

/**
 * Compares the settings that were set for a command (`fixed`) with those of the process that does its work. Returns
 * warnings about those that have no effect. Throws `wrong-usage` for another archive or another service.
 */
export function compareWithOwner(
  settings: HostSettings,
  fixed: readonly FixableSetting[],
  owner: Omit<OwnerFacts, 'key'>,
): string[] {
  const who = `the running Solarchive (${owner.command}, process ${owner.pid})`
  const isFixed = (name: FixableSetting) => fixed.includes(name)
  if (isFixed('sample') && !owner.useSample) throw otherThan('the sample service', owner.serviceUrl, who)
  if (isFixed('archiveFolder') && settings.archiveFolder !== owner.archiveFolder) {
    throw otherThan(`the archive ${settings.archiveFolder}`, owner.archiveFolder, who)
  }
  if (isFixed('serviceUrl') && normalizeBaseUrl(settings.serviceUrl) !== normalizeBaseUrl(owner.serviceUrl)) {
    throw otherThan(`the service ${settings.serviceUrl}`, owner.serviceUrl, who)
  }
  const unused = [
    isFixed('apiCallsPerMinute') && settings.apiCallsPerMinute !== owner.apiCallsPerMinute ? ['--api-rate'] : [],
    isFixed('concurrency') && settings.concurrency !== owner.concurrency ? ['--concurrency'] : [],
  ].flat()
  if (unused.length === 0) return []
  return [`Without effect: ${unused.join(', ')}. The work is done by ${who}, with its own settings.`]
}

function otherThan(mine: string, theirs: string, who: string): AppError {
  return new AppError(
    'wrong-usage',
    `This command is for ${plainText(mine)}, and ${who} works with ${plainText(theirs)}. Nothing was changed. Leave ` +
      'the setting out, or stop that process first.',
  )
}
