import { resolve } from 'node:path'
import { exitCodes } from '../../shared/error-policy.ts'
import { AppError, toAppError } from '../../shared/errors.ts'
import { formatBytes } from '../../shared/format.ts'
import { whyUnreadable } from '../app/api/owner-file.ts'
import { hookSecrets } from '../app/hooks/hook-settings.ts'
import { nestingWarning } from '../app/settings/archive-folder.ts'
import {
  environmentSecrets,
  fixedSettings,
  resolveHomeFolder,
  resolveSettings,
  unencryptedWarning,
} from '../app/settings/resolve-settings.ts'
import { settingsBesideOwner } from '../app/settings/settings-beside-owner.ts'
import { readSettingsFile } from '../app/settings/settings-file.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { type GlobalFlags, readFlags } from './flags.ts'
import type { Outcome } from './output/console-output.ts'
import type { Host } from './run-host.ts'
import type { SessionOf } from './session.ts'

interface CommandRun<Kind extends keyof SessionOf> {
  readonly kind: Kind
  readonly flags: GlobalFlags
  /** First word of the command. */
  readonly command: string
}

/** Opens a session with the settings of the flags, the environment, and the data folder, and uses it. */
export async function runCommand<Kind extends keyof SessionOf>(
  host: Host,
  { kind, flags, command }: CommandRun<Kind>,
  use: (session: SessionOf[Kind]) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const { environment, output, redactor } = host
  for (const secret of environmentSecrets(environment)) redactor.addSecret(secret)
  const started = readFlags(flags)
  const homeFolder = resolveHomeFolder(started, environment)
  const { settings: file, warnings } = await readSettingsFile(homeFolder).catch((thrown: unknown) => {
    throw whyUnreadable(homeFolder) ?? thrown
  })
  for (const warning of warnings) output.warn(warning)
  const callsService = kind === 'changing' || kind === 'owning'
  const settings = resolveSettings(started, environment, file, { callsService })
  const warning = await nestingWarning(settings, environment)
  if (warning !== undefined) output.warn(warning)
  const fixed = fixedSettings(started, environment)
  const unencrypted = fixed.includes('serviceUrl') ? undefined : unencryptedWarning(settings)
  if (unencrypted !== undefined) output.warn(unencrypted)
  if (settings.useSample && environment.env['SOLARCHIVE_URL']) {
    output.note('SOLARCHIVE_URL has no effect with --sample, which has a service of its own.')
  }
  // A support bundle does without the engine.
  const { sessions } = await import('./open-session.ts')
  // The sample's events are nobody's business.
  const hooks = settings.useSample ? [] : (file.hooks ?? [])
  for (const secret of hookSecrets(hooks)) redactor.addSecret(secret)
  const requireConsent = () => void resolveSettings(started, environment, file)
  return sessions[kind]({ ...host, settings, fixed, hooks, command, requireConsent }, async (session) => use(session))
}

/** `evidence verify`. `path` is relative to the current folder. Reads neither data folder nor token. */
export async function checkEvidence(
  { environment, output, signal }: Host,
  flags: GlobalFlags,
  path: string | undefined,
): Promise<Outcome> {
  const { verifyEvidenceCommand } = await import('./commands/evidence.ts')
  if (path?.trim() === '') throw new AppError('wrong-usage', 'PATH needs the name of a folder.')
  const folder =
    path === undefined ? await archiveFolderOf(flags, environment) : resolve(environment.currentFolder, path)
  return verifyEvidenceCommand(folder, { output, signal })
}

/** Returns the archive folder of the settings. */
async function archiveFolderOf(flags: GlobalFlags, environment: Host['environment']): Promise<string> {
  const started = readFlags(flags)
  const { settings: file } = await readSettingsFile(resolveHomeFolder(started, environment))
  const settings = resolveSettings(started, environment, file, { callsService: false })
  return (await settingsBesideOwner(settings, fixedSettings(started, environment))).archiveFolder
}

/** `support-bundle`. `outputFile` is relative to the current folder. Throws `wrong-usage` if it cannot be written. */
export async function supportBundle(
  { environment, redactor }: Host,
  flags: GlobalFlags,
  outputFile: string | undefined,
): Promise<Outcome> {
  const sources = { started: readFlags(flags), environment, redactor, clock: systemClock }
  if (outputFile?.trim() === '') throw new AppError('wrong-usage', '--output needs a file name.')
  const { bundleName, collectBundle } = await import('../app/support/collect-bundle.ts')
  const { writeZip } = await import('../app/support/write-zip.ts')
  const nowMs = sources.clock.nowMs()
  const file = resolve(sources.environment.currentFolder, outputFile ?? bundleName(nowMs))
  const entries = await collectBundle(sources)
  const sizeBytes = await writeZip(file, entries, nowMs).catch((thrown: unknown) => {
    const { code, message, cause } = toAppError(thrown)
    throw new AppError(code, `${message} --output sets the file name.`, { cause })
  })
  return {
    exitCode: exitCodes.done,
    document: { file, files: entries.map(({ name }) => name), sizeBytes },
    answer: [
      `The support bundle is ${file} (${formatBytes(sizeBytes)}).`,
      'It contains logs, settings, and status, without token, links, names, and addresses. Review it before you send ' +
        'it.',
    ],
  }
}
