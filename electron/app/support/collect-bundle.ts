import { existsSync } from 'node:fs'
import type { Clock } from '../../engine/lib/ports.ts'
import type { Redactor } from '../../engine/lib/redact.ts'
import { openSupportView } from '../../engine/catalog/support-facts.ts'
import type { HostEnvironment, StartSettings } from '../settings/resolve-settings.ts'
import { encryptedTokenFile } from '../token/keychain-tokens.ts'
import { readTokenFile } from '../token/read-token-file.ts'
import { tokenFile } from '../token/token-source.ts'
import { environmentFacts } from './environment-facts.ts'
import { type BundleEntry, readLogs } from './read-logs.ts'
import { type ScrubContext, scrubSetting, scrubText } from './scrub.ts'
import { findSettings, type FoundSettings, withCleanTexts } from './settings-facts.ts'

export interface BundleSources {
  readonly started: StartSettings
  readonly environment: HostEnvironment
  readonly redactor: Redactor
  readonly clock: Clock
}

/**
 * What goes into a support bundle. Works without the engine, so also without a token, beside a running Solarchive and
 * with a database that is damaged or absent.
 */
export async function collectBundle({ started, environment, redactor, clock }: BundleSources): Promise<BundleEntry[]> {
  const nowMs = clock.nowMs()
  redactor.addSecret(environment.env['SOLARCHIVE_TOKEN'] ?? '')
  const settings = await findSettings(started, environment)
  const fromFile = await readTokenFile(tokenFile(settings.homeFolder), environment.platform)
  if (fromFile.kind === 'token') redactor.addSecret(fromFile.token)
  // Encrypted, whether this machine's keychain opens it is told by the log.
  const isInKeychain = existsSync(encryptedTokenFile(settings.homeFolder))
  const hasToken = settings.hasToken || fromFile.kind === 'token' || isInKeychain
  const view = openSupportView(settings.homeFolder)
  try {
    const context: ScrubContext = {
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

/** `solarchive-support-2026-05-17T08-30-00Z.zip`: no colons, which Windows does not allow. */
export function bundleName(nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '-')
  return `solarchive-support-${time}Z.zip`
}

function describeSettings({ file, remarks, effective, hasToken }: FoundSettings, context: ScrubContext): unknown {
  const clean = (text: string) => scrubSetting(text, context)
  return {
    settingsFile: withCleanTexts(file ?? null, clean),
    effective: withCleanTexts(effective ?? null, clean),
    hasToken,
    remarks: remarks.map((remark) => scrubText(remark, context)),
  }
}

/** What a log of Solarchive's own sentences never reaches; each new text costs a tenth of a second on the largest database. */
const maxTexts = 300

/**
 * A function that asks once for each text, because a log says few things often. Of more texts than that it answers
 * `beyond`: looking each of them up would take minutes.
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

/** What the zip says about itself. */
const bundleReadme = `Solarchive support bundle

Made by "solarchive support-bundle" for whoever helps to find out what went wrong. It stays on this machine until
somebody sends it on.

  environment.json   versions, operating system, free disk space, times
  settings.json      what settings.json holds and what Solarchive works with; whether a token is set, never the token
  status.json        projects, checklists and jobs by their ids: statuses, counts, reasons, times; the database's health
  logs/              the log, one JSON object a line, the newest in solarchive.log

What is not in it: the access token, links to files, names and addresses of projects, titles of checklists, labels of
questions, names of photo files, places, photos and reports. Where the log held other text than Solarchive's own
sentences, ids and numbers, it reads [removed], and paths and names in sentences read [...] or [name]. The name of the
folder of the person who runs Solarchive is ~.

The ids are the service's: together with an account there they lead to a project, without one they tell nothing.
`
