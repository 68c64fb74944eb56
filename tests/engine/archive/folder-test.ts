import promises, { chmod, chown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test as base, onTestFinished, vi } from 'vitest'

/** A test with an empty folder on disk, which is deleted afterwards. */
export const folderTest = base.extend<{ root: string }>({
  // eslint-disable-next-line no-empty-pattern -- vitest reads the fixtures that this one needs from the pattern
  root: async ({}, use) => {
    const root = await mkdtemp(join(await realpath(tmpdir()), 'solarchive-archive-'))
    await use(root)
    await rm(root, { recursive: true, force: true })
  },
})

/** Writes files and creates their folders: `{ 'a/b.txt': 'text' }`. */
export async function writeFiles(root: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, data] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), data)
  }
}

/** Runs the work as a user who owns `root` and is bound by permissions, even if the tests run as root. */
export async function withoutPrivileges<T>(root: string, work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0 || process.seteuid === undefined) return work()
  await chmod(root, 0o755)
  const nobody = 65534
  await chown(root, nobody, nobody)
  process.seteuid(nobody)
  try {
    return await work()
  } finally {
    process.seteuid(0)
  }
}

/** An error as the file functions of Node throw it. */
export function errnoError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: it failed`), { code })
}

/** Has the next call fail as on Windows, until the test ends: by default, because a virus scanner holds the file. */
export function failOnWindows(call: 'mkdir' | 'open' | 'rename' | 'rm', code = 'EBUSY'): void {
  const failing = vi.spyOn(promises, call).mockRejectedValueOnce(errnoError(code))
  const { platform } = process
  Object.defineProperty(process, 'platform', { value: 'win32' })
  syncBuiltinESMExports()
  onTestFinished(() => {
    failing.mockRestore()
    Object.defineProperty(process, 'platform', { value: platform })
    syncBuiltinESMExports()
  })
}
