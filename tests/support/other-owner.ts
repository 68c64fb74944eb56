import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Settings of an owner that are not those of the test. */
export const othersSettings = { archiveFolder: '/theirs', serviceUrl: 'https://their.example' }

/** Describes this process as a `watch` with these settings. The caller holds the lock of the data folder. */
export function describeOtherOwner(homeFolder: string): void {
  const facts = {
    pid: process.pid,
    version: '1',
    command: 'watch',
    useSample: false,
    address: '',
    key: '',
    apiCallsPerMinute: null,
    concurrency: null,
    ...othersSettings,
  }
  mkdirSync(join(homeFolder, 'owner'), { recursive: true })
  writeFileSync(join(homeFolder, 'owner', 'owner.json'), JSON.stringify(facts))
}
