import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { WatchGate, type Probes } from '../../../electron/engine/scheduler/watch-gate.ts'
import { AppError } from '../../../shared/errors.ts'

const gone = () => Promise.resolve(true)
const probes: Probes = { offline: gone, disk: gone, token: gone, service: gone }

function watchGate() {
  const home = mkdtempSync(join(tmpdir(), 'solarchive-watch-gate-'))
  const store = createStore(join(home, 'db.sqlite3'))
  onTestFinished(() => {
    store.close()
    rmSync(home, { recursive: true })
  })
  const time = { nowMs: 0 }
  const clock = { nowMs: () => time.nowMs, monotonicMs: () => time.nowMs, sleep: () => Promise.resolve() }
  return { gate: new WatchGate(store, clock, null), time }
}

it('a disk that passes the probe and fails again is probed less and less, until it works for a while', async () => {
  const { gate, time } = watchGate()
  const delays: (number | null)[] = []
  async function failOnce(): Promise<void> {
    gate.block('disk', new AppError('disk-full', 'Full.'))
    const delayMs = gate.probeInMs()
    delays.push(delayMs)
    time.nowMs += delayMs ?? 0
    await gate.probe(probes, new AbortController().signal)
    time.nowMs += 60_000
  }
  for (let times = 0; times < 9; times++) await failOnce()
  time.nowMs += 60 * 60_000
  await failOnce()
  expect(delays.map((delayMs) => (delayMs ?? 0) / 1000)).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600, 10])
})

it('a recheck during a check that fails is made at once afterwards, and tries a token', async () => {
  const { gate } = watchGate()
  const { signal } = new AbortController()
  const check = Promise.withResolvers<boolean>()
  gate.block('token', new AppError('token-refused', 'Refused.'))
  const checking = gate.probe({ ...probes, token: () => check.promise }, signal)
  gate.recheck()
  check.resolve(false)
  expect([await checking, gate.probeInMs()]).toEqual([undefined, 0])
  const failing: Probes = { ...probes, token: () => Promise.resolve(false) }
  expect(await gate.probe(failing, signal)).toMatchObject({ kind: 'token' })
  gate.block('token', new AppError('token-refused', 'Refused.'))
  expect(await gate.probe(failing, signal)).toBeUndefined()
  expect(gate.probeInMs()).toBeGreaterThan(0)
})
