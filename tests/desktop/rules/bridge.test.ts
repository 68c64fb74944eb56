import { expect, test } from 'vitest'
import { isOwnPage } from '../../../electron/desktop/bridge/is-own-page.ts'
import { readStartOptions } from '../../../electron/desktop/start-options.ts'

test('only the top frame of the own window at the own address may use the bridge', () => {
  const url = 'app://solarchive/index.html#/projects'
  expect(isOwnPage({ url, isTop: true }, true)).toBe(true)
  expect(isOwnPage({ url, isTop: true }, false)).toBe(false)
  expect(isOwnPage({ url, isTop: false }, true)).toBe(false)
  expect(isOwnPage(undefined, true)).toBe(false)
  const foreign = [
    ...[
      '',
      'about:blank',
      'app://other/index.html',
      'app://solarchive.evil.test/',
      'https://solarchive/',
      'app://x@solarchive/',
    ],
    ...['archive://files/1', 'file:///app://solarchive/', 'data:text/html,app://solarchive/', 'APP2://solarchive/'],
  ]
  for (const other of foreign) expect(isOwnPage({ url: other, isTop: true }, true), other).toBe(false)
})

test('what systems add to the arguments of a start changes nothing', () => {
  expect(readStartOptions(['electron', '--no-sandbox', '.'])).toEqual({ isHidden: false, useSample: false })
  expect(readStartOptions(['solarchive', '--hidden', '-psn_0_1234', '--inspect=0'])).toEqual({
    isHidden: true,
    useSample: false,
  })
  expect(readStartOptions(['electron', '/clone', '--sample'])).toEqual({ isHidden: false, useSample: true })
})
