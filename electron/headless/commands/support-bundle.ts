import { resolve } from 'node:path'
import { exitCodes } from '../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { formatBytes } from '../../../shared/format.ts'
import { bundleName, type BundleSources, collectBundle } from '../../app/support/collect-bundle.ts'
import { writeZip } from '../../app/support/write-zip.ts'
import type { Outcome } from '../output/console-output.ts'

export interface SupportBundleOptions extends BundleSources {
  /** Path as the person wrote it, relative to the current folder. */
  readonly outputFile: string | undefined
}

/** `support-bundle`. Throws `wrong-usage` if the zip cannot be written. */
export async function supportBundleCommand({ outputFile, ...sources }: SupportBundleOptions): Promise<Outcome> {
  if (outputFile?.trim() === '') throw new AppError('wrong-usage', '--output needs a file name.')
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
