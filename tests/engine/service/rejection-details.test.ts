import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
import { readRejectionDetails } from '../../../electron/engine/service/rejection-details.ts'

const redactor = createRedactor()
const required = { field: 'form.homeownerName', message: 'is required' }

describe('the reasons of a rejection', () => {
  test.each<[string, unknown]>([
    ['a list', [required]],
    ['a list in errors', { errors: [required] }],
    ['a list in details', { details: [{ path: ['form', 'homeownerName'], msg: 'is required' }] }],
    ['an object of texts', { errors: { 'form.homeownerName': 'is required' } }],
    ['an object of lists', { 'form.homeownerName': ['is required'] }],
    ['nested objects', { errors: { form: { homeownerName: 'is required' } } }],
    ['an error in an error', { error: { details: [{ field: 'form.homeownerName', reason: 'is required' }] } }],
    ['issues', { issues: [{ path: ['form', 'homeownerName'], message: 'is required' }] }],
    ['details with places', { detail: [{ loc: ['form', 'homeownerName'], msg: 'is required' }] }],
  ])('from %s', (_, body) => {
    expect(readRejectionDetails(JSON.stringify(body), redactor)).toEqual([required])
  })

  test.each<[string, string, string[]]>([
    ['a message', '{"message":"projectId is wrong","statusCode":400}', ['projectId is wrong']],
    [
      'messages',
      '{"statusCode":400,"message":["a must be b","c must be d"],"error":"Bad Request"}',
      ['a must be b', 'c must be d', 'Bad Request'],
    ],
    ['an error text', '{"error":"Bad form"}', ['Bad form']],
    ['plain text', 'Bad form', ['Bad form']],
    ['what would turn a sentence around', '{"message":"Bad \\u202e\\u2067 form\\u0000\\n."}', ['Bad form .']],
    ['a JSON text', '"Bad form"', ['Bad form']],
    ['a page', '<html>Bad form</html>', []],
    ['half a document', '{"message":"Bad fo', []],
    ['nothing', '', []],
    ['null', 'null', []],
  ])('from %s', (_, body, expected) => {
    expect(readRejectionDetails(body, redactor).map(({ message }) => message)).toEqual(expected)
  })

  test('are few, short, and without links', () => {
    const many = Array.from({ length: 500 }, (_, index) => ({ field: `f${index}`, message: `no ${'x'.repeat(2000)}` }))
    const read = readRejectionDetails(JSON.stringify(many), redactor)
    expect(read).toHaveLength(30)
    expect(Math.max(...read.map(({ message }) => message.length))).toBeLessThanOrEqual(300)
    const leaky = { message: 'see https://u:CANARY@h/p?sig=CANARY', 'https://h/?CANARY': ['no'] }
    expect(JSON.stringify(readRejectionDetails(JSON.stringify(leaky), redactor))).not.toContain('CANARY')
  })

  test('are read from any value without throwing', () => {
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (body) => void readRejectionDetails(body, redactor)))
    expect(readRejectionDetails('['.repeat(50_000), redactor)).toEqual([])
    expect(readRejectionDetails('['.repeat(50_000) + ']'.repeat(50_000), redactor)).toEqual([])
  })
})
