import { resolve } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../../engine/ports.ts'
import type { Redactor } from '../../engine/redact.ts'
import { openSupportView } from '../../engine/support-facts.ts'
import { exitCodes } from '../exit-codes.ts'
import { formatBytes } from '../format/format-bytes.ts'
import type { Outcome } from '../output/outcome.ts'
import type { Surroundings } from '../settings/default-folders.ts'
import type { GlobalFlags } from '../settings/resolve-settings.ts'
import { bundleReadme } from '../support/bundle-readme.ts'
import { environmentFacts } from '../support/environment-facts.ts'
import { type BundleEntry, readLogs } from '../support/read-logs.ts'
import { rememberAnswers } from '../support/remember-answers.ts'
import { type ScrubContext, scrubSetting, scrubText } from '../support/scrub-text.ts'
import { findSettings, type FoundSettings, withCleanTexts } from '../support/settings-facts.ts'
import { writeZip } from '../support/write-zip.ts'
import { readTokenFile } from '../token/read-token-file.ts'
import { tokenFile } from '../token/token-source.ts'

export interface SupportBundleOptions {
  readonly flags: GlobalFlags
  /** As the person wrote it; relative to the current folder. */
  readonly outputFile: string | undefined
  readonly surroundings: Surroundings
  readonly redactor: Redactor
  readonly clock: Clock
}

/**
 * `support-bundle`: works without the engine, so also without a token, beside a running Solarchive and with a database
 * that is damaged or absent. Throws `wrong-usage` when the zip cannot be written.
 */
export async function supportBundleCommand(options: SupportBundleOptions): Promise<Outcome> {
  const { flags, outputFile, surroundings, redactor, clock } = options
  if (outputFile?.trim() === '') throw new AppError('wrong-usage', '--output needs the name of a file.')
  const nowMs = clock.nowMs()
  const file = resolve(surroundings.currentFolder, outputFile ?? defaultName(nowMs))
  redactor.addSecret(surroundings.env['SOLARCHIVE_TOKEN'] ?? '')
  const settings = await findSettings(flags, surroundings)
  const fromFile = await readTokenFile(tokenFile(settings.homeFolder), surroundings.platform)
  if (fromFile.kind === 'token') redactor.addSecret(fromFile.token)
  const hasToken = settings.hasToken || fromFile.kind === 'token'
  const view = openSupportView(settings.homeFolder)
  try {
    const context: ScrubContext = {
      archiveFolder: settings.effective?.archiveFolder,
      homeFolder: settings.homeFolder,
      userFolder: surroundings.userFolder,
      redactText: (text) => redactor.redactText(text),
      withoutNames: rememberAnswers((text) => view.withoutNames(text), '[…]'),
    }
    const json = (name: string, value: unknown): BundleEntry => ({
      name,
      text: `${JSON.stringify(redactor.redactJson(value), null, 2)}\n`,
    })
    const environment = await environmentFacts(settings.homeFolder, settings.effective?.archiveFolder, nowMs)
    const entries = [
      { name: 'README.txt', text: bundleReadme },
      json('environment.json', environment),
      json('settings.json', describeSettings({ ...settings, hasToken }, context)),
      json('status.json', view.facts),
      ...(await readLogs(settings.homeFolder, context)),
    ]
    const sizeBytes = await writeZip(file, entries, nowMs)
    return {
      exitCode: exitCodes.done,
      document: { file, files: entries.map(({ name }) => name), sizeBytes },
      answer: [
        `The support bundle is ${file} (${formatBytes(sizeBytes)}).`,
        'It holds logs, settings and status, without the token, links, names and addresses. Look into it before you send it.',
      ],
    }
  } finally {
    view.close()
  }
}

/** `solarchive-support-2026-05-17T08-30-00Z.zip`: no colons, which Windows does not allow. */
function defaultName(nowMs: number): string {
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
