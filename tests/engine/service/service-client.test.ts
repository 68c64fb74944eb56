import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { sendJson, withServer } from '../../support/with-server.ts'
import { caught } from './caught.ts'
import { testClient, testToken } from './test-client.ts'

const projectId = '507f1f77bcf86cd799439011'
const order = { projectId, status: 'ordered', form: { fireSetbacks: { ridge: 'undefined' } } }

describe('the calls', () => {
  test('use the documented paths with the token in the query, however the base URL ends', async () => {
    const answers: Record<string, unknown> = {
      [`/api/v1/checklist/${projectId}`]: [{ id: 'c1', title: 'Site survey', status: 'completed' }],
      [`/api/v1/checklist/${projectId}/c1`]: { id: 'c1', status: 'completed', sections: [] },
      [`/api/v1/media/${projectId}/m1`]: [{ imgUrl: 'https://files.example/1.jpg', filename: '1.jpg' }],
      '/api/v1/projects': [{ id: projectId, name: 'Smith' }],
      [`/api/v1/projects/${projectId}`]: { id: projectId, name: 'Smith' },
      [`/api/v1/serviceRequests/project/${projectId}`]: { id: 'r1', status: 'ordered' },
      '/api/v1/serviceRequests': { id: 'r2', status: 'ordered', tierLevel: 'maxFill' },
    }
    await withServer(
      ({ url, method }, response) => {
        sendJson(response, answers[url.split('?')[0] ?? ''], method === 'POST' ? 201 : 200)
      },
      async ({ url, requests }) => {
        const { client } = testClient(`${url}/api/v1/`)
        expect(await client.listChecklists(projectId)).toMatchObject([{ id: 'c1', title: 'Site survey' }])
        expect(await client.getChecklist(projectId, 'c1')).toMatchObject({ id: 'c1', sections: [] })
        expect(await client.getMedia(projectId, 'm1')).toMatchObject([{ filename: '1.jpg' }])
        expect(await client.listProjects()).toMatchObject([{ id: projectId, name: 'Smith' }])
        expect(await client.getProject(projectId)).toMatchObject({ name: 'Smith' })
        expect(await client.listServiceRequests(projectId)).toMatchObject([{ id: 'r1' }])
        expect(await client.createServiceRequest(order)).toMatchObject({ id: 'r2', tierLevel: 'maxFill' })
        expect(client.callCount).toBe(7)

        const query = new URLSearchParams({ access_token: testToken }).toString()
        expect(requests.map(({ url: path }) => path)).toEqual(Object.keys(answers).map((path) => `${path}?${query}`))
        const post = requests.at(-1)
        expect(post).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } })
        expect(JSON.parse(post?.body ?? '')).toEqual(order)
        expect(requests.slice(0, -1).every(({ method, body }) => method === 'GET' && body === '')).toBe(true)
      },
    )
  })

  test('resolve links without a host against the service', async () => {
    const record = { imgUrl: '/files/1.jpg?a=%2f', thumbnail: { url: '//127.0.0.1:9/t.jpg' }, filename: 'a' }
    const absolute = { url: '/media/1', image: 'https://f.example/1.jpg', filename: 'b' }
    const checklist = { id: 'c', status: 'completed', pdfUrl: '/files/r.pdf' }
    await withServer(
      ({ url }, response) => sendJson(response, url.includes('/media/') ? [record, absolute] : [checklist]),
      async ({ url }) => {
        const { client } = testClient(url)
        expect(await client.getMedia('p', 'm')).toMatchObject([
          { imgUrl: `${url}/files/1.jpg?a=%2f`, thumbnailUrl: 'http://127.0.0.1:9/t.jpg' },
          { imgUrl: 'https://f.example/1.jpg', thumbnailUrl: null },
        ])
        expect(await client.listChecklists('p')).toMatchObject([{ reportUrl: `${url}/files/r.pdf` }])
        expect(await client.getChecklist('p', 'c')).toMatchObject({ reportUrl: `${url}/files/r.pdf` })
      },
    )
  })

  test('report an incomplete list to the caller', async () => {
    const byId = { name: 'A', filename: 'a.jpg', status: 'draft' }
    for (const [page, partial] of [
      [{ data: [{ id: 'a', status: 'draft' }], total: 2 }, true],
      [{ data: [{ id: 'a', status: 'draft' }], has_more: true }, true],
      [{ data: [{ id: 'a', status: 'draft' }], nextCursor: 'x' }, true],
      [{ a1: byId, a2: null }, true],
      [{ data: { a1: byId, a2: null } }, true],
      [{ data: [{ id: 'a', status: 'draft' }], nextCursor: null, total: 1 }, false],
      [{ a1: byId, next: null, error: null }, false],
      [{ id: 'a', ...byId, address1: null, address2: {} }, false],
      [[{ id: 'a', status: 'draft' }], false],
    ] as const) {
      await withServer(
        (_, response) => sendJson(response, page),
        async ({ url }) => {
          const { client, log } = testClient(url)
          let calls = 0
          const onPartial = () => void calls++
          await client.listChecklists('p', { onPartial })
          await client.getMedia('p', 'm', { onPartial })
          await client.listProjects({ onPartial })
          await client.listServiceRequests('p', { onPartial })
          await client.listProjects()
          expect(calls).toBe(partial ? 4 : 0)
          expect(log.filter(({ level }) => level === 'warn')).toHaveLength(partial ? 5 : 0)
        },
      )
    }
  })

  test.each<[boolean, number, Record<string, string>]>([
    [true, 200, { link: '</x?page=1>; rel="first", </x?page=2>; rel="next"' }],
    [true, 200, { 'x-total-count': '30' }],
    [true, 200, { 'content-range': 'items 0-0/30' }],
    [true, 206, { 'content-range': 'items 0-0/30' }],
    [true, 206, {}],
    [true, 200, { 'x-next-page': '2' }],
    [true, 200, { 'x-total': '2' }],
    [true, 200, { 'x-total-count': 'many', 'x-total': '2' }],
    [true, 200, { 'x-total-pages': '2' }],
    [true, 200, { 'x-pagination': '{"TotalCount":2,"PageSize":1}' }],
    [true, 200, { 'x-pagination': '{"page":1,"nextPageLink":"/x?page=2"}' }],
    [false, 200, { 'x-next-page': '', 'x-total': '1', 'x-total-pages': '1' }],
    [false, 200, { 'x-pagination': '{"TotalCount":1,"TotalPages":1,"HasNext":false,"nextPageLink":""}' }],
    [false, 200, { 'x-pagination': '1 of 2' }],
    [false, 206, { 'content-range': 'items 0-0/1' }],
    [false, 200, { link: '</x?rel=next>; rel="first last"', 'x-total-count': '1', 'content-range': 'items 0-0/1' }],
  ])('read the response headers about pages: %s for %i %j', async (partial, status, headers) => {
    await withServer(
      (_, response) => {
        response.writeHead(status, headers).end('[{"id":"a","status":"draft"}]')
      },
      async ({ url }) => {
        let calls = 0
        const onPartial = () => void calls++
        const { client } = testClient(url)
        await client.listChecklists('p', { onPartial })
        await client.getMedia('p', 'm', { onPartial })
        await client.listServiceRequests('p', { onPartial })
        expect(calls).toBe(partial ? 3 : 0)
      },
    )
  })

  test('a total of photos belongs to lists of photos alone', async () => {
    const photos = [{ id: 'a', status: 'draft', imgUrl: 'https://f.example/a.jpg' }]
    await withServer(
      (_, response) => sendJson(response, { photos, checklists: photos, orders: photos, totalPhotos: 2 }),
      async ({ url }) => {
        const parts: string[] = []
        const { client } = testClient(url)
        await client.listChecklists('p', { onPartial: () => parts.push('checklists') })
        await client.listServiceRequests('p', { onPartial: () => parts.push('orders') })
        await client.getMedia('p', 'm', { onPartial: () => parts.push('photos') })
        expect(parts).toEqual(['photos'])
      },
    )
  })

  test.each<[boolean, Record<string, string>]>([
    [true, { 'x-next-page': '2' }],
    [true, { 'x-total-pages': '2' }],
    [false, { 'x-total': '7', 'x-total-count': '7', 'x-pagination': '{"TotalCount":7}' }],
  ])('read the response headers about a checklist: %s for %j', async (isPartial, headers) => {
    await withServer(
      (_, response) => {
        response.writeHead(200, headers).end('{"id":"c","status":"draft","sections":[]}')
      },
      async ({ url }) => {
        expect(await testClient(url).client.getChecklist('p', 'c')).toMatchObject({ isPartial })
      },
    )
  })

  const named = (id: string) => ({ id, name: id, model: id, status: 'draft' })
  const twice = [named('a'), named('a'), named('b')]
  test.each<[number, object, Record<string, string>]>([
    [0, { data: twice, total: 2 }, {}],
    [3, { data: twice, total: 3 }, {}],
    [4, { data: twice, total: 4 }, {}],
    [3, twice, { 'x-total-count': '3' }],
  ])('count an ID that appears twice once: %i partial lists of %j %j', async (partial, body, headers) => {
    await withServer(
      (_, response) => {
        response.writeHead(200, headers).end(JSON.stringify(body))
      },
      async ({ url }) => {
        let calls = 0
        const onPartial = () => void calls++
        const { client } = testClient(url)
        expect(await client.listChecklists('p', { onPartial })).toHaveLength(2)
        expect(await client.listProjects({ onPartial })).toHaveLength(2)
        expect(await client.listServiceRequests('p', { onPartial })).toHaveLength(3)
        expect(await client.listModules('u', 'own', { onPartial })).toEqual(['a', 'b'])
        expect(calls).toBe(partial)
      },
    )
  })

  const photo = (filename: string, imgUrl: string, id?: string) => ({ id, filename, imgUrl })
  const front = photo('Front.jpg', 'https://f.example/1?signature=a')
  const back = photo('Back.jpg', 'https://f.example/2?signature=a')
  const withId = photo('Front.jpg', front.imgUrl, 'm1')
  test.each<[boolean, object[]]>([
    [true, [front, back, back]],
    [true, [withId, { ...withId, imgUrl: 'https://f.example/1?signature=b' }, back]],
    [true, [front, back, { ...back, imgUrl: 'https://f.example/2?signature=b' }]],
    [true, [withId, { ...withId, imgUrl: 'https://f.example/1?token=b' }, back]],
    [false, [withId, { ...withId, imgUrl: `${front.imgUrl}&file=2` }, back]],
    [false, [front, { ...back, filename: 'Front.jpg' }, photo('Front.jpg', 'https://f.example/1?key=2')]],
    [false, [withId, { ...withId, id: 'm2' }, { ...withId, imgUrl: back.imgUrl }]],
    [false, [front, photo('Back.jpg', ''), photo('Back.jpg', '')]],
  ])('count a photo that appears twice once, and list it as sent: partial %j, %j', async (isPartial, media) => {
    await withServer(
      (_, response) => sendJson(response, { media, total: 3 }),
      async ({ url }) => {
        let calls = 0
        expect(await testClient(url).client.getMedia('p', 'm', { onPartial: () => void calls++ })).toHaveLength(3)
        expect(calls > 0).toBe(isPartial)
      },
    )
  })

  const detail = { id: 'c', status: 'completed', sections: [{ label: 'Roof', questions: [{ label: 'Ridge' }] }] }
  test.each<[number, Record<string, string>, object]>([
    [200, {}, { ...detail, sections: [...detail.sections, null] }],
    [200, {}, { ...detail, sections: [{ label: 'Roof', questions: [null, { label: 'Ridge' }] }] }],
    [200, {}, { ...detail, sections: { Roof: { questions: detail.sections[0]?.questions }, Attic: null } }],
    [200, {}, { ...detail, sections: [{ label: 'Roof', questions: { Ridge: { type: 'photo' }, Eave: null } }] }],
    [200, { link: '</x?page=2>; rel="next"' }, detail],
    [206, {}, detail],
  ])('read a checklist that admits to be partial: %i %j %j', async (status, headers, body) => {
    await withServer(
      (_, response) => {
        response.writeHead(status, headers).end(JSON.stringify(body))
      },
      async ({ url }) => {
        const read = await testClient(url).client.getChecklist('p', 'c')
        expect(read).toMatchObject({ id: 'c', isPartial: true })
        expect(read.sections.flatMap(({ questions }) => questions)).toMatchObject([{ label: 'Ridge' }])
      },
    )
  })

  test.each([
    { total: 30, pages: 3, hasMore: true, next: 'review' },
    { assignees: [{ name: 'A' }, null], tags: ['a', null] },
    { items: [null, 'Yes'], children: [null] },
    { fields: { ridge: null, hip: 'Yes', eave: { value: 7 } }, items: { next: null } },
  ])('read a whole checklist with %j', async (more) => {
    await withServer(
      (_, response) => sendJson(response, { ...detail, ...more }),
      async ({ url }) => {
        expect(await testClient(url).client.getChecklist('p', 'c')).toMatchObject({ id: 'c', isPartial: false })
      },
    )
  })

  test.each([[''], ['.'], ['..'], [' .. '], ['a\0'], ['\ud800']])(
    'blame the service for its own id %j, and the user for theirs',
    async (id) => {
      const { client } = testClient('http://127.0.0.1:1')
      for (const call of [client.getChecklist('p', id), client.getMedia('p', id)]) {
        const error = await caught(call)
        expect(error.code).toBe('unreadable-answer')
        expect(error.message).toContain('The service sent an ID that cannot be used in a request')
        expect(error.message).not.toContain('the project')
      }
      expect((await caught(client.listChecklists(id))).code).toBe('wrong-usage')
      expect(client.callCount).toBe(0)
    },
  )

  test('use a token that was replaced while they waited', async () => {
    const tokens = ['first-token', 'second-token']
    await withServer(
      (_, response) => sendJson(response, []),
      async ({ url, requests }) => {
        const { client } = testClient(url, { token: () => Promise.resolve(tokens.shift()) })
        await client.listProjects()
        expect(requests[0]?.url).toContain('second-token')
      },
    )
  })

  test('read a compressed answer', async () => {
    const { gzipSync } = await import('node:zlib')
    await withServer(
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('[{"id":"p","name":"Smith"}]'))
      },
      async ({ url }) => {
        expect(await testClient(url).client.listProjects()).toMatchObject([{ id: 'p' }])
      },
    )
  })

  test('reuse connections for reads', async () => {
    const ports = new Set<number | undefined>()
    await withServer(
      (_, response) => {
        ports.add(response.socket?.remotePort)
        sendJson(response, [])
      },
      async ({ url }) => {
        const { client } = testClient(url)
        for (let call = 0; call < 5; call++) await client.listChecklists(projectId)
        expect(ports.size).toBe(1)
      },
    )
  })

  test('log that a list is incomplete', async () => {
    await withServer(
      (_, response) => sendJson(response, { data: [{ id: 'p1', name: 'A' }], meta: { total: 40 } }),
      async ({ url }) => {
        const { client, log } = testClient(url)
        expect(await client.listProjects()).toHaveLength(1)
        expect(log.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { received: 1 } }])
      },
    )
  })
})

describe('an answer', () => {
  test.each<[string, string, RegExp]>([
    ['with the deepest nesting', `${'['.repeat(64)}${']'.repeat(64)}`, /contains no such list/],
    ['nested too deeply', `${'['.repeat(66)}${']'.repeat(66)}`, /too large or nested too deeply/],
    ['with too many values', `[${'0,'.repeat(2_100_000)}0]`, /too large or nested too deeply/],
    ['with too many bytes', JSON.stringify('x'.repeat(17_000_000)), /too large or nested too deeply/],
  ])('%s is unreadable', async (_, body, message) => {
    await withServer(
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(body),
      async ({ url }) => {
        const error = await caught(testClient(url).client.listChecklists(projectId))
        expect(error.code).toBe('unreadable-answer')
        expect(error.message).toMatch(message)
      },
    )
  })
})

describe('redirects', () => {
  test('within the service are followed with the token, each step a call', async () => {
    await withServer(
      ({ url }, response) => {
        if (url.startsWith('/api')) response.writeHead(301, { location: '/moved/here' }).end()
        else sendJson(response, [])
      },
      async ({ url, requests }) => {
        const { client } = testClient(url)
        expect(await client.listChecklists(projectId)).toEqual([])
        expect(requests[1]?.url).toMatch(/^\/moved\/here\?access_token=/)
        expect(client.callCount).toBe(2)
      },
    )
  })

  test('to another origin are not followed: the token stays here', async () => {
    await withServer(
      (_, response) => sendJson(response, []),
      async (other) => {
        await withServer(
          (_, response) => void response.writeHead(302, { location: `${other.url}/x?secret=CANARY` }).end(),
          async ({ url }) => {
            const error = await caught(testClient(url).client.listChecklists(projectId))
            expect(error.code).toBe('service-error')
            expect(error.message).toContain(other.url)
            expect(error.message).not.toContain('CANARY')
            expect(other.requests).toEqual([])
          },
        )
      },
    )
  })

  test.each(['file:///etc/passwd', 'ftp://127.0.0.1/a', 'http://[', 'data:,x'])(
    'to %s are refused',
    async (location) => {
      await withServer(
        (_, response) => void response.writeHead(302, { location }).end(),
        async ({ url, requests }) => {
          const error = await caught(testClient(url).client.listChecklists(projectId))
          expect(error).toMatchObject({
            code: 'service-error',
            message: expect.stringContaining('web address') as string,
          })
          expect(requests).toHaveLength(1)
        },
      )
    },
  )

  test('with a body without end are left unread', async () => {
    let last: ServerResponse | undefined
    await withServer(
      ({ url }, response) => {
        if (!url.startsWith('/api')) {
          sendJson(response, [])
          return
        }
        last = response.writeHead(302, { location: '/moved' })
        const more = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        }
        response.on('drain', more)
        more()
      },
      async ({ url }) => {
        expect(await testClient(url).client.listChecklists(projectId)).toEqual([])
        await expect.poll(() => last?.destroyed).toBe(true)
      },
    )
  })

  test('in a loop end', async () => {
    await withServer(
      (_, response) => void response.writeHead(302, { location: '/again' }).end(),
      async ({ url, requests }) => {
        expect((await caught(testClient(url).client.listChecklists(projectId))).code).toBe('service-error')
        expect(requests).toHaveLength(4)
      },
    )
  })
})

describe('an id with half of an emoji, which the database cannot keep', () => {
  const id = 'a\ud83d'

  test('makes lists and a new order unreadable', async () => {
    await withServer(
      (_, response) => sendJson(response, [{ id, name: 'A', status: 'ordered' }]),
      async ({ url }) => {
        const { client } = testClient(url)
        for (const call of [
          client.listChecklists(projectId),
          client.listProjects(),
          client.listServiceRequests(projectId),
          client.createServiceRequest(order),
        ]) {
          expect((await caught(call)).code).toBe('unreadable-answer')
        }
      },
    )
  })

  test('remains the id of a photo, of which only a hash is stored', async () => {
    await withServer(
      (_, response) => sendJson(response, [{ id, filename: 'a.jpg', imgUrl: 'https://files.example/a.jpg' }]),
      async ({ url }) => {
        expect(await testClient(url).client.getMedia(projectId, 'm')).toMatchObject([{ id }])
      },
    )
  })
})

describe('aborting a call', () => {
  test('ends it while the service is silent', async () => {
    const stop = new AbortController()
    await withServer(
      () => stop.abort(),
      async ({ url }) => {
        const error = await caught(testClient(url).client.listChecklists(projectId, { signal: stop.signal }))
        expect(error.code).toBe('cancelled')
      },
    )
  })

  test('before it is sent sends nothing', async () => {
    await withServer(
      (_, response) => sendJson(response, []),
      async ({ url, requests }) => {
        const { client } = testClient(url)
        expect((await caught(client.listProjects({ signal: AbortSignal.abort('why') }))).code).toBe('cancelled')
        expect(requests).toEqual([])
        expect(client.callCount).toBe(0)
      },
    )
  })
})
