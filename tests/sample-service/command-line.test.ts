import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { readCommandLine, usage } from '../../electron/sample-service/command-line.ts'
import { routeNames } from '../../electron/sample-service/http/routes.ts'
import { shapePresets } from '../../electron/sample-service/http/response-shapes.ts'

test('flags become options, shapes, and faults', () => {
  const { options, faults, json } = readCommandLine([
    '--projects',
    '7',
    '--photo-bytes',
    '20000',
    '--status',
    'completed',
    '--seed',
    'x',
    '--shape',
    'wrapped',
    '--shape',
    'reportLink=pdf',
    '--json',
    '--fault',
    'photo:status,status=503,count=2,skip=1',
    '--fault',
    'media:redirect,to=http://x/?a=b',
  ])
  expect(options).toEqual({
    projects: 7,
    photoBytes: 20_000,
    statuses: ['completed'],
    seed: 'x',
    shapes: { ...shapePresets.wrapped, reportLink: 'pdf' },
  })
  expect(faults).toEqual([
    { route: 'photo', count: 2, skip: 1, fault: { kind: 'status', status: 503 } },
    { route: 'media', fault: { kind: 'redirect', to: 'http://x/?a=b' } },
  ])
  expect(json).toBe(true)
})

test('the help names every route and kind of fault', () => {
  const named = (names: string) => names.trim().split(/,\s+/)
  const [, routes = '', kinds = ''] = /ROUTE {2,}([^(]*)\(api and files.*?KIND {2,}(.*?)name=value/s.exec(usage) ?? []
  expect(named(routes)).toEqual([...routeNames.filter((name) => name !== 'unknown'), 'api', 'files'])
  expect(named(kinds).length).toBeGreaterThan(5)
  for (const kind of named(kinds)) {
    for (const route of named(routes)) expect(readCommandLine(['--fault', `${route}:${kind}`]).faults).toHaveLength(1)
  }
})

test.each([
  ['--projects', 'many'],
  ['--shape', 'round'],
  ['--fault', 'photo'],
  ['--fault', 'photo:explode'],
  ['--status', 'done'],
  ['--nonsense', '1'],
])('%s %s is refused', (...args) => {
  expect(() => readCommandLine(args)).toThrow()
})

test('it runs standalone, serves, and stops on SIGTERM', async () => {
  const main = fileURLToPath(new URL('../../electron/sample-service/main.ts', import.meta.url))
  const child = spawn(process.execPath, [main, '--json', '--projects', '2'], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const { url, token, projectIds } = JSON.parse(line) as { url: string; token: string; projectIds: string[] }
  expect(projectIds).toHaveLength(2)
  const response = await fetch(`${url}/api/v1/checklist/${projectIds[0]}?access_token=${token}`)
  expect(response.status).toBe(200)

  const { port } = new URL(url)
  const { status, stderr } = spawnSync(process.execPath, [main, '--port', port], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringContaining(`Port ${port} is in use. Choose another`)])

  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number | null]
  expect(code).toBe(0)
})
