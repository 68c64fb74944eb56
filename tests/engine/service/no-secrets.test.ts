import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { breakLookups } from '../../support/break-lookups.ts'
import { closedPort, withServer } from '../../support/with-server.ts'
import type { ServiceClient } from '../../../electron/engine/service/service-client.ts'
import { caught } from './caught.ts'
import { testClient, testToken } from './test-client.ts'

const signature = 'SIGNATURE-CANARY'
const forms = [testToken, encodeURIComponent(testToken), new URLSearchParams({ t: testToken }).toString().slice(2)]

/** Everything that could be shown or logged of an error, including hidden properties, stack, and causes. */
function everythingOf(value: unknown): string {
  return inspect(value, { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity })
}

function expectNoSecrets(value: unknown): void {
  const text = everythingOf(value)
  for (const secret of [...forms, signature, 'CANARY']) expect(text).not.toContain(secret)
}

async function failuresOf(client: ServiceClient, signal?: AbortSignal): Promise<unknown[]> {
  const options = signal === undefined ? {} : { signal }
  return [
    await caught(client.listChecklists('p', options)),
    await caught(client.getChecklist('p', 'c', options)),
    await caught(client.getMedia('p', 'm', options)),
    await caught(client.createServiceRequest({ note: 'x' }, options)),
  ]
}

const echo = `you sent ${testToken} and https://f/x?X-Amz-Signature=${signature} and access_token=${testToken}`

const answers: Record<string, (response: ServerResponse) => void> = {
  'refusals that repeat the token': (response) => void response.writeHead(401, echo.slice(0, 8)).end(echo),
  'reasons that repeat the token': (response) =>
    void response
      .writeHead(400)
      .end(JSON.stringify({ errors: [{ field: testToken, message: echo }], [testToken]: echo })),
  'reasons in plain text': (response) => void response.writeHead(422).end(echo),
  'server errors': (response) => void response.writeHead(500).end(echo),
  'a redirect with the token': (response) =>
    void response.writeHead(302, { location: `https://else.invalid/?t=${encodeURIComponent(testToken)}` }).end(),
  'a redirect to a host named like a secret': (response) =>
    void response.writeHead(302, { location: `https://u:${signature}@else.invalid/${signature}?${signature}` }).end(),
  'rate limits': (response) => void response.writeHead(429, { 'retry-after': '7200' }).end(echo),
  pages: (response) => void response.writeHead(200).end(`<html>${echo}`),
  'broken JSON': (response) => void response.writeHead(200).end(`{"a":"${signature}`),
  'answers without ids': (response) =>
    void response.writeHead(200).end(JSON.stringify([{ note: `https://f/?${signature}` }])),
  'a media type that repeats the token': (response) =>
    void response.writeHead(200, { 'content-type': `text/html; echo=${testToken}; sig=${signature}` }).end('oops'),
  'the token as a media type': (response) =>
    void response.writeHead(200, { 'content-type': `text/${encodeURIComponent(testToken)}` }).end('oops'),
  'broken connections': (response) => void response.socket?.destroy(),
  'endless silence': () => undefined,
}

describe('no token and no signature is in an error or in the log', () => {
  test.each(Object.entries(answers))('with %s', async (_, answer) => {
    await withServer(
      (_request, response) => answer(response),
      async ({ url }) => {
        const { client, log } = testClient(url, { timeouts: { response: 40 } })
        const failures = [
          await caught(client.listChecklists('p')),
          await caught(client.getChecklist('p', 'c')),
          await caught(client.createServiceRequest({})),
        ]
        expectNoSecrets(failures)
        expectNoSecrets(log)
      },
    )
  })

  test('with hosts that cannot be reached', async () => {
    breakLookups()
    for (const host of ['http://nothing.invalid', `http://127.0.0.1:${closedPort}`]) {
      const { client, log } = testClient(host)
      expectNoSecrets(await failuresOf(client))
      expectNoSecrets(log)
    }
  })

  test('when calls are aborted', async () => {
    await withServer(
      () => undefined,
      async ({ url }) => {
        const { client, log } = testClient(url)
        expectNoSecrets(await failuresOf(client, AbortSignal.timeout(50)))
        expectNoSecrets(log)
      },
    )
  })

  test('when the keychain fails with the token in its message', async () => {
    let asked = 0
    const failing = () => (++asked === 1 ? Promise.resolve(testToken) : Promise.reject(new Error(`bad ${testToken}`)))
    const { client, log } = testClient('http://127.0.0.1:1', { token: failing })
    expectNoSecrets(await caught(client.listProjects()))
    expectNoSecrets(log)
  })
})

test.each([
  ['text/html', 'text/html'],
  ['application/problem+json ; charset=utf-8', 'application/problem+json'],
  [`text/${signature}/1`, undefined],
  ['text/plain-token-5fb1', undefined],
  ['html', undefined],
])('of the media type %s, the details of an error have %s', async (sent, contentType) => {
  await withServer(
    (_request, response) => void response.writeHead(200, { 'content-type': sent }).end('oops'),
    async ({ url }) => {
      const { client } = testClient(url, { token: 'plain-token-5fb1' })
      const { details } = await caught(client.listChecklists('p'))
      expect(details).toEqual({ status: 200, ...(contentType && { contentType }) })
    },
  )
})

test.each<[string, (id: string) => unknown, (client: ServiceClient) => Promise<unknown>]>([
  ['a list of checklists', (id) => [{ id: 'c1' }, { id: `c${id}` }], (client) => client.listChecklists('p')],
  [
    'a checklist',
    (id) => ({ id: 'c', sections: [{ label: 'A', questions: [{ label: 'B', mediaCategoryId: id }] }] }),
    (client) => client.getChecklist('p', 'c'),
  ],
  [
    'the photos that a question names',
    (id) => ({
      id: 'c',
      sections: [{ label: 'A', questions: [{ label: 'B', mediaCategoryId: 'm', clientRefIds: ['r', id] }] }],
    }),
    (client) => client.getChecklist('p', 'c'),
  ],
  [
    'photos',
    (id) => [{ id: encodeURIComponent(id), filename: 'a.jpg', imgUrl: 'https://f.example/a.jpg' }],
    (client) => client.getMedia('p', 'm'),
  ],
  ['projects', (id) => [{ id, name: 'A' }], (client) => client.listProjects()],
  ['orders', (id) => [{ id, status: 'ordered', projectId: 'p' }], (client) => client.listServiceRequests('p')],
  ['a new order', (id) => ({ id, status: 'ordered', projectId: 'p' }), (client) => client.createServiceRequest({})],
])('an id that contains the token makes a response unusable: %s', async (_, answer, call) => {
  let id = testToken
  await withServer(
    (_request, response) => void response.writeHead(200).end(JSON.stringify(answer(id))),
    async ({ url }) => {
      const { client } = testClient(url)
      const failure = await caught(call(client))
      expect(failure).toMatchObject({ code: 'unreadable-answer' })
      expectNoSecrets(failure)
      id = 'tok'
      await call(client)
    },
  )
})

test.each<[string, (client: ServiceClient) => Promise<unknown>]>([
  ['checklists', (client) => client.listChecklists('p')],
  ['projects', (client) => client.listProjects()],
  ['orders', (client) => client.listServiceRequests('p')],
  ['a new order', (client) => client.createServiceRequest({})],
])('an id that is a link makes a response unusable: %s', async (_, call) => {
  let id = ''
  await withServer(
    (_request, response) => void response.writeHead(200).end(JSON.stringify([{ id, name: 'A', status: 'ordered' }])),
    async ({ url }) => {
      const { client } = testClient(url)
      for (const link of [
        'https://f.example/1',
        `//f.example/${signature}`,
        `/1.pdf?st=${signature}`,
        `1?st=${signature}`,
      ]) {
        id = link
        const failure = await caught(call(client))
        expect(failure).toMatchObject({ code: 'unreadable-answer' })
        expectNoSecrets(failure)
      }
      for (const usable of ['1', '/orders/1', 'Roof? 1', 'a:b/c']) {
        id = usable
        await call(client)
      }
    },
  )
})

test.each([testToken, encodeURIComponent(testToken)])(
  'no label and no answer is cut within the token: %s',
  async (secret) => {
    const before = (length: number) => `${'x'.repeat(length - secret.length / 2)} ${secret} y`
    const form = {
      id: 'c',
      mediaCategoryId: 'm0',
      title: before(1000),
      sections: [
        { label: 'A', questions: [{ label: before(1000), answer: before(2000) }] },
        { label: 'B'.repeat(500), sections: [{ label: before(500), questions: [{ label: '1' }] }] },
        { label: 'C', sections: [{ label: before(500), questions: [{ label: '1' }] }] },
      ],
    }
    await withServer(
      (_request, response) => void response.writeHead(200).end(JSON.stringify(form)),
      async ({ url }) => {
        const { sections } = await testClient(url).client.getChecklist('p', 'c')
        const texts = sections.flatMap(({ label, questions }) => [
          label,
          ...questions.flatMap((question) => [question.label, question.answer ?? '']),
        ])
        expect(texts.filter((text) => text.includes('xxx [secr'))).toHaveLength(5)
        expect(texts.filter((text) => text.includes(secret.slice(0, 4)))).toEqual([])
      },
    )
  },
)
