import { expect, test, vi } from 'vitest'
import { retryWhileLocked } from '../../../../electron/engine/lib/fs/retry-while-locked.ts'
import { errnoError } from '../../archive/folder-test.ts'

test('on Windows a file that another program holds for a moment is tried again', async () => {
  const operation = vi.fn<() => Promise<string>>().mockResolvedValue('done')
  operation.mockRejectedValueOnce(errnoError('EPERM')).mockRejectedValueOnce(errnoError('EBUSY'))
  expect(await retryWhileLocked(operation, 'win32')).toBe('done')
  expect(operation).toHaveBeenCalledTimes(3)
})

test('on Windows a file that stays held is given up', async () => {
  const operation = vi.fn().mockRejectedValue(errnoError('EACCES'))
  await expect(retryWhileLocked(operation, 'win32')).rejects.toMatchObject({ code: 'EACCES' })
  expect(operation).toHaveBeenCalledTimes(7)
})

test('other errors, and other systems, are not tried again', async () => {
  for (const [code, platform] of [
    ['ENOENT', 'win32'],
    ['EPERM', 'linux'],
    ['EBUSY', 'darwin'],
  ] as const) {
    const operation = vi.fn().mockRejectedValue(errnoError(code))
    await expect(retryWhileLocked(operation, platform)).rejects.toMatchObject({ code })
    expect(operation).toHaveBeenCalledTimes(1)
  }
})
