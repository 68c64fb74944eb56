import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { WatchGate, type Probes } from '../../../electron/engine/scheduler/watch-gate.ts'
import { AppError } from '../../../shared/errors.ts'

const gone = () => Promise.resolve(true)
const probes: Probes = { offline: gone, disk: gone, token: gone, service: gone }

it('a disk that passes the probe and fails again is probed less and less, until it works for a while', async () => {
  const home = mkdtempSync(join(tmpdir(), 'solarchive-watch-gate-'))
  const store = createStore(join(home, 'db.sqlite3'))
  onTestFinished(() => {
    store.close()
    rmSync(home, { recursive: true })
  })
  let nowMs = 0
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, sleep: () => Promise.resolve() }
  const gate = new WatchGate(store, clock, null)
  const delays: (number | null)[] = []
  async function failOnce(): Promise<void> {
    gate.block('disk', new AppError('disk-full', 'Full.'))
    const delayMs = gate.probeInMs()
    delays.push(delayMs)
    nowMs += delayMs ?? 0
    await gate.probe(probes, new AbortController().signal)
    nowMs += 60_000
  }
  for (let times = 0; times < 9; times++) await failOnce()
  nowMs += 60 * 60_000
  await failOnce()
  expect(delays.map((delayMs) => (delayMs ?? 0) / 1000)).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600, 10])
})
