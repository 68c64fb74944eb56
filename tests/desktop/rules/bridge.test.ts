import { expect, test } from 'vitest'
import { isLoadable, isOwnPage } from '../../../electron/desktop/origins.ts'
import { readDesktopStart } from '../../../electron/desktop/startup.ts'

test('only the top frame of the app’s own window at its own address may use the bridge', () => {
  const url = 'app://solarchive/index.html#/projects'
  expect(isOwnPage({ url, isTop: true }, true)).toBe(true)
  expect(isOwnPage({ url, isTop: true }, false)).toBe(false)
  expect(isOwnPage({ url, isTop: false }, true)).toBe(false)
  const foreign = [
    '',
    'about:blank',
    'app://other/index.html',
    'app://solarchive.evil.test/',
    'https://solarchive/',
    'app://x@solarchive/',
    'archive://files/1',
    'file:///app://solarchive/',
    'data:text/html,app://solarchive/',
    'APP2://solarchive/',
  ]
  for (const other of foreign) expect(isOwnPage({ url: other, isTop: true }, true), other).toBe(false)
})

test('a page loads nothing from the network', () => {
  for (const url of [
    'app://solarchive/index.html',
    'archive://files/1',
    'blob:app://solarchive/1',
    'data:text/plain,x',
  ])
    expect(isLoadable(url), url).toBe(true)
  for (const url of ['http://127.0.0.1/', 'https://example.com/', 'file:///etc/passwd', 'ws://127.0.0.1/', 'nonsense'])
    expect(isLoadable(url), url).toBe(false)
})

test('arguments added by the system at a start are ignored', () => {
  expect(readDesktopStart(['electron', '--no-sandbox', '.'])).toEqual({ isHidden: false, useSample: false })
  expect(readDesktopStart(['solarchive', '--hidden', '-psn_0_1234', '--inspect=0'])).toEqual({
    isHidden: true,
    useSample: false,
  })
  expect(readDesktopStart(['electron', '/clone', '--sample'])).toEqual({ isHidden: false, useSample: true })
})
