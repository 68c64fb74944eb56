import { join, resolve } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { runPass } from './commands/sync-command.ts'
import { exitCodeOfSync } from './exit-codes.ts'
import { isUpstream } from './report/checklist-gaps.ts'
import { describeStart } from './report/describe-start.ts'
import { runHost } from './run-host.ts'
import type { HeadlessSettings } from './settings/resolve-settings.ts'
import { withSession } from './with-session.ts'

/** `sample/` of the clone: git ignores it. */
const sampleFolderOfClone = resolve(import.meta.dirname, '..', '..', 'sample')

/** The first steps: archives the sample service's projects into `archive` of the folder and tells what to do next. */
export async function start(
  args: readonly string[] = process.argv.slice(2),
  sampleFolder = sampleFolderOfClone,
): Promise<void> {
  await runHost({ json: false, quiet: false }, async ({ surroundings, output, redactor, signal }) => {
    if (args.length > 0) {
      throw new AppError(
        'wrong-usage',
        '"npm start" takes no options. All commands and their options: npm run --silent cli -- --help',
      )
    }
    const archiveFolder = join(sampleFolder, 'archive')
    const settings: HeadlessSettings = {
      // The sample service tells its own address and token once it listens.
      serviceUrl: '',
      accessToken: undefined,
      useSample: true,
      homeFolder: join(sampleFolder, 'data'),
      archiveFolder,
      // The limit of the real service would only make a person wait here.
      apiCallsPerMinute: 0,
    }
    output.printLines([
      'Archiving the projects of the embedded sample service (made-up sites, nothing leaves this machine) into',
      `  ${archiveFolder}`,
      '',
    ])
    const exitCode = await withSession({ settings, output, redactor, signal }, async (session) => {
      const { report, gaps } = await runPass(session)
      const status = await session.engine.status()
      const { platform } = surroundings
      output.printLines(describeStart({ report, status, gaps, archiveFolder, platform }, output.paint))
      // What the service does not have yet is no failure of these first steps.
      return exitCodeOfSync(
        report,
        gaps.filter((gap) => !isUpstream(gap)),
      )
    })
    return { exitCode, endsByStop: false }
  })
}
