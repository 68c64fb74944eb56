// Who may import whom. tests/import-rules.test.ts proves that each rule takes effect.

/** The engine's entry files, for the app around it. */
const engineEntry =
  '^electron/engine/((create-engine|engine|open-reader)|lib/[\\w/-]+|archive/(inside-archive|layout)|catalog/(locate-files|support-facts)' +
  '|integrity/verify-run|projects/project-rows|recovery/restore-projects' +
  '|service/(base-url|outbound|proxy-route|rate-budget|test-connection)' +
  '|store/(data-folder-lock|database-files))\\.ts$'

/** The part of the engine's entry files that a host may use besides the app. */
const engineForHosts =
  '^electron/engine/((create-engine|engine|open-reader)' +
  '|lib/(decode-text|events|ports|redact|system-clock|fs/(data-folder-error|make-folders|private-files))' +
  '|archive/layout|evidence/verify-evidence|projects/project-rows)\\.ts$'

/** Modules that decide and never act: no disk, network, database, process or timer in them or behind them. */
const pureModules = [
  '^shared/',
  '^electron/app/(static-files/page-policy|log/(log-files|log-line|plain-text))\\.ts$',
  '^electron/app/support/anonymize\\.ts$',
  '^electron/engine/archive/(checksums|file-end|file-kind|layout|safe-name)\\.ts$',
  '^electron/engine/catalog/photo-metadata\\.ts$',
  '^electron/engine/checklists/(completeness|confirmation|plan-checklist)\\.ts$',
  '^electron/engine/integrity/(scrub-plan|verify-run)\\.ts$',
  '^electron/engine/lib/(backoff|jitter|link-identity|parse-json|redact|time)\\.ts$',
  '^electron/engine/orders/order-poll-schedule\\.ts$',
  '^electron/engine/recovery/(read-document|recorded-checklist)\\.ts$',
  '^electron/engine/scheduler/(blocker|poll-queue|poll-schedule|working-time)\\.ts$',
  '^electron/engine/service/readers/',
  '^electron/engine/service/(base-url|redirects|retry-rules)\\.ts$',
  '^electron/engine/sync/(links|match-media)\\.ts$',
  '^electron/headless/output/(describe-orders|gaps|table)\\.ts$',
  '^electron/headless/exit-code-of-report\\.ts$',
  '^electron/entry/command-arguments\\.ts$',
  '^electron/desktop/(app-status|menu|notification-groups|notification-labels|origins|startup)\\.ts$',
  '^electron/desktop/(tray-menu|window-policy)\\.ts$',
]

const actingModules = [
  '^(node:)?(child_process|cluster|dgram|dns|fs|http|http2|https|inspector|net|sqlite|timers|tls|worker_threads)(/|$)',
  '^node_modules/(better-sqlite3|got|undici)/',
]

const npmPackages = '^node_modules/'
const nodeModules = ['core']

/**
 * @param {string} name
 * @param {object} from
 * @param {object} to
 * @param {string} comment
 * @returns {import('dependency-cruiser').IForbiddenRuleType}
 */
const forbid = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to })

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    forbid('no-circular', {}, { circular: true }, 'Modules that need each other are one module, or want a third.'),
    forbid('no-unresolvable', {}, { couldNotResolve: true }, 'An import that leads nowhere.'),
    forbid(
      'shared-imports-zod-only',
      { path: '^shared/' },
      { pathNot: ['^shared/', '^node_modules/zod/'] },
      'shared is what both sides know: itself and zod, nothing else.',
    ),
    forbid(
      'engine-imports-shared-node-npm',
      { path: '^electron/engine/' },
      { path: '^(electron|renderer|scripts|tests)/', pathNot: '^electron/engine/' },
      'The engine knows no host, no renderer and no sample service.',
    ),
    forbid(
      'electron-only-in-desktop-and-preload',
      { pathNot: '^(electron/(desktop|entry|preload)/|tests/desktop/)' },
      { path: '(^|/)node_modules/electron/|^electron$' },
      'Only the installed app runs in Electron.',
    ),
    forbid(
      'sample-service-imports-node-npm',
      { path: '^electron/sample-service/' },
      { path: '^(electron|renderer|scripts|shared|tests)/', pathNot: '^electron/sample-service/' },
      "The sample service must not share the engine's mistakes.",
    ),
    forbid(
      'app-imports-engine-entry-shared-node-npm',
      { path: '^electron/app/' },
      { path: '^(electron|renderer|scripts|tests)/', pathNot: ['^electron/app/', engineEntry] },
      'The app is common to both hosts: it knows the entry files of the engine and no host.',
    ),
    forbid(
      'hosts-use-the-engine-by-its-entry',
      { path: '^electron/(desktop|headless)/' },
      { path: '^electron/engine/', pathNot: engineForHosts },
      'A host reaches the engine through the app, apart from its types and a few tools without state.',
    ),
    forbid(
      'desktop-imports-app-sample-shared-electron',
      { path: '^electron/desktop/' },
      { path: '^(electron/(headless|preload)|renderer|scripts|tests)/' },
      'The desktop host stands beside the headless host, not on it.',
    ),
    forbid(
      'headless-imports-app-sample-shared-node',
      { path: '^electron/headless/' },
      { path: '^(electron/(desktop|preload)|renderer|scripts|tests)/' },
      'The headless host runs without Electron and without the renderer.',
    ),
    forbid(
      'entry-imports-hosts-and-electron',
      { path: '^electron/entry/' },
      {
        pathNot: [
          '^electron/entry/',
          '^electron/engine/analysis/analysis-process\\.ts$',
          '^electron/(desktop|headless)/main\\.ts$',
          '^node_modules/electron/',
          '^electron$',
        ],
      },
      'The entry of the installed app chooses between the two hosts, and does nothing of its own.',
    ),
    forbid(
      'preload-imports-electron-and-channel-names',
      { path: '^electron/preload/' },
      {
        pathNot: [
          '^electron/preload/',
          '^shared/contract/channel-names\\.ts$',
          '^node_modules/electron/',
          '^electron$',
        ],
      },
      'The sandboxed preload stays tiny: electron and the names of the channels.',
    ),
    forbid(
      'preload-never-reaches-zod',
      { path: '^electron/preload/' },
      { path: '^node_modules/zod/', reachable: true },
      'What the preload imports must not bring zod along.',
    ),
    forbid(
      'renderer-imports-shared-and-itself',
      { path: '^renderer/' },
      { path: '^(electron|scripts|tests)/' },
      'The renderer reaches the engine over the bridge only.',
    ),
    forbid(
      'features-import-other-features-by-index',
      { path: '^renderer/(?:features/([^/]+)|shell)/' },
      { path: '^renderer/features/', pathNot: ['^renderer/features/$1/', '^renderer/features/[^/]+/index\\.ts$'] },
      'A feature shares what its index.ts exports; the rest is internal.',
    ),
    forbid(
      'renderer-base-imports-no-features',
      { path: '^renderer/(labels|stores|theme|transport|ui)/' },
      { path: '^renderer/(features|shell)/' },
      'What all features share depends on none of them.',
    ),
    forbid(
      'ui-without-domain',
      { path: '^renderer/ui/' },
      { path: ['^renderer/(stores|transport)/', '^shared/'], pathNot: '^shared/format\\.ts$' },
      'Components in ui/ know neither the engine nor its data.',
    ),
    forbid(
      'labels-are-pure',
      { path: '^renderer/labels/' },
      { path: '^renderer/', pathNot: '^renderer/labels/' },
      'Labels are texts for data, without state, calls, or components.',
    ),
    forbid(
      'renderer-never-node',
      { path: '^renderer/' },
      { dependencyTypes: nodeModules },
      'The renderer runs in a browser.',
    ),
    forbid(
      'renderer-never-engine-packages',
      { path: '^renderer/' },
      { path: '^node_modules/(better-sqlite3|got|commander|csv-parse)/' },
      'These packages need Node.',
    ),
    forbid(
      'sql-only-in-store',
      { path: '^(electron|renderer|shared|scripts)/', pathNot: '^electron/engine/store/' },
      { path: ['(^|/)node_modules/(@types/)?better-sqlite3/', '^(node:)?sqlite$'] },
      'SQL lives in the store and nowhere else.',
    ),
    forbid(
      'got-only-in-service',
      { path: '^(electron|renderer|shared|scripts)/', pathNot: '^electron/engine/service/' },
      { path: '(^|/)node_modules/got/' },
      'Requests are made where their limits, redirects and secrets are looked after.',
    ),
    forbid(
      'undici-only-in-transport',
      {
        path: '^(electron|renderer|shared|scripts)/',
        pathNot: '^electron/engine/downloads/(transport|undici-agent\\.d)\\.ts$',
      },
      { path: '(^|/)node_modules/undici/' },
      'One module requests files.',
    ),
    forbid(
      'downloads-never-import-sync',
      { path: '^electron/engine/downloads/' },
      { path: '^electron/engine/(sync|scheduler|integrity|recovery)/' },
      'A pass enqueues downloads; downloads know nothing of passes.',
    ),
    forbid(
      'only-app-and-hosts-create-the-engine',
      { path: '^electron/engine/' },
      { path: '^electron/engine/create-engine\\.ts$', dependencyTypesNot: ['type-only'] },
      'The composition root of the engine is its top: nothing in the engine imports it.',
    ),
    forbid(
      'pure-modules-never-act',
      { path: pureModules },
      { path: actingModules, dependencyTypesNot: ['type-only'] },
      'Decide in pure functions, act at the edge.',
    ),
    forbid(
      'pure-modules-stand-on-pure-modules',
      { path: pureModules },
      { path: '^(electron|shared)/', pathNot: pureModules, dependencyTypesNot: ['type-only'] },
      'What a pure module calls has to be pure as well; types do not act.',
    ),
    forbid(
      'product-never-imports-tests',
      { path: '^(electron|renderer|scripts|shared)/' },
      { path: '^tests/' },
      'Tests know the product, never the other way round.',
    ),
    forbid(
      'no-development-packages-at-run-time',
      { path: '^(electron|shared)/' },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['type-only'],
        pathNot: '^node_modules/electron/',
      },
      'What runs in production is a dependency of package.json; Electron itself is put in by the packager.',
    ),
  ],
  options: {
    doNotFollow: { path: npmPackages },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types', 'default'] },
  },
}
