import { createInstallation } from '../../../electron/app/create-installation.ts'
import type { MoveState } from '../../../shared/background-work.ts'
import { hostPorts, settingsSource, tokenStore } from '../host-ports.ts'

/**
 * A host that moves the archive and ends when that is done, or goes on with a move that was begun. Prints the last state.
 * Arguments: data folder, archive folder, new folder, address of the service, token.
 */
const [home = '', archive = '', to = '', url = '', token = ''] = process.argv.slice(2)
const installation = await createInstallation({
  source: settingsSource(home, archive, url),
  ports: hostPorts(tokenStore(token)),
})
const done = Promise.withResolvers<MoveState>()
let isRunning = false
installation.bridge.subscribe(({ name, value }) => {
  if (name !== 'move-state') return
  const state = value as MoveState
  if (state.kind === 'running') isRunning = true
  else if (isRunning) done.resolve(state)
})
if (!isRunning && installation.setupState().archiveFolder !== to) {
  const answer = await installation.bridge.call('archive.move', { folder: to })
  if (!answer.ok) throw new Error(answer.error.message)
} else if (!isRunning) {
  // The process before was done but for its own end.
  done.resolve({ kind: 'idle', last: null, unfinished: null })
}
const state = await done.promise
await installation.close()
process.stdout.write(JSON.stringify(state))
