import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const rules = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
  forbidden: IForbiddenRuleType[]
  options: ICruiseOptions
}

/** [importing file, imported module, rule that forbids it] */
const forbiddenImports: readonly (readonly [from: string, to: string, rule: string])[] = [
  ['shared/orders.ts', 'commander', 'shared-imports-zod-only'],
  ['shared/orders.ts', 'node:path', 'shared-imports-zod-only'],
  ['shared/orders.ts', '../electron/engine/engine.ts', 'shared-imports-zod-only'],
  ['electron/engine/sync/pass.ts', '../../sample-service/server.ts', 'engine-imports-shared-node-npm'],
  ['electron/engine/sync/pass.ts', '../../headless/main.ts', 'engine-imports-shared-node-npm'],
  ['electron/engine/sync/pass.ts', '../../desktop/window.ts', 'engine-imports-shared-node-npm'],
  ['electron/engine/sync/pass.ts', '../../../renderer/main.ts', 'engine-imports-shared-node-npm'],
  ['electron/engine/sync/pass.ts', 'electron', 'electron-only-in-desktop-and-preload'],
  ['electron/headless/main.ts', 'electron', 'electron-only-in-desktop-and-preload'],
  ['renderer/main.ts', 'electron', 'electron-only-in-desktop-and-preload'],
  ['electron/sample-service/server.ts', '../engine/lib/ports.ts', 'sample-service-imports-node-npm'],
  ['electron/sample-service/server.ts', '../../shared/errors.ts', 'sample-service-imports-node-npm'],
  ['electron/app/create-app.ts', '../engine/store/projects.ts', 'app-imports-engine-entry-shared-node-npm'],
  ['electron/app/create-app.ts', '../headless/main.ts', 'app-imports-engine-entry-shared-node-npm'],
  ['electron/engine/sync/pass.ts', '../../app/create-app.ts', 'engine-imports-shared-node-npm'],
  ['electron/headless/main.ts', '../engine/sync/pass.ts', 'hosts-use-the-engine-by-its-entry'],
  ['electron/desktop/window.ts', '../engine/store/projects.ts', 'hosts-use-the-engine-by-its-entry'],
  ['electron/desktop/window.ts', '../headless/main.ts', 'desktop-imports-app-sample-shared-electron'],
  ['electron/headless/main.ts', '../desktop/window.ts', 'headless-imports-app-sample-shared-node'],
  ['electron/headless/main.ts', '../../renderer/main.ts', 'headless-imports-app-sample-shared-node'],
  ['electron/entry/main.ts', '../engine/create-engine.ts', 'entry-imports-hosts-and-electron'],
  ['electron/preload/bridge.ts', '../../shared/errors.ts', 'preload-imports-electron-and-channel-names'],
  ['electron/preload/bridge.ts', 'node:fs', 'preload-imports-electron-and-channel-names'],
  ['electron/preload/bridge.ts', 'zod', 'preload-never-reaches-zod'],
  ['renderer/main.ts', '../electron/engine/engine.ts', 'renderer-imports-shared-and-itself'],
  ['renderer/features/orders/order-view.ts', '../report/use-report.ts', 'features-import-other-features-by-index'],
  ['renderer/shell/sidebar.ts', '../features/report/use-report.ts', 'features-import-other-features-by-index'],
  ['renderer/ui/progress-bar.ts', '../features/report/index.ts', 'renderer-base-imports-no-features'],
  ['renderer/stores/engine-store.ts', '../shell/sidebar.ts', 'renderer-base-imports-no-features'],
  ['renderer/ui/progress-bar.ts', '../stores/engine-store.ts', 'ui-without-domain'],
  ['renderer/ui/progress-bar.ts', '../../shared/errors.ts', 'ui-without-domain'],
  ['renderer/labels/error-labels.ts', '../stores/engine-store.ts', 'labels-are-pure'],
  ['renderer/main.ts', 'node:fs', 'renderer-never-node'],
  ['renderer/main.ts', 'path', 'renderer-never-node'],
  ['renderer/main.ts', 'got', 'renderer-never-engine-packages'],
  ['electron/engine/sync/pass.ts', 'better-sqlite3', 'sql-only-in-store'],
  ['electron/engine/sync/pass.ts', 'node:sqlite', 'sql-only-in-store'],
  ['electron/headless/main.ts', 'better-sqlite3', 'sql-only-in-store'],
  ['electron/engine/downloads/job-manager.ts', 'got', 'got-only-in-service'],
  ['electron/headless/main.ts', 'got', 'got-only-in-service'],
  ['electron/engine/downloads/job-manager.ts', 'undici', 'undici-only-in-transport'],
  ['electron/engine/downloads/job-manager.ts', '../sync/pass.ts', 'downloads-never-import-sync'],
  ['electron/engine/sync/pass.ts', '../create-engine.ts', 'only-app-and-hosts-create-the-engine'],
  ['electron/headless/main.ts', '../../tests/support/fake-clock.ts', 'product-never-imports-tests'],
  ['electron/engine/sync/pass.ts', 'fast-check', 'no-development-packages-at-run-time'],
  ['electron/engine/sync/pass.ts', './not-there.ts', 'no-unresolvable'],
  ['electron/engine/lib/backoff.ts', 'node:timers/promises', 'pure-modules-never-act'],
  ['electron/headless/output/table.ts', 'fs', 'pure-modules-never-act'],
  ['electron/engine/lib/backoff.ts', '../store/projects.ts', 'pure-modules-stand-on-pure-modules'],
]

/** Imports that the layers exist for. */
const allowedImports: readonly (readonly [from: string, to: string])[] = [
  ['shared/orders.ts', 'zod'],
  ['shared/orders.ts', './errors.ts'],
  ['electron/engine/sync/pass.ts', '../../../shared/errors.ts'],
  ['electron/engine/sync/pass.ts', 'node:fs'],
  ['electron/engine/sync/pass.ts', 'zod'],
  ['electron/engine/sync/pass.ts', '../downloads/job-manager.ts'],
  ['electron/engine/store/projects.ts', 'better-sqlite3'],
  ['electron/engine/service/client.ts', 'got'],
  ['electron/engine/downloads/transport.ts', 'undici'],
  ['electron/sample-service/server.ts', 'node:http'],
  ['electron/sample-service/server.ts', 'zod'],
  ['electron/app/create-app.ts', '../engine/create-engine.ts'],
  ['electron/headless/main.ts', '../app/create-app.ts'],
  ['electron/headless/main.ts', '../engine/create-engine.ts'],
  ['electron/headless/main.ts', '../engine/lib/ports.ts'],
  ['electron/headless/main.ts', '../sample-service/server.ts'],
  ['electron/headless/main.ts', '../../shared/errors.ts'],
  ['electron/headless/main.ts', 'commander'],
  ['electron/desktop/window.ts', 'electron'],
  ['electron/desktop/window.ts', '../engine/lib/events.ts'],
  ['electron/entry/main.ts', '../headless/main.ts'],
  ['electron/preload/bridge.ts', 'electron'],
  ['electron/preload/bridge.ts', '../../shared/contract/channel-names.ts'],
  ['renderer/main.ts', '../shared/errors.ts'],
  ['renderer/main.ts', 'vue'],
  ['renderer/features/orders/order-view.ts', '../report/index.ts'],
  ['renderer/features/orders/order-view.ts', './order-labels.ts'],
  ['renderer/features/orders/order-view.ts', '../../stores/engine-store.ts'],
  ['renderer/features/report/index.ts', './use-report.ts'],
  ['renderer/shell/sidebar.ts', '../features/report/index.ts'],
  ['renderer/ui/progress-bar.ts', '../../shared/format.ts'],
  ['renderer/ui/progress-bar.ts', '../labels/error-labels.ts'],
]

const plainFiles = [
  'electron/app/create-app.ts',
  'electron/desktop/window.ts',
  'electron/engine/create-engine.ts',
  'electron/engine/downloads/job-manager.ts',
  'electron/engine/engine.ts',
  'electron/engine/lib/events.ts',
  'electron/engine/lib/ports.ts',
  'electron/engine/store/projects.ts',
  'electron/engine/sync/pass.ts',
  'electron/headless/main.ts',
  'electron/sample-service/server.ts',
  'renderer/features/orders/order-labels.ts',
  'renderer/features/report/index.ts',
  'renderer/features/report/use-report.ts',
  'renderer/labels/error-labels.ts',
  'renderer/main.ts',
  'renderer/shell/sidebar.ts',
  'renderer/stores/engine-store.ts',
  'shared/contract/channel-names.ts',
  'shared/errors.ts',
  'shared/format.ts',
  'tests/support/fake-clock.ts',
]

const packages = ['better-sqlite3', 'commander', 'csv-parse', 'got', 'undici', 'vue', 'zod']
const developmentPackages = ['electron', 'fast-check']

let root: string

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'solarchive-import-rules-')))
  const versions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1.0.0']))
  await write(
    'package.json',
    JSON.stringify({ dependencies: versions(packages), devDependencies: versions(developmentPackages) }),
  )
  await write('tsconfig.base.json', '{}')
  for (const name of [...packages, ...developmentPackages]) {
    await write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
    await write(`node_modules/${name}/index.js`, '')
  }
  for (const path of plainFiles) await write(path, 'export const nothing = 0\n')
})

afterEach(() => rm(root, { recursive: true, force: true }))

async function write(path: string, text: string) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

/** Adds imports to the tree and returns the violations. */
async function cruiseWith(imports: readonly (readonly [from: string, to: string])[], keyword = 'import') {
  for (const from of new Set(imports.map(([file]) => file))) {
    const lines = imports.filter(([file]) => file === from).map(([, to], i) => `${keyword} * as m${i} from '${to}'\n`)
    await write(from, `${lines.join('')}export const nothing = 0\n`)
  }
  const { output } = await cruise(['electron', 'renderer', 'shared', 'tests'], {
    ...rules.options,
    baseDir: root,
    ruleSet: { forbidden: rules.forbidden },
    validate: true,
  })
  return output as ICruiseResult
}

/** Returns the rules that the tree breaks with these imports, as `rule: from`. */
async function broken(...imports: Parameters<typeof cruiseWith>) {
  const { summary } = await cruiseWith(...imports)
  return summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`)
}

describe('import rules', () => {
  test('each rule fails for a forbidden import', async () => {
    // One tree with all of them: reading it takes longer than checking an import.
    const { modules } = await cruiseWith(forbiddenImports.map(([from, to]) => [from, to] as const))
    const allowed = forbiddenImports.filter(([from, to, rule]) => {
      const importing = modules.find(({ source }) => source === from)
      const dependency = importing?.dependencies.find(({ module, protocol = '' }) =>
        [module, `${protocol}${module}`].includes(to),
      )
      // A reachability rule is broken by the module, every other one by its import.
      return ![...(dependency?.rules ?? []), ...(importing?.rules ?? [])].some(({ name }) => name === rule)
    })
    expect(allowed).toEqual([])
    expect(new Set([...forbiddenImports.map(([, , rule]) => rule), 'no-circular'])).toEqual(
      new Set(rules.forbidden.map(({ name }) => name)),
    )
  })

  test('a type import counts too', async () => {
    const from = 'electron/sample-service/server.ts'
    expect(await broken([[from, '../engine/lib/ports.ts']], 'import type')).toEqual([
      `sample-service-imports-node-npm: ${from}`,
    ])
  })

  test('two modules must not import each other', async () => {
    const imports = [
      ['electron/engine/lib/events.ts', './ports.ts'],
      ['electron/engine/lib/ports.ts', './events.ts'],
    ] as const
    expect(await broken(imports)).toContain('no-circular: electron/engine/lib/events.ts')
  })

  test('a pure module may import types of modules with effects', async () => {
    expect(await broken([['electron/engine/lib/backoff.ts', '../store/projects.ts']], 'import type')).toEqual([])
  })

  test('the intended imports of each layer are allowed', async () => {
    expect(await broken(allowedImports)).toEqual([])
  })
})
