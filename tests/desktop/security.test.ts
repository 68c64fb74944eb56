import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneFolder } from '../headless/run-solarchive.ts'
import { withRawServer, withServer } from '../support/with-server.ts'
import { makeSandbox, startDesktop, type DesktopApp, type Sandbox } from './support/open-desktop.ts'

let sandbox: Sandbox
let desktop: DesktopApp
/** Asset ids of a photo and of its thumbnail. */
let fileId: number
let thumbnailId: number

beforeAll(async () => {
  sandbox = await makeSandbox({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  desktop = await startDesktop(sandbox, [], { SOLARCHIVE_TOKEN: sandbox.service.token })
  const [project] = sandbox.service.projects
  await desktop.call('projects.add', { projects: sandbox.service.projects.map(({ id, name }) => ({ id, name })) })
  await desktop.untilArchived()
  const ids = { projectId: project?.id ?? '', checklistId: project?.checklists[0]?.id ?? '' }
  const view = await desktop.call('checklists.get', ids)
  const photo = view.sections.flatMap(({ questions }) => questions).flatMap(({ photos }) => photos)[0]
  fileId = photo?.assetId ?? 0
  thumbnailId = photo?.thumbnailAssetId ?? 0
})

afterAll(async () => {
  await desktop?.quit()
  await sandbox?.remove()
})

/** Runs a script in the page, as an injected one would. */
const inPage = <T>(script: string): Promise<T> => desktop.page.evaluate<T>(script)

/** Result of a fetch in the page: status, first bytes, and headers, or `refused` if it fails. */
const fetchInPage = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  inPage<{ status: number; text: string; length: number; headers: Record<string, string> } | 'refused'>(
    `fetch(${JSON.stringify(url)}, ${JSON.stringify({ method, headers })}).then(async (response) => {
      const bytes = await response.arrayBuffer()
      return { status: response.status, length: bytes.byteLength, headers: Object.fromEntries(response.headers),
        text: new TextDecoder().decode(bytes.slice(0, 200)) }
    }, () => 'refused')`,
  )

/** Downloads a text that the page makes, as its buttons do. */
const downloadInPage = (name: string, text: string) =>
  inPage(`(() => {
    const href = URL.createObjectURL(new Blob(['${text}']))
    const link = Object.assign(document.createElement('a'), { href, download: '${name}' })
    document.body.append(link)
    link.click()
  })()`)

test('the window has every security setting, and the page has no Node', async () => {
  const preferences = await desktop.electron.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
      getLastWebPreferences(): Record<string, unknown>
    }
    return contents.getLastWebPreferences()
  })
  expect(preferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    nodeIntegrationInSubFrames: false,
    allowRunningInsecureContent: false,
    webviewTag: false,
    experimentalFeatures: false,
  })
  for (const name of ['nodeIntegrationInWorker', 'enableBlinkFeatures']) expect(preferences[name], name).toBeFalsy()
  expect(await desktop.electron.evaluate(({ session }) => session.defaultSession.isSpellCheckerEnabled())).toBe(false)
  expect(
    await inPage('[typeof require, typeof process, typeof module, typeof Buffer, typeof ipcRenderer].join()'),
  ).toBe('undefined,undefined,undefined,undefined,undefined')
  // The objects that a page receives, which cannot be replaced.
  expect(await inPage('Object.keys(window.solarchive).sort()')).toEqual([
    'copyImage',
    'invoke',
    'startDrag',
    'subscribe',
  ])
  expect(await inPage('try { window.solarchive.invoke = 1 } catch {}; typeof window.solarchive.invoke')).toBe(
    'function',
  )
  const preload = readFileSync(join(cloneFolder, 'out', 'preload', 'bridge.cjs'), 'utf8')
  expect([...preload.matchAll(/require\(["'`]([^"'`]*)/g)].map(([, name]) => name)).toEqual(['electron'])
  expect(readdirSync(join(cloneFolder, 'out', 'preload'))).toEqual(['bridge.cjs'])
})

test('the policy of the page is strict and comes as a header, and inline scripts do not run', async () => {
  const page = await fetchInPage('app://solarchive/index.html')
  if (page === 'refused') throw new Error('The page could not be read')
  const policy = page.headers['content-security-policy'] ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|\*|https?:/)
  const ran = await inPage(`new Promise((resolve) => {
    const script = document.createElement('script')
    script.textContent = 'window.itRan = true'
    document.body.append(script)
    // In a task of its own: the debugger's own evaluation may use eval.
    setTimeout(() => resolve([typeof window.itRan, (() => { try { return eval('1') } catch { return 'no eval' } })()]))
  })`)
  expect(ran).toEqual(['undefined', 'no eval'])
})

test('the page cannot navigate away, open a window or embed another page', async () => {
  await withServer(
    (_request, response) => void response.end('<h1>elsewhere</h1>'),
    async ({ url: origin, requests }) => {
      const { electron, page } = desktop
      await electron.evaluate(({ shell }) => {
        const opened: string[] = []
        Object.assign(globalThis, { opened })
        shell.openExternal = (url) => Promise.resolve(void opened.push(url))
      })
      const elsewhere = [
        origin,
        'https://example.com/',
        'file:///etc/passwd',
        'app://other/',
        `archive://files/${fileId}`,
      ]
      for (const url of elsewhere) await inPage(`void (location.href = ${JSON.stringify(url)})`).catch(() => undefined)
      for (const url of [...elsewhere, 'https://user:secret@example.com/', 'javascript:alert(1)', 'smb://host/share']) {
        expect(await inPage(`window.open(${JSON.stringify(url)}) === null`), url).toBe(true)
      }
      await inPage(`for (const [tag, attributes] of [
        ['iframe', { src: ${JSON.stringify(origin)} }],
        ['webview', { src: 'file:///' }],
        ['object', { data: ${JSON.stringify(origin)} }],
      ]) document.body.append(Object.assign(document.createElement(tag), attributes))`)
      // A call over the bridge and a fetch end after everything that the page started before them.
      expect(await desktop.ask('app.info', {})).toMatchObject({ ok: true })
      expect(await fetchInPage('app://solarchive/index.html')).toMatchObject({ status: 200 })
      expect(page.url()).toMatch(/^app:\/\/solarchive\/index\.html/)
      const state = await electron.evaluate(({ BrowserWindow, webContents }) => ({
        windows: BrowserWindow.getAllWindows().length,
        contents: webContents.getAllWebContents().filter((contents) => contents.getType() !== 'remote').length,
        opened: (globalThis as unknown as { opened: string[] }).opened,
      }))
      expect(state).toEqual({ windows: 1, contents: 1, opened: [] })
      expect(await page.locator('main h1').count()).toBe(1)
      // Not even requests that the policy allows reach the network.
      expect(await fetchInPage(origin)).toBe('refused')
      expect(requests).toEqual([])
    },
  )
})

test('a page that leaves for an empty one is brought back', async () => {
  const { electron, page } = desktop
  for (const leave of ["location.href = 'about:blank'", "open('about:blank', '_self')"]) {
    // Rejects when the page is left; resolves if a later version of Electron lets the app prevent that.
    await inPage(`new Promise((resolve) => {
      ${leave}
      setTimeout(resolve, 60_000)
    })`).catch(() => undefined)
    await page.waitForURL('app://solarchive/index.html**')
    await page.locator('main h1').waitFor()
    expect(await desktop.ask('app.info', {}), leave).toMatchObject({ ok: true })
  }
  const windows = await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
  expect(windows).toBe(1)
})

test('no connection between pages works, whatever its transport', async () => {
  const packets: Buffer[] = []
  const udp = createSocket('udp4', (packet) => void packets.push(packet))
  udp.bind(0, '127.0.0.1')
  await once(udp, 'listening')
  let connections = 0
  await withRawServer(
    (socket) => void ((connections += 1), socket.destroy()),
    async ({ port }) => {
      const servers = [
        { urls: `stun:127.0.0.1:${udp.address().port}` },
        { urls: `turn:127.0.0.1:${port}?transport=tcp`, username: 'a', credential: 'b' },
      ]
      await inPage(`(async () => {
        const connection = new RTCPeerConnection({ iceServers: ${JSON.stringify(servers)} })
        connection.createDataChannel('x')
        await connection.setLocalDescription(await connection.createOffer())
        const isGathered = () => connection.iceGatheringState === 'complete'
        if (!isGathered()) await new Promise((resolve) => {
          connection.onicegatheringstatechange = () => isGathered() && resolve()
        })
        connection.close()
      })()`)
      expect([packets.length, connections]).toEqual([0, 0])
    },
  )
  udp.close()
})

test('every permission is refused, and nothing is downloaded but CSV and JSON that the page created', async () => {
  const { electron } = desktop
  expect(await inPage('Notification.requestPermission()')).toBe('denied')
  const names = ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi', 'persistent-storage']
  const states = await inPage<string[]>(
    `Promise.all(${JSON.stringify(names)}.map((name) =>
      navigator.permissions.query({ name }).then(({ state }) => state, () => 'denied')))`,
  )
  expect(states).toEqual(names.map(() => 'denied'))
  expect(
    await inPage("navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'granted', () => 'refused')"),
  ).toBe('refused')
  expect(await inPage("navigator.mediaDevices.getDisplayMedia({}).then(() => 'granted', () => 'refused')")).toBe(
    'refused',
  )
  await electron.evaluate(({ session }) => {
    const downloads: string[] = []
    Object.assign(globalThis, { downloads })
    session.defaultSession.on('will-download', (event, item) => {
      downloads.push(`${item.getFilename()}: ${event.defaultPrevented ? 'prevented' : 'begun'}`)
    })
  })
  await downloadInPage('x.exe', 'x')

  const own = { 'orders.csv': 'a,b', 'template.json': '{}' }
  for (const [name, text] of Object.entries(own)) {
    const file = join(sandbox.home, name)
    // The page is asked once the listener is there: a download that nobody saves waits for a dialog.
    await electron.evaluate(
      ({ session }, { name, file }) => {
        const saved = new Promise<string>((resolve) => {
          session.defaultSession.on('will-download', (_event, item) => {
            // The refused download may arrive only now.
            if (item.getFilename() !== name) return
            item.setSavePath(file)
            item.once('done', (_done, state) => resolve(state))
          })
        })
        Object.assign(globalThis, { saved })
      },
      { name, file },
    )
    await downloadInPage(name, text)
    // A global of the main process, which the types of this process do not have.
    const saved = electron.evaluate(() => (globalThis as unknown as { saved: Promise<string> }).saved)
    expect(await saved).toBe('completed')
    expect(readFileSync(file, 'utf8')).toBe(text)
  }
  // The files to save were requested last.
  const downloads = await electron.evaluate(() => (globalThis as unknown as { downloads: string[] }).downloads)
  const begun = Object.keys(own).map((name) => `${name}: begun`)
  expect(downloads).toEqual(expect.arrayContaining(begun))
  expect(downloads.filter((one) => !begun.includes(one) && one !== 'x.exe: prevented')).toEqual([])
})

test('a table that cannot be saved is named in a dialog', async () => {
  const { electron } = desktop
  const file = join(sandbox.home, 'file')
  writeFileSync(file, '')
  await electron.evaluate(
    ({ dialog, session }, path) => {
      const shown: string[] = []
      Object.assign(globalThis, { shown })
      dialog.showMessageBox = (...args: unknown[]) => {
        shown.push((args.at(-1) as { readonly detail: string }).detail)
        return Promise.resolve({ response: 0, checkboxChecked: false })
      }
      session.defaultSession.once('will-download', (_event, item) => item.setSavePath(path))
    },
    join(file, 'results.csv'),
  )
  await downloadInPage('results.csv', 'a,b')
  await expect
    .poll(() => electron.evaluate(() => (globalThis as unknown as { shown: string[] }).shown))
    .toEqual(['results.csv could not be saved. Choose another folder.'])
})

test('archived files are served by id, in ranges too, and nothing else is served', async () => {
  const whole = await fetchInPage(`archive://files/${fileId}`)
  const part = await fetchInPage(`archive://files/${fileId}`, { range: 'bytes=10-19' })
  if (whole === 'refused' || part === 'refused') throw new Error('The file could not be read')
  expect([whole.status, whole.length]).toEqual([200, 4000])
  expect(whole.headers).toMatchObject({ 'accept-ranges': 'bytes' })
  expect([part.status, part.length, part.headers['content-range']]).toEqual([206, 10, 'bytes 10-19/4000'])
  const behind = await fetchInPage(`archive://files/${fileId}`, { range: 'bytes=9000-' })
  expect(behind).toMatchObject({ status: 416 })
  expect(await fetchInPage(`archive://thumbnails/${thumbnailId}`)).toMatchObject({ status: 200 })

  const none = [
    'archive://files/999999',
    'archive://files/0',
    'archive://files/-1',
    'archive://files/1e1',
    'archive://files/',
    `archive://thumbnails/${fileId}`,
    `archive://files/${fileId}/`,
    `archive://other/${fileId}`,
    'archive://files/../../etc/passwd',
    'archive://files/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    'archive://files//etc/passwd',
    'archive://files/..%5c..%5csolarchive.sqlite3',
    `archive://files/${encodeURIComponent(join(sandbox.home, 'token'))}`,
    'app://solarchive/../../package.json',
    'app://solarchive/%2e%2e/%2e%2e/package.json',
    'app://other/index.html',
    'app://solarchive/..%2f..%2fpackage.json',
    'app://solarchive/assets/%',
    `app://solarchive/${encodeURIComponent(join(sandbox.home, 'token'))}.json`,
  ]
  for (const url of none) {
    const answer = await fetchInPage(url)
    const text = answer === 'refused' ? '' : answer.text
    expect(answer === 'refused' || answer.status, url).not.toBe(200)
    expect(text, url).not.toContain('root:')
    expect(text, url).not.toContain(sandbox.service.token)
  }
  const asked = await fetchInPage(`archive://files/${fileId}`, {}, 'HEAD')
  expect(asked).toMatchObject({ status: 200, length: 0 })
  expect(await fetchInPage('archive://files/999999', {}, 'HEAD')).toMatchObject({ status: 404, length: 0 })
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const answer = await fetchInPage(`archive://files/${fileId}`, {}, method)
    expect(answer === 'refused' || answer.status, method).not.toBe(200)
  }
  // An aborted request leaves no file open.
  const { pid } = desktop.electron.process()
  const open = () => readdirSync(`/proc/${pid}/fd`).length
  const before = process.platform === 'linux' ? open() : 0
  await inPage(`Promise.all(Array.from({ length: 200 }, async (_, index) => {
    const leaving = new AbortController()
    const asked = fetch('archive://files/${fileId}', { signal: leaving.signal }).catch(() => undefined)
    if (index % 3 === 0) await new Promise((resolve) => setTimeout(resolve, index % 7))
    leaving.abort()
    await asked
  }))`)
  if (process.platform === 'linux') await expect.poll(open).toBeLessThan(before + 20)
  // A file changed on disk is not shown as the archived one.
  const { path } = await desktop.call('files.locate', { assetId: thumbnailId })
  writeFileSync(path, 'x')
  expect(await fetchInPage(`archive://thumbnails/${thumbnailId}`)).toMatchObject({ status: 404 })
})

test('a changed file is neither opened nor dragged out', async () => {
  const { ask, call, electron } = desktop
  await electron.evaluate(({ BrowserWindow, shell }) => {
    const paths: string[] = []
    Object.assign(globalThis, { paths })
    shell.openPath = (path) => Promise.resolve((paths.push(path), ''))
    const [window] = BrowserWindow.getAllWindows()
    if (window !== undefined) window.webContents.startDrag = ({ file }) => void paths.push(file)
  })
  const { path } = await call('files.locate', { assetId: fileId })
  rmSync(path)
  symlinkSync(join(sandbox.home, 'token'), path)
  expect(await ask('files.open', { assetId: fileId })).toMatchObject({ ok: false, error: { code: 'not-found' } })
  await inPage(`window.solarchive.startDrag([${fileId}])`)
  await inPage("window.solarchive.startDrag([{ path: '/etc/passwd' }])")
  // Returns after everything sent before it.
  expect(await ask('files.show', { assetId: fileId })).toMatchObject({ ok: false, error: { code: 'not-found' } })
  expect(await electron.evaluate(() => (globalThis as unknown as { paths: string[] }).paths)).toEqual([])
})

test('texts of any size and shape are rejected as invalid input', async () => {
  const answers = await inPage<string[]>(`(async () => {
    const big = 'x'.repeat(20_000_000)
    const asked = [
      ['settings.save', { serviceUrl: big }], ['projects.add', { projects: big }],
      ['projects.preview', { text: big }], ['archive.check', { folder: big, purpose: 'use' }],
      ['overview', big], ['files.open', { assetId: 1e300 }], ['files.show', []],
      ['files.locate', { assetId: '1' }], ['token.save', { token: big }],
      ['settings.save', { __proto__: null, archiveFolder: {} }], ['toString', {}], ['no.such.call', {}], [big, {}],
    ]
    const answers = await Promise.all(asked.map(([name, input]) => window.solarchive.invoke(name, input)))
    return answers.map(({ error }) => error?.code)
  })()`)
  expect(new Set(answers)).toEqual(new Set(['wrong-usage']))
})

test('calls of a page other than the app’s own are refused', async () => {
  const asked = await desktop.electron.evaluate(
    async ({ BrowserWindow }, preload) => {
      const ask = async (url: string) => {
        const window = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true } })
        try {
          await window.loadURL(url)
          return (await window.webContents.executeJavaScript(
            "solarchive.invoke('settings.get', {})" +
              ".then((answer) => answer.error?.code ?? 'answered', (error) => String(error))",
          )) as string
        } finally {
          window.destroy()
        }
      }
      return [await ask('data:text/html,hello'), await ask('app://solarchive/index.html')]
    },
    join(cloneFolder, 'out', 'preload', 'bridge.cjs'),
  )
  // The second one shows the app's own page, but not in the app's window.
  expect(asked).toEqual(['no-permission', 'no-permission'])
  expect(await desktop.ask('settings.get', {})).toMatchObject({ ok: true })
  // A frame of the app's own page has no bridge at all.
  const inFrame = 'document.body.appendChild(document.createElement("iframe")).contentWindow.solarchive'
  expect(await inPage(`typeof ${inFrame}`)).toBe('undefined')
})

test('programs that the app starts do not inherit the token, which the app itself uses', async () => {
  const inherited = await desktop.electron.evaluate(() => process.env)
  expect(inherited['SOLARCHIVE_HOME']).toBe(sandbox.home)
  expect(JSON.stringify(inherited)).not.toContain(sandbox.service.token)
  expect(await desktop.call('setup.state', {})).toMatchObject({ token: 'environment' })
})

test('no token reaches the page, whatever it calls', async () => {
  const { ask, page } = desktop
  const answers = await Promise.all(
    (['app.info', 'setup.state', 'settings.get', 'overview', 'activity.list'] as const).map((name) => ask(name, {})),
  )
  const everything =
    JSON.stringify(answers) + (await page.content()) + (await inPage<string>('JSON.stringify({ ...localStorage })'))
  expect(everything).not.toContain(sandbox.service.token)
})
