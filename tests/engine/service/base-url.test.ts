import { describe, expect, test } from 'vitest'
import { callUrl, normalizeBaseUrl } from '../../../electron/engine/service/base-url.ts'
import { withHttps } from '../../../shared/service-address.ts'
import { thrownBy } from './caught.ts'

describe('the address of the service', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['  https://api.example.com//  ', 'https://api.example.com'],
    ['https://api.example.com/api/v1', 'https://api.example.com'],
    ['https://api.example.com/api/v1/', 'https://api.example.com'],
    ['https://API.example.com/solar/api/v1//', 'https://api.example.com/solar'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://nas:3000/api/v1', 'http://nas:3000'],
    ['https://api.example.com/api', 'https://api.example.com/api'],
  ])('%s is normalized to %s', (typed, expected) => {
    expect(normalizeBaseUrl(typed)).toBe(expected)
  })

  test.each([
    [''],
    ['api.example.com'],
    ['localhost:3000'],
    ['ftp://api.example.com'],
    ['file:///etc/passwd'],
    ['https://'],
    ['https://user:canary@api.example.com'],
    ['https://canary@api.example.com'],
    ['https://api.example.com/?access_token=canary'],
    ['https://api.example.com/#canary'],
  ])('%s is refused, with instructions and without repeating it', (typed) => {
    const error = thrownBy(() => normalizeBaseUrl(typed))
    expect(error.code).toBe('wrong-settings')
    expect(error.message).toContain('Enter an address like')
    expect(error.message).not.toContain('canary')
  })
})

describe('the URL of a call', () => {
  test('encodes ids as single segments', () => {
    expect(callUrl('https://h', ['checklist', 'a/b?c#d', 'ü %2e']).href).toBe(
      'https://h/api/v1/checklist/a%2Fb%3Fc%23d/%C3%BC%20%252e',
    )
  })

  test('an id of percent-encoded dots stays an id', () => {
    expect(callUrl('https://h', ['media', '%2e%2e', 'x']).pathname).toBe('/api/v1/media/%252e%252e/x')
  })

  test.each([[''], [' '], ['.'], ['..'], [' .. '], ['\ud800'], ['a\0']])('refuses the id %j', (id) => {
    expect(thrownBy(() => callUrl('https://h', ['checklist', id])).code).toBe('wrong-usage')
  })
})

test('a typed host name becomes a secure address; everything else stays as typed', () => {
  expect(withHttps(' api.example.com ')).toBe('https://api.example.com')
  expect(withHttps('api.example.com:8443/api/v1')).toBe('https://api.example.com:8443/api/v1')
  for (const typed of ['http://nas.example.com', 'localhost:8080', 'user:secret@example.com', 'a b.com', '']) {
    expect(withHttps(typed)).toBe(typed)
  }
})
