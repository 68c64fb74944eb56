// Runs the sample service until it is interrupted.
import { type CommandLine, readCommandLine, usage } from './command-line.ts'
import { startSampleService } from './start-sample-service.ts'

async function run({ options, faults, json }: CommandLine): Promise<void> {
  const service = await startSampleService(options)
  for (const rule of faults) service.faults.add(rule)
  const { url, filesUrl, token, projects } = service
  if (json) {
    process.stdout.write(`${JSON.stringify({ url, filesUrl, token, projectIds: projects.map(({ id }) => id) })}\n`)
  } else {
    const list = projects.map(({ id, name, address }) => `  ${id}  ${name}, ${address}`)
    process.stdout.write(`API      ${url}\nFiles    ${filesUrl}\nToken    ${token}\nProjects\n${list.join('\n')}\n`)
  }
  let isStopping = false
  const stop = (): void => {
    // Ctrl+C arrives from the terminal and once more from the parent process that passes it on.
    if (isStopping) return
    isStopping = true
    void service.close().then(() => process.exit(0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  // The parent process (scripts/run.mjs) died without passing a signal on.
  process.on('disconnect', stop)
  process.channel?.unref()
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!('code' in error && 'port' in error && error.code === 'EADDRINUSE')) return error.message
  const advice = 'Choose another with --port or --files-port; without them, any free one is used.'
  return `Port ${String(error.port)} is in use. ${advice}`
}

try {
  const commandLine = readCommandLine(process.argv.slice(2))
  if (commandLine.help) process.stdout.write(usage)
  else await run(commandLine)
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 2
}
