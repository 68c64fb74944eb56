import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  defaultArchiveFolder,
  defaultHomeFolder,
  fixedSettings,
  type HostEnvironment,
  resolveHomeFolder,
  resolveSettings,
  unencryptedWarning,
} from '../../../electron/app/settings/resolve-settings.ts'
import { type GlobalFlags, readFlags } from '../../../electron/headless/flags.ts'
import { parseSettings, type SettingsFile } from '../../../electron/app/settings/settings-file.ts'
import { AppError } from '../../../shared/errors.ts'
import { anyCharacter } from '../../support/any-character.ts'

const linux: HostEnvironment = { env: {}, platform: 'linux', currentFolder: '/work here', userFolder: '/home/ada' }

function resolve(flags: GlobalFlags = {}, env: HostEnvironment['env'] = {}, file: SettingsFile = {}) {
  return resolveSettings(readFlags(flags), { ...linux, env }, file)
}

function errorOf(act: () => unknown): AppError {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    return error as AppError
  }
  throw new Error('It was accepted.')
}

test('the log level is that of the environment, or else of settings.json', () => {
  expect(resolve().logLevel).toBeUndefined()
  expect(resolve({}, {}, { logLevel: 'warn' }).logLevel).toBe('warn')
  expect(resolve({}, { SOLARCHIVE_LOG_LEVEL: ' DEBUG ' }, { logLevel: 'warn' }).logLevel).toBe('debug')
  expect(errorOf(() => resolve({}, { SOLARCHIVE_LOG_LEVEL: 'loud' })).code).toBe('wrong-settings')
})

describe('the default folders', () => {
  test.each([
    ['linux', {}, '/home/ada/.local/share/solarchive'],
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/solarchive'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada/.local/share/solarchive'],
    ['darwin', { XDG_DATA_HOME: '/data' }, '/home/ada/Library/Application Support/Solarchive'],
  ] as const)('on %s with %o: data in %s', (platform, env, folder) => {
    expect(defaultHomeFolder({ ...linux, platform, env })).toBe(folder)
  })

  test('on Windows are in the local application data', () => {
    const windows: HostEnvironment = { env: {}, platform: 'win32', currentFolder: 'C:\\', userFolder: 'C:\\Users\\Ada' }
    expect(defaultHomeFolder(windows)).toBe('C:\\Users\\Ada\\AppData\\Local\\Solarchive')
    expect(defaultHomeFolder({ ...windows, env: { LOCALAPPDATA: 'D:\\Local' } })).toBe('D:\\Local\\Solarchive')
    expect(defaultArchiveFolder(windows)).toBe('C:\\Users\\Ada\\Solarchive')
    expect(resolveHomeFolder({ homeFolder: '~\\x' }, windows)).toBe('C:\\Users\\Ada\\x')
  })

  test('are separate for the sample', () => {
    expect(resolve({ sample: true })).toMatchObject({
      homeFolder: '/home/ada/.local/share/solarchive/sample/data',
      archiveFolder: '/home/ada/.local/share/solarchive/sample/archive',
      apiCallsPerMinute: 0,
      useSample: true,
    })
    expect(resolve({ sample: true, home: '/h', archive: '/a', apiRate: '60' })).toMatchObject({
      homeFolder: '/h',
      archiveFolder: '/a',
      apiCallsPerMinute: 60,
    })
  })
})

describe('settings', () => {
  test('have defaults', () => {
    expect(resolve()).toEqual({
      serviceUrl: 'https://api.portal.scanifly.com',
      homeFolder: '/home/ada/.local/share/solarchive',
      homeSource: 'default',
      archiveSource: 'default',
      archiveFolder: '/home/ada/Solarchive',
      accessToken: undefined,
      useSample: false,
    })
  })

  test('have the proxies and certificates of the environment, unless the file says otherwise', () => {
    const env = {
      HTTPS_PROXY: 'http://u:p@upper:1',
      all_proxy: 'all:2',
      no_proxy: 'a.test',
      NODE_EXTRA_CA_CERTS: '/x.pem',
    }
    const rest = { noProxy: 'a.test', extraCaFile: '/x.pem' }
    expect(resolve({}, env).network).toEqual({
      httpsProxy: { text: 'http://u:p@upper:1', from: 'HTTPS_PROXY' },
      httpProxy: { text: 'all:2', from: 'ALL_PROXY' },
      ...rest,
    })
    expect(resolve({}, { ...env, https_proxy: 'lower:3' }).network?.httpsProxy?.text).toBe('lower:3')
    expect(resolve({}, env, { proxy: 'none' }).network).toEqual(rest)
    const chosen = { text: 'http://p:1', from: '"proxy" in the settings' }
    expect(resolve({ home: '/h' }, env, { proxy: 'http://p:1', caFile: 'ca.pem' }).network).toEqual({
      httpsProxy: chosen,
      httpProxy: chosen,
      caFile: '/h/ca.pem',
      ...rest,
    })
  })

  test('come from flags before the environment, and from the environment before the file', () => {
    const file = { serviceUrl: 'https://file.test', archiveFolder: '/file', apiCallsPerMinute: 10, concurrency: 2 }
    const env = { SOLARCHIVE_URL: 'https://env.test', SOLARCHIVE_ARCHIVE: '/env', SOLARCHIVE_HOME: '/home-env' }
    const flags = { url: 'https://flag.test', archive: '/flag', home: '/home-flag', apiRate: '0', concurrency: '64' }
    expect(resolve({}, {}, file)).toMatchObject({
      serviceUrl: 'https://file.test',
      archiveFolder: '/file',
      apiCallsPerMinute: 10,
      concurrency: 2,
    })
    expect(resolve({}, env, file)).toMatchObject({
      serviceUrl: 'https://env.test',
      archiveFolder: '/env',
      homeFolder: '/home-env',
    })
    expect(resolve(flags, env, file)).toMatchObject({
      serviceUrl: 'https://flag.test',
      archiveFolder: '/flag',
      homeFolder: '/home-flag',
      apiCallsPerMinute: 0,
      concurrency: 64,
    })
  })

  test('resolve relative folders against the current folder, those of the file against the data folder', () => {
    expect(resolve({ home: 'h', archive: '../a' })).toMatchObject({ homeFolder: '/work here/h', archiveFolder: '/a' })
    expect(resolve({ home: '/h' }, {}, { archiveFolder: 'files' }).archiveFolder).toBe('/h/files')
    expect(resolve({ archive: '~/files' }).archiveFolder).toBe('/home/ada/files')
  })

  test.each(['', ' \t\r'])('treat a variable that is %j as unset', (blank) => {
    const env = { SOLARCHIVE_URL: blank, SOLARCHIVE_HOME: blank, SOLARCHIVE_ARCHIVE: blank }
    expect(resolve({}, env)).toEqual(resolve())
    expect(fixedSettings({}, { ...linux, env })).toEqual([])
  })

  test('take folders from the environment without surrounding spaces, such as the CR of a file from Windows', () => {
    const env = { SOLARCHIVE_HOME: ' /data\r', SOLARCHIVE_ARCHIVE: '/my archive\r' }
    expect(resolve({}, env)).toMatchObject({
      homeFolder: '/data',
      homeSource: 'environment',
      archiveFolder: '/my archive',
      archiveSource: 'environment',
    })
    expect(fixedSettings({}, { ...linux, env })).toEqual(['archiveFolder'])
  })

  test('take the token from the environment, without surrounding spaces', () => {
    expect(resolve({}, { SOLARCHIVE_TOKEN: ' abc\n' }).accessToken).toBe('abc')
    expect(resolve({}, { SOLARCHIVE_TOKEN: ' \n' }).accessToken).toBeUndefined()
  })

  test.each([
    [{ apiRate: '-1' }, '--api-rate must be a whole number, 0 (no limit) or more; "-1" is not.'],
    [{ apiRate: '1.5' }, '"1.5" is not.'],
    [{ apiRate: '' }, '--api-rate must be'],
    [{ concurrency: '0' }, '--concurrency must be a whole number, from 1 to 64; "0" is not.'],
    [{ concurrency: '65' }, '"65" is not.'],
    [{ concurrency: '0x8' }, '"0x8" is not.'],
    [{ url: 'portal.test' }, '--url must be an address that starts with https://'],
    [{ url: 'ftp://portal.test' }, '--url must be'],
    [{ url: ' ' }, '--url needs a value.'],
    [{ home: '' }, '--home needs a value.'],
    [{ sample: true, url: 'https://x.test' }, '--sample uses its own service'],
  ] as const)('refuse %o', (flags, message) => {
    const error = errorOf(() => resolve(flags))
    expect(error.code).toBe('wrong-usage')
    expect(error.message).toContain(message)
  })

  test.each(['https://ada:canary@x.test', 'https://x.test/?access_token=canary', 'https://x.test/#canary'])(
    'refuse an address that contains a secret, and do not repeat it: %s',
    (url) => {
      const error = errorOf(() => resolve({}, { SOLARCHIVE_URL: url }))
      expect(error.code).toBe('wrong-settings')
      expect(error.message).toContain('SOLARCHIVE_URL')
      expect(error.message).not.toContain('canary')
    },
  )
})

describe('an address without encryption', () => {
  const remote = 'http://192.168.1.7:8080'

  test.each([
    ['--url', 'wrong-usage', { url: remote }, {}, {}],
    ['SOLARCHIVE_URL', 'wrong-settings', {}, { SOLARCHIVE_URL: remote }, {}],
    ['"serviceUrl" in settings.json', 'wrong-settings', {}, {}, { serviceUrl: remote, allowHttp: false }],
  ] as const)('in %s is refused until a user accepts it, by any of three settings', (where, code, flags, env, file) => {
    const error = errorOf(() => resolve(flags, env, file))
    expect(error.code).toBe(code)
    expect(error.message).toContain(`${where} starts with http://, so the connection is not encrypted.`)
    expect(error.message).toContain('--allow-http')
    for (const accepted of [
      resolve({ ...flags, allowHttp: true }, env, file),
      resolve(flags, { ...env, SOLARCHIVE_ALLOW_HTTP: '1' }, file),
      resolve(flags, env, { ...file, allowHttp: true }),
    ]) {
      expect(accepted.serviceUrl).toBe(remote)
      expect(unencryptedWarning(accepted)).toBeUndefined()
    }
    const isDenied = { ...env, SOLARCHIVE_ALLOW_HTTP: '0' }
    expect(errorOf(() => resolve(flags, isDenied, { ...file, allowHttp: true })).code).toBe(code)
  })

  test('needs no yes of a command that sends nothing', () => {
    const environment = { ...linux, env: { SOLARCHIVE_URL: remote } }
    expect(resolveSettings({}, environment, {}, { callsService: false }).serviceUrl).toBe(remote)
  })

  test('that settings.json had before there was a question is still used, with a warning', () => {
    const settings = resolve({}, {}, { serviceUrl: remote })
    expect(settings.serviceUrl).toBe(remote)
    expect(unencryptedWarning(settings)).toContain('set "allowHttp": true in settings.json')
  })

  test.each([
    'http://127.0.0.1:8080',
    'http://localhost',
    'http://sample.localhost:1',
    'http://[::1]:8080',
    'https://x.test',
  ])('needs no yes for this machine, or with encryption: %s', (url) => {
    expect(unencryptedWarning(resolve({ url }))).toBeUndefined()
  })

  test.each([
    'http://localhost.example.com',
    'http://127.0.0.1.nip.io',
    'http://10.0.0.1',
    'http://[fe80::1]',
    'http:x.test',
    'HT\tTP:\\\\x.test/localhost',
    'http:/localhost\\.x.test',
  ])('is not free because it looks like this machine, or is in a private network: %s', (url) => {
    expect(errorOf(() => resolve({ url })).code).toBe('wrong-usage')
  })

  test('is accepted with 1, and not with another word', () => {
    expect(errorOf(() => resolve({}, { SOLARCHIVE_ALLOW_HTTP: 'yes' })).message).toContain('must be 1 or 0')
  })
})

describe('settings.json', () => {
  const parse = (text: string) => parseSettings(text, '/h/settings.json')

  test('may contain any of its keys, and a byte order mark', () => {
    expect(parse('\uFEFF{"concurrency": 4, "serviceUrl": " https://x.test "}')).toEqual({
      settings: { concurrency: 4, serviceUrl: 'https://x.test' },
      warnings: [],
    })
    expect(parse('{}').settings).toEqual({})
  })

  test('causes a warning for an unknown key', () => {
    const { settings, warnings } = parse('{"concurency": 4}')
    expect(settings).toEqual({})
    expect(warnings).toEqual([
      '/h/settings.json: "concurency" is not a setting and is ignored. The settings are serviceUrl, allowHttp, ' +
        'archiveFolder, apiCallsPerMinute, concurrency, proxy, caFile, schedule, quietHours, readPhotos, stampDaily, ' +
        'stampAuthority, stampFallback, logLevel, notifications, appearance, pauseOnBattery, looksForUpdates, ' +
        'savedSearches, hooks, useSample.',
    ])
  })

  test('must not have an address of a proxy that is too long', () => {
    const error = errorOf(() => parse(JSON.stringify({ proxy: `http://${'p'.repeat(2000)}:1` })))
    expect(error.message).toMatch(/^\/h\/settings\.json: "proxy" must be "environment", "none", or .* HTTPS_PROXY\.$/)
  })

  test('must not contain the token', () => {
    const { warnings } = parse('{"accessToken": "canary"}')
    expect(warnings.join()).toContain('SOLARCHIVE_TOKEN')
    expect(warnings.join()).not.toContain('canary')
  })

  test.each([
    ['{"logLevel": "loud"}', '"logLevel" must be one of debug, info, warn, error.'],
    ['{"concurrency": 0}', '/h/settings.json: "concurrency" must be a whole number from 1 to 64.'],
    ['{"concurrency": "8"}', '"concurrency" must be a whole number from 1 to 64.'],
    ['{"apiCallsPerMinute": -1}', '"apiCallsPerMinute" must be a whole number, 0 (no limit) or more.'],
    ['{"apiCallsPerMinute": 1.5}', '"apiCallsPerMinute" must be'],
    ['{"archiveFolder": 7}', '"archiveFolder" must be a path in quotation marks.'],
    ['{"archiveFolder": " "}', '"archiveFolder" must be a path.'],
    ['{"serviceUrl": null}', '"serviceUrl" must be an address in quotation marks.'],
    ['{"schedule": "weekly"}', '"schedule" must be one of automatic, hourly, daily, manual.'],
    ['{"savedSearches": [{"name": "", "query": "x"}]}', '"savedSearches.0.name" '],
    ['{"savedSearches": "roof"}', '"savedSearches" must be a list of {"name": "…", "query": "…"}.'],
    ['{"hooks": {}}', '"hooks" must be a list of hooks, see docs/operations.md.'],
    ['{"hooks": [{"id": "a"}]}', '"hooks.0.name" must have 1 to 80 characters. "hooks.0.events" must be a list of '],
    ['{"hooks": [{"id": "a", "name": "A", "events": []}]}', '"hooks.0.target" must have the kind "program" or'],
    ['[]', 'must hold one JSON object'],
    ['null', 'must hold one JSON object'],
    ['{"token": "canary"', 'is not valid JSON'],
  ])('is refused as %s', (text, message) => {
    const error = errorOf(() => parse(text))
    expect(error.code).toBe('wrong-settings')
    expect(error.message).toContain(message)
    expect(error.message).not.toContain('canary')
  })
})

describe('settings of any shape', () => {
  const keys = [
    'serviceUrl',
    'archiveFolder',
    'apiCallsPerMinute',
    'concurrency',
    'schedule',
    'quietHours',
    'logLevel',
    'notifications',
    'appearance',
    'pauseOnBattery',
    'looksForUpdates',
    'savedSearches',
    'useSample',
    'token',
    '__proto__',
    '',
  ]
  const value = fc.oneof(
    fc.constantFrom<unknown>('https://x.test', '/a', '~', 'automatic', 'daily', 'debug', 'dark', 1, 8, 60, 0, -1, 1.5),
    fc.constantFrom<unknown>(true, null, [], { start: '22:00', end: '06:00' }, { attention: false }, 1e300),
    // Marked, so that a message that repeats a value is noticed.
    fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => `canary${text}`),
    fc.jsonValue(),
  )
  const file = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 6 })

  test('are read, or refused with the file, and never repeated', () => {
    const text = fc.oneof(
      file.map((json) => JSON.stringify(json)),
      file.map((json) => `\uFEFF${JSON.stringify(json, null, 2)}\r\n`),
      fc.jsonValue().map((json) => JSON.stringify(json)),
      fc.tuple(file, fc.nat(200)).map(([json, length]) => JSON.stringify(json).slice(0, length)),
      fc.string({ unit: anyCharacter }),
    )
    const counts = { read: 0, refused: 0 }
    fc.assert(
      fc.property(text, (written) => {
        try {
          const { settings, warnings } = parseSettings(written, '/h/settings.json')
          expect(parseSettings(JSON.stringify(settings), '/h/settings.json')).toEqual({ settings, warnings: [] })
          expect(warnings.join()).not.toContain('canary')
          counts.read += 1
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
          expect(error).toMatchObject({
            code: 'wrong-settings',
            message: expect.stringContaining('/h/settings.json') as string,
          })
          expect((error as AppError).message).not.toContain('canary')
          counts.refused += 1
        }
      }),
      { numRuns: 2000 },
    )
    expect(Math.min(counts.read, counts.refused)).toBeGreaterThan(200)
  })

  test('become absolute folders and a plain address, or are refused with their source', () => {
    const variable = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 12 }),
      fc.constantFrom('https://x.test', '..', '~'),
    )
    const names = ['URL', 'HOME', 'ARCHIVE', 'LOG_LEVEL', 'TOKEN'].map((name) => `SOLARCHIVE_${name}`)
    const env = fc.dictionary(fc.constantFrom(...names, 'XDG_DATA_HOME'), variable)
    const paths = fc.record({ serviceUrl: variable, archiveFolder: variable }, { requiredKeys: [] })
    fc.assert(
      fc.property(env, paths, (variables, written) => {
        try {
          const { homeFolder, archiveFolder, serviceUrl } = resolve({}, variables, written)
          expect([homeFolder, archiveFolder].filter((folder) => !folder.startsWith('/'))).toEqual([])
          const { username, password, search, hash, protocol } = new URL(serviceUrl)
          expect([username, password, search, hash]).toEqual(['', '', '', ''])
          expect(protocol).toMatch(/^https?:$/)
        } catch (error) {
          expect(error).toMatchObject({
            code: 'wrong-settings',
            message: expect.stringMatching(/SOLARCHIVE_(URL|LOG_LEVEL)|"serviceUrl"/) as string,
          })
        }
      }),
      { numRuns: 1000 },
    )
  })
})
