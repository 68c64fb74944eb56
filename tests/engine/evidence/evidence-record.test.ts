import { expect, test } from 'vitest'
import { createEvidenceRecord, readEvidenceState } from '../../../electron/engine/evidence/evidence-record.ts'
import { AppError } from '../../../shared/errors.ts'
import { storeFolder } from '../store/store-folder.ts'

const stampOf = (name: string, stampedAt: string) => ({ folder: `.evidence/${name}`, stampedAt, signedBy: 'TSA' })
const late = stampOf('2026-11-25', '2026-11-26T02:00:15.000Z')
const today = stampOf('2026-11-26', '2026-11-26T02:00:00.000Z')
const again = stampOf('2026-11-26T09-00-00Z', '2026-11-26T09:00:01.000Z')
const tomorrow = stampOf('2026-11-27', '2026-11-27T02:00:00.000Z')
const ahead = stampOf('2027-11-26', '2026-11-26T03:00:00.000Z')

test.each([
  ['of the newest evidence, also if older evidence is stamped after it', [today, late], today],
  ['of the latest evidence of a day', [today, again], again],
  ['of later evidence than that of a folder named by a clock that was ahead', [ahead, today, tomorrow], tomorrow],
])('the last stamp is that %s', (_, stamps, last) => {
  const { open, clock } = storeFolder()
  const store = open()
  const record = createEvidenceRecord(store, clock)
  for (const stamp of stamps) record.stamped(stamp)
  expect(readEvidenceState(store, clock, { isDaily: true, isStamping: false }).last).toEqual(last)
  store.close()
})

test('a failure of daily time stamps is a problem only while they are on', () => {
  const { open, clock } = storeFolder()
  const store = open()
  createEvidenceRecord(store, clock).failed(new AppError('service-error', 'The authority does not respond.'))
  const problem = (isDaily: boolean) => readEvidenceState(store, clock, { isDaily, isStamping: false }).problem
  expect(problem(true)).toMatchObject({ error: { code: 'service-error' } })
  expect(problem(false)).toBeNull()
  store.close()
})
