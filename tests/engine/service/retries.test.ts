import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { createCallMemory } from '../../../electron/engine/service/rate-budget.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { failCalls } from '../../support/hooks/fail-calls.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { sendJson, withServer } from '../../support/with-server.ts'
import { caught } from './caught.ts'
import { testClient } from './test-client.ts'

const projectId = '507f1f77bcf86cd799439011'
const order = { projectId, status: 'ordered', form: { fireSetbacks: { ridge: 'undefined' } } }

describe('retries', () => {
  test.each([500, 502, 503, 504])('a read survives two responses of %i, and each counts as a call', async (status) => {
    let calls = 0
    await withServer(
      (_, response) => {
        if (++calls < 3) response.writeHead(status).end()
        else sendJson(response, [])
      },
      async ({ url }) => {
        const { client, clock } = testClient(url)
        expect(await client.listChecklists(projectId)).toEqual([])
        expect(client.callCount).toBe(3)
        expect(clock.sleepsMs).toEqual([300, 1_200])
      },
    )
  })

  test('a retry waits for the rate budget', async () => {
    let calls = 0
    await withServer(
      (_, response) => {
        if (++calls < 2) response.writeHead(500).end()
        else sendJson(response, [])
      },
      async ({ url }) => {
        const { client, clock } = testClient(url, { callsPerMinute: 1 })
        await client.listChecklists(projectId)
        expect(Math.max(...clock.sleepsMs)).toBeGreaterThan(30_000)
      },
    )
  })

  test('a call that a full disk keeps from being recorded is not sent, and says so', async () => {
    const store = createStore(join(temporaryFolder(), 'database.sqlite3'))
    onTestFinished(() => store.close())
    await withServer(
      (_, response) => sendJson(response, []),
      async ({ url, requests }) => {
        const memory = createCallMemory(store, systemClock, { service: url })
        const { client } = testClient(url, { callsPerMinute: 1, memory })
        const freeTheDisk = await failCalls({ below: ['database'], calls: ['run'], from: 1, what: 'SQLITE_FULL' })
        const error = await caught(client.listChecklists(projectId)).finally(freeTheDisk)
        expect(error.code).toBe('disk-full')
        expect(requests).toHaveLength(0)
        expect(await client.listChecklists(projectId)).toEqual([])
      },
    )
  })

  test('a broken connection is retried', async () => {
    let calls = 0
    await withServer(
      (_, response) => {
        if (++calls < 3) response.socket?.destroy()
        else sendJson(response, [])
      },
      async ({ url }) => {
        expect(await testClient(url).client.listChecklists(projectId)).toEqual([])
      },
    )
  })

  test('a refused call is not retried', async () => {
    await withServer(
      (_, response) => void response.writeHead(404).end(),
      async ({ url, requests }) => {
        await caught(testClient(url).client.listChecklists(projectId))
        expect(requests).toHaveLength(1)
      },
    )
  })

  test.each([500, 503, 429, 307, 308, 'break'] as const)('an order is sent once, even after %s', async (answer) => {
    await withServer(
      (_, response) => {
        if (answer === 'break') response.socket?.destroy()
        else response.writeHead(answer, { location: '/api/v1/elsewhere' }).end()
      },
      async ({ url, requests }) => {
        const { client } = testClient(url)
        await caught(client.createServiceRequest(order))
        expect(requests).toHaveLength(1)
        expect(client.callCount).toBe(1)
      },
    )
  })
})

describe('a rate limit', () => {
  test('pauses every call, which then continue without losing an attempt', async () => {
    const statuses = [429, 500, 429, 500]
    await withServer(
      (_, response) => {
        const status = statuses.shift()
        if (status === undefined) sendJson(response, [])
        else response.writeHead(status, status === 429 ? { 'retry-after': '20' } : {}).end()
      },
      async ({ url }) => {
        const { client, clock } = testClient(url)
        expect(await client.listChecklists(projectId)).toEqual([])
        expect(client.callCount).toBe(5)
        expect(clock.sleepsMs.filter((ms) => ms > 15_000)).toHaveLength(2)
      },
    )
  })

  test('fails a call after five refusals in a row, with the time to wait', async () => {
    await withServer(
      (_, response) => void response.writeHead(429).end(),
      async ({ url, requests }) => {
        const error = await caught(testClient(url).client.listChecklists(projectId))
        expect(error.code).toBe('rate-limited')
        expect(error.details).toMatchObject({ retryAfterMs: 60_000 })
        expect(requests).toHaveLength(5)
      },
    )
  })

  test('with a long wait fails a call immediately, but the pause holds for the next call', async () => {
    let calls = 0
    await withServer(
      (_, response) => {
        if (++calls === 1) response.writeHead(429, { 'retry-after': '1800' }).end()
        else sendJson(response, [])
      },
      async ({ url }) => {
        const { client, clock } = testClient(url)
        const error = await caught(client.listChecklists(projectId))
        expect(error).toMatchObject({ code: 'rate-limited', details: { retryAfterMs: 1_800_000 } })
        expect(error.message).toContain('30 minutes')
        await client.listChecklists(projectId)
        expect(Math.max(...clock.sleepsMs)).toBeGreaterThan(1_790_000)
      },
    )
  })

  /** Writes a time as the test client's clock has it after `minutes`. */
  const httpDate = (minutes: number) => new Date(testClient('http://h').clock.nowMs() + minutes * 60_000).toUTCString()

  test.each<[string, number | undefined, number, number]>([
    ['ahead', 20, 20.5, 30],
    ['behind', -20, -19.5, 30],
    ['unknown', undefined, 0.5, 30],
    ['years behind, and the date before it', -5_000_000, -5_000_000.5, 1],
  ])('until a date lasts as long as the service means: its clock is %s', async (_, sentAt, endsAt, seconds) => {
    let calls = 0
    await withServer(
      (_request, response) => {
        response.sendDate = false
        if (sentAt !== undefined) response.setHeader('date', httpDate(sentAt))
        if (++calls === 1) response.writeHead(429, { 'retry-after': httpDate(endsAt) }).end()
        else sendJson(response, [])
      },
      async ({ url }) => {
        const { client, clock } = testClient(url)
        expect(await client.listChecklists(projectId)).toEqual([])
        expect(Math.max(...clock.sleepsMs) / 1000).toBeGreaterThan(seconds / 2)
        expect(Math.max(...clock.sleepsMs) / 1000).toBeLessThan(seconds + 2)
      },
    )
  })

  test('until a date that is years after the Date of the answer ends the call, with the longest pause', async () => {
    await withServer(
      (_, response) => {
        response.setHeader('date', 'Thu, 01 Jan 1970 00:00:00 GMT')
        response.writeHead(429, { 'retry-after': httpDate(1) }).end()
      },
      async ({ url }) => {
        const error = await caught(testClient(url).client.listChecklists(projectId))
        expect(error).toMatchObject({ code: 'rate-limited', details: { retryAfterMs: 3_600_000 } })
      },
    )
  })

  test('whose wait is longer than any pause is reported with the pause', async () => {
    await withServer(
      (_, response) => void response.writeHead(429, { 'retry-after': String(365 * 24 * 60 * 60) }).end(),
      async ({ url }) => {
        const error = await caught(testClient(url).client.listChecklists(projectId))
        expect(error).toMatchObject({ code: 'rate-limited', details: { retryAfterMs: 3_600_000 } })
        expect(error.message).toContain('wait 60 minutes.')
      },
    )
  })

  test.each([600, 1800])('keeps a user waiting for a later call only if it is short: %i s', async (seconds) => {
    let calls = 0
    await withServer(
      (_, response) => {
        if (++calls === 1) response.writeHead(429, { 'retry-after': String(seconds) }).end()
        else sendJson(response, [])
      },
      async ({ url }) => {
        const { client, clock } = testClient(url)
        expect(await caught(client.createServiceRequest(order))).toMatchObject({ code: 'rate-limited' })
        if (seconds > 900) {
          for (const asking of [client.listProjects(), client.listServiceRequests(projectId, { priority: 'user' })]) {
            const error = await caught(asking)
            expect(error).toMatchObject({ code: 'rate-limited', details: { status: 429 } })
            expect(error.message).toMatch(/30 minutes\. Nothing was changed\./)
          }
          expect(clock.sleepsMs).toEqual([])
        }
        // Nobody waits for the watch.
        expect(await client.listServiceRequests(projectId, seconds > 900 ? { priority: 'idle' } : {})).toEqual([])
        expect(Math.max(...clock.sleepsMs)).toBeGreaterThan(seconds * 1000 - 10_000)
      },
    )
  })
})
