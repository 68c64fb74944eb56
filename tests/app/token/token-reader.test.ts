import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
import { readTokenFile } from '../../../electron/app/token/read-token-file.ts'
import { TokenReader } from '../../../electron/app/token/token-reader.ts'

let home: string
let file: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'solarchive-token-'))
  file = join(home, 'token')
})

afterEach(() => rm(home, { recursive: true, force: true }))

/** Writes a private file in one step, as an editor does. */
async function put(content: string | Uint8Array, mode = 0o600) {
  await rm(file, { recursive: true, force: true })
  await writeFile(file, content, { mode })
  await chmod(file, mode)
}

const read = () => readTokenFile(file, process.platform)

describe('the token file', () => {
  test.each([
    ['alone', 'abc-123'],
    ['with a line break', 'abc-123\n'],
    ['with what an editor on Windows adds', '\uFEFF  abc-123 \r\n'],
    ['in the two-byte text of PowerShell', Buffer.from('\uFEFFabc-123\r\n', 'utf16le')],
  ])('provides its token %s', async (_how, content) => {
    await put(content)
    expect(await read()).toEqual({ kind: 'token', token: 'abc-123' })
  })

  test('may be absent, like the data folder', async () => {
    expect(await read()).toEqual({ kind: 'absent' })
    await rm(home, { recursive: true })
    expect(await read()).toEqual({ kind: 'absent' })
  })

  test.each([
    ['empty', '', 'it is empty.'],
    ['blank', ' \n\n', 'it is empty.'],
    ['two lines', 'canary\nother', 'one line'],
    ['a space within', 'canary canary', 'one line'],
    ['a control character', 'canary\u0007x', 'control characters'],
    ['a zero', 'canary\0x', 'control characters'],
    ['another script', 'canary-ключ', 'one line'],
    ['more than 4 KB', 'canary'.repeat(1000), 'larger than 4 KB'],
  ])('with %s is not used, and the message does not repeat it', async (_what, content, reason) => {
    await put(content)
    const found = await read()
    expect(found).toMatchObject({ kind: 'unusable', problem: expect.stringContaining(reason) as string })
    expect(JSON.stringify(found)).not.toContain('canary')
  })

  test('that is a folder is not used', async () => {
    await mkdir(file, { mode: 0o700 })
    expect(await read()).toMatchObject({ kind: 'unusable', problem: 'it is not a plain file.' })
  })
})

describe.skipIf(process.platform === 'win32')('on a system with file modes, the token file', () => {
  test.each([0o640, 0o604, 0o644, 0o660, 0o602])(
    'with mode %o is not used, and the message says what to do',
    async (mode) => {
      await put('canary', mode)
      expect(await read()).toMatchObject({ kind: 'unusable', problem: expect.stringContaining('chmod 600') as string })
    },
  )

  test.each([0o600, 0o400])('with mode %o is used', async (mode) => {
    await put('abc', mode)
    expect(await read()).toEqual({ kind: 'token', token: 'abc' })
  })

  test('is used whatever its mode on systems without modes', async () => {
    await put('abc', 0o644)
    expect(await readTokenFile(file, 'win32')).toEqual({ kind: 'token', token: 'abc' })
  })

  test('that is a link is not followed', async () => {
    await writeFile(join(home, 'elsewhere'), 'canary', { mode: 0o600 })
    await symlink(join(home, 'elsewhere'), file)
    expect(await read()).toMatchObject({
      kind: 'unusable',
      problem: expect.stringContaining('symbolic link') as string,
    })
  })

  test('that is a socket is not used', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(file, resolve))
    onTestFinished(() => void server.close())
    await chmod(file, 0o600)
    expect(await read()).toMatchObject({ kind: 'unusable', problem: 'it is not a plain file.' })
  })
})

describe('the token in use', () => {
  const messages: string[] = []
  const redactor = createRedactor()
  const sourceWith = (environmentToken?: string) => {
    messages.length = 0
    return new TokenReader({
      homeFolder: home,
      environmentToken,
      platform: process.platform,
      redactor,
      showMessage: (message) => void messages.push(message),
    })
  }

  test('is undefined if none was provided', async () => {
    expect(await sourceWith().accessToken()).toBeUndefined()
    expect(messages).toEqual([])
  })

  test('is the environment’s before the file’s, until the service refuses it', async () => {
    await put('of-the-file')
    const source = sourceWith('of-the-environment')
    expect(await source.accessToken()).toBe('of-the-environment')
    expect(await source.source()).toBe('environment')
    source.recordRefusal()
    expect(await source.source()).toBe('file')
    expect(await source.accessToken()).toBe('of-the-file')
  })

  test('stays the environment’s if there is no usable file', async () => {
    const source = sourceWith('of-the-environment')
    source.recordRefusal()
    expect(await source.source()).toBe('none')
    expect(await source.accessToken()).toBe('of-the-environment')
    await put('')
    expect(await source.accessToken()).toBe('of-the-environment')
  })

  test('is the new one as soon as the file contains it, and no token is ever shown', async () => {
    await put('canary-first')
    const source = sourceWith()
    expect(await source.accessToken()).toBe('canary-first')
    await put('canary-second')
    expect(await source.accessToken()).toBe('canary-second')
    expect(redactor.redactText('canary-first canary-second')).not.toContain('canary')
    expect(`${source.advice.next} ${source.advice.running}`).toContain(file)
  })

  test('stays if the file is deleted or half written, and the problem is reported once', async () => {
    await put('first')
    const source = sourceWith()
    await source.accessToken()
    await rm(file)
    expect(await source.accessToken()).toBe('first')
    expect(messages).toEqual([])
    await put('')
    expect(await source.accessToken()).toBe('first')
    expect(await source.accessToken()).toBe('first')
    expect(messages).toEqual([`${file} is not used: it is empty.`])
    await put('second')
    expect(await source.accessToken()).toBe('second')
    await put('')
    await source.accessToken()
    expect(messages).toHaveLength(2)
  })
})
