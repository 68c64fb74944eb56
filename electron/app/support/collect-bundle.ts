import { existsSync } from 'node:fs'
import type { Clock } from '../../engine/lib/ports.ts'
import type { Redactor } from '../../engine/lib/redact.ts'
import { openSupportView } from '../../engine/catalog/support-facts.ts'
import { environmentSecrets, type HostEnvironment, type StartSettings } from '../settings/resolve-settings.ts'
import { readTokenFile } from '../token/read-token-file.ts'
import { encryptedTokenFile, tokenFile } from '../token/token-reader.ts'
import { environmentFacts, findSettings, type FoundSettings, withCleanTexts } from './environment-facts.ts'
import { type BundleEntry, readLogs } from './read-logs.ts'
import { type AnonymizeContext, anonymizeSetting, anonymizeText } from './anonymize.ts'

export interface BundleSources {
  readonly started: StartSettings
  readonly environment: HostEnvironment
  readonly redactor: Redactor
  readonly clock: Clock
}

/**
 * Returns the files of a support bundle. Works without the engine, and therefore without a token, beside a running
 * Solarchive, and with a damaged or missing database.
 */
export async function collectBundle({ started, environment, redactor, clock }: BundleSources): Promise<BundleEntry[]> {
  const nowMs = clock.nowMs()
  for (const secret of environmentSecrets(environment)) redactor.addSecret(secret)
  const settings = await findSettings(started, environment)
  const fromFile = await readTokenFile(tokenFile(settings.homeFolder), environment.platform)
  if (fromFile.kind === 'token') redactor.addSecret(fromFile.token)
  // The log shows whether the keychain can decrypt it.
  const isInKeychain = existsSync(encryptedTokenFile(settings.homeFolder))
  const hasToken = settings.hasToken || fromFile.kind === 'token' || isInKeychain
  const view = openSupportView(settings.homeFolder)
  try {
    const context: AnonymizeContext = {
      archiveFolder: settings.effective?.archiveFolder,
      homeFolder: settings.homeFolder,
      userFolder: environment.userFolder,
      redactText: (text) => redactor.redactText(text),
      withoutNames: rememberAnswers((text) => view.withoutNames(text), '[…]'),
    }
    const json = (name: string, value: unknown): BundleEntry => ({
      name,
      text: `${JSON.stringify(redactor.redactJson(value), null, 2)}\n`,
    })
    const facts = await environmentFacts(settings.homeFolder, settings.effective?.archiveFolder, nowMs)
    return [
      { name: 'README.txt', text: bundleReadme },
      json('environment.json', facts),
      json('settings.json', describeSettings({ ...settings, hasToken }, context)),
      json('status.json', view.facts),
      ...(await readLogs(settings.homeFolder, context)),
    ]
  } finally {
    view.close()
  }
}

/** Returns a name like `solarchive-support-2026-05-17T08-30-00Z.zip`, without colons, which Windows does not allow. */
export function bundleName(nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-')
  return `solarchive-support-${time}Z.zip`
}

function describeSettings({ file, remarks, effective, hasToken }: FoundSettings, context: AnonymizeContext): unknown {
  const clean = (text: string) => anonymizeSetting(text, context)
  // Saved searches are names and addresses of customers; hooks have secrets, and paths of programs.
  const { savedSearches, hooks, ...others } = file ?? {}
  const shared = {
    ...others,
    ...(savedSearches !== undefined && { savedSearches: savedSearches.length }),
    ...(hooks !== undefined && {
      hooks: hooks.map(({ isOn, events, target }) => ({ isOn, events, kind: target.kind })),
    }),
  }
  return {
    settingsFile: withCleanTexts(file === undefined ? null : shared, clean),
    effective: withCleanTexts(effective ?? null, clean),
    hasToken,
    remarks: remarks.map((remark) => anonymizeText(remark, context)),
  }
}

/** More than the distinct sentences of any log. Each new text takes a tenth of a second with the largest database. */
const maxTexts = 300

/**
 * Returns a memoized `ask`, because logs repeat few texts often. After `maxTexts` distinct texts it returns `beyond`:
 * looking each of them up would take minutes.
 */
function rememberAnswers<T>(ask: (text: string) => T, beyond: T): (text: string) => T {
  const answers = new Map<string, { readonly answer: T }>()
  return (text) => {
    const known = answers.get(text)
    if (known !== undefined) return known.answer
    if (answers.size >= maxTexts) return beyond
    const answer = ask(text)
    answers.set(text, { answer })
    return answer
  }
}

const bundleReadme = `Solarchive support bundle

Created by "solarchive support-bundle" for the people who help to find out what went wrong. It stays on this machine
until someone sends it.

  environment.json   versions, operating system, free disk space, times
  settings.json      the contents of settings.json and the settings in effect; whether a token is set, never the token
  status.json        projects, checklists, and jobs by their IDs: statuses, counts, reasons, times; database health
  logs/              the log, one JSON object a line, the newest in solarchive.log

Not included: the access token, links to files, names and addresses of projects, titles of checklists, labels of
questions, names of photo files, locations, photos, and reports. In the log, any text other than Solarchive's own
sentences, IDs, and numbers is replaced by [removed], and paths and names in sentences by [...] or [name]. The home
folder of the user is shown as ~.

The IDs are the service's: only people with an account there can find a project by them.
`
