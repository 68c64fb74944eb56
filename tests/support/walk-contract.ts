import { expect } from 'vitest'
import { calls, type CallInput, type CallName, type CallOutput } from '../../shared/contract/calls.ts'
import { type Answer, answerSchema } from '../../shared/envelope.ts'
import type { SampleService } from '../../electron/sample-service/start-sample-service.ts'
import { exampleOrder } from '../../electron/sample-service/orders/order-book.ts'
import { orderFieldNames } from '../../shared/order/order-fields.ts'
import { readOrderJson } from '../../shared/order/order-payload.ts'
import { until } from './watching.ts'

export const callNames = Object.keys(calls) as CallName[]

/** A transport under test, on a complete archive of the service's projects. */
export interface Walked {
  readonly service: SampleService
  readonly archiveFolder: string
  /** Calls that this host does not support. */
  readonly cannot?: readonly CallName[]
  readonly call: <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<Answer<CallOutput<Name>>>
}

/** Valid input of every call. */
export type ContractInputs = { readonly [Name in CallName]: CallInput<Name> }

/** Returns a valid input for every call, and creates the orders, presets, and lists that it refers to. */
export async function contractInputs({ service, archiveFolder, call }: Walked): Promise<ContractInputs> {
  const project = service.projects[0]
  const projectId = project?.id ?? ''
  const checklistId = project?.checklists[0]?.id ?? ''
  const view = await call('checklists.get', { projectId, checklistId })
  const questions = view.ok ? view.value.sections.flatMap(({ questions }) => questions) : []
  const assetId = questions.flatMap(({ photos }) => photos)[0]?.assetId ?? 0
  const orders = await makeOrders({ service, call })
  return {
    'app.info': {},
    'setup.state': {},
    'setup.complete': { serviceUrl: service.url, token: service.token, tokenInFile: true, archiveFolder },
    'setup.useSample': {},
    'owner.takeOver': {},
    'connection.test': { serviceUrl: service.url },
    'folders.choose': { from: '~' },
    'menu.show': { groups: [[{ label: 'Open' }]], x: 10, y: 10 },
    'archive.check': { folder: archiveFolder },
    'archive.size': {},
    'archive.move': { folder: `${archiveFolder} 2` },
    'archive.stopMove': {},
    'settings.get': {},
    'settings.save': {
      schedule: 'daily',
      quietHours: { start: '22:00', end: '06:00' },
      notifications: { attention: false },
    },
    'token.save': { token: service.token, inFile: true },
    'diagnostics.bundle': {},
    'startAtLogin.get': {},
    'startAtLogin.set': { isOn: false },
    overview: {},
    'attention.groups': {},
    'attention.projects': { cause: 'service-error' },
    'projects.list': { search: 'e', sort: 'synced', descending: true, limit: 1 },
    'projects.names': { filter: 'incomplete', limit: 10_000 },
    'projects.get': { projectId },
    'projects.add': { projects: [{ id: 'another', name: 'Another', address: 'Elm Street 3' }] },
    'projects.preview': { text: 'id,name\nanother,Another\nnew-1,New\nnew-1,New\na/b,' },
    'projects.remove': { projectId: 'another' },
    'projects.discover': {},
    'checklists.get': { projectId, checklistId },
    'checklists.list': { filter: 'waiting' },
    'hints.checklist': { projectId, checklistId },
    'hints.list': {},
    'sync.now': { projectIds: [projectId] },
    'sync.stop': {},
    'watch.state': {},
    'watch.pause': { length: 'hour' },
    'watch.resume': {},
    'watch.recheck': {},
    'failures.list': {},
    'failures.retry': { all: true },
    'verify.start': { repair: true },
    'verify.stop': {},
    'verify.findings': { limit: 5 },
    'evidence.state': {},
    'evidence.stampNow': {},
    'hooks.list': {},
    'hooks.save': { hooks: [] },
    'hooks.deliveries': { limit: 5 },
    'hooks.failing': {},
    'hooks.repeat': { deliveryId: 1 },
    'photos.facts': { assetId },
    'photos.places': { projectId, checklistId },
    'photos.words': { assetId, find: ['4417'] },
    'files.locate': { projectId, checklistId },
    'files.show': { projectId },
    'files.open': { assetId },
    'files.paths': { assetIds: [assetId] },
    'files.saveCopies': { assetIds: [assetId] },
    'files.saveAs': { assetId },
    'files.versions': { assetId },
    'orders.list': { filter: 'drafts', search: 'e', limit: 5 },
    'orders.get': { orderId: orders.draft },
    'orders.create': { projectId, from: orders.draft },
    'orders.saveDraft': { orderId: orders.draft, revision: 0, texts: { ridge: '18' }, region: 'NYC' },
    'orders.discard': { orderId: orders.other },
    'orders.review': { orderId: orders.ready },
    // Another order of the project is not resolved yet.
    'orders.place': { orderId: orders.ready, fingerprint: orders.fingerprint, again: true, newModule: true },
    'orders.check': { orderId: orders.ready },
    'orders.settle': { orderId: orders.unconfirmed, decision: 'placed' },
    'orders.modules': {},
    'orders.refresh': { projectId },
    'presets.list': {},
    'presets.save': { name: 'Ours', kind: 'company', texts: { tierLevel: 'maxFill' }, region: null, isDefault: true },
    'presets.remove': { presetId: orders.preset },
    'batches.preview': { list: { text: orders.list } },
    'batches.create': { list: { text: orders.list }, name: 'Another list', includeDuplicates: true },
    'batches.list': {},
    'batches.get': { batchId: orders.batch },
    'batches.review': { batchId: orders.batch },
    'batches.start': { batchId: orders.batch, newModule: true },
    'batches.stop': { batchId: orders.batch },
    'batches.result': { batchId: orders.batch },
    'export.preview': { selection: { kind: 'projects', projectIds: [projectId] }, options: { format: 'zip' } },
    'export.start': { selection: { kind: 'everything' }, options: {}, to: `${archiveFolder} export` },
    'export.stop': {},
    'export.show': {},
    'packets.templates': {},
    'packets.saveTemplate': { template: { id: 'ours', title: 'Ours', slots: [{ id: 'roof', title: 'Roof' }] } },
    'packets.removeTemplate': { id: 'ours' },
    'packets.preview': { selection: { kind: 'everything' }, template: 'permit-photos' },
    'packets.previewNames': { selection: { kind: 'everything' }, template: 'permit-photos', names: '{slot}' },
    'packets.correct': {
      templateId: 'permit-photos',
      slotId: 'roof-planes',
      checklistTitle: 'Site survey',
      section: 'Roof',
      question: 'Vents',
      fills: true,
    },
    'packets.start': { selection: { kind: 'everything' }, template: 'permit-photos', to: `${archiveFolder} packet` },
    'packets.stop': {},
    'packets.show': {},
    'activity.list': { groups: ['archived', 'yours'], projectId, limit: 5 },
    search: { query: 'roof', kinds: ['photo', 'answer'], limit: 5 },
  }
}

/** No authority is set, and nothing was delivered or exported yet. */
const refusals: Partial<Record<CallName, string>> = {
  'evidence.stampNow': 'wrong-settings',
  'hooks.repeat': 'not-found',
  'export.show': 'not-found',
  'packets.show': 'not-found',
}

/** Makes every call of the contract once, and expects its output shape. */
export async function walkContract(walked: Walked): Promise<void> {
  const { call, cannot = [] } = walked
  const inputs = await contractInputs(walked)
  const moveKind = async () => {
    const answer = await call('archive.stopMove', {})
    return answer.ok ? answer.value.kind : ''
  }
  // During a move nothing else may run, and the sample service does not have these projects.
  const last: CallName[] = ['archive.move', 'archive.stopMove', 'setup.useSample']
  for (const name of [...callNames.filter((name) => !last.includes(name)), ...last]) {
    if (name === 'setup.useSample') await until('the move has ended', async () => (await moveKind()) === 'idle')
    const answer = await call(name, inputs[name])
    // The app owns its data folder.
    const isRefused = cannot.includes(name) || name === 'owner.takeOver'
    const refusal = refusals[name]
    const code = refusal ?? 'wrong-usage'
    const isError = isRefused || refusal !== undefined
    expect(answer, name).toMatchObject(isError ? { error: { code } } : { ok: true })
    expect(answerSchema(calls[name].output).parse(answer), name).toEqual(answer)
  }
}

/** Creates orders in every state that a call needs, a preset, and a list of orders. */
async function makeOrders({ service, call }: Pick<Walked, 'service' | 'call'>) {
  const [project] = service.projects
  if (project === undefined) throw new Error('There is no project')
  const { texts } = readOrderJson(exampleOrder(project))
  const value = async <Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>> => {
    const answer = await call(name, input)
    if (!answer.ok) throw new Error(`${name}: ${answer.error.message}`)
    return answer.value
  }
  const draft = async (sizedForValue: string) =>
    (await value('orders.create', { texts: { ...texts, sizedForValue } })).orderId
  const ready = await draft('101')
  const fingerprintOf = async (orderId: number) => (await value('orders.review', { orderId })).fingerprint ?? ''
  const unconfirmed = await draft('102')
  const lost = service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'reset' } })
  await call('orders.place', { orderId: unconfirmed, fingerprint: await fingerprintOf(unconfirmed), newModule: true })
  lost.remove()
  const cell = (text = '') => `"${text}"`
  const list = [orderFieldNames, orderFieldNames.map((name) => cell(texts[name]))]
    .map((row) => row.join(','))
    .join('\n')
  const preset = { name: 'Theirs', kind: 'jurisdiction', texts: {}, region: 'LI', isDefault: false } as const
  return {
    ready,
    unconfirmed,
    list,
    fingerprint: await fingerprintOf(ready),
    draft: await draft('103'),
    other: await draft('104'),
    preset: (await value('presets.save', preset)).presetId,
    // The service has the same order already.
    batch: (await value('batches.create', { list: { text: list }, name: 'A list', includeDuplicates: true })).batchId,
  }
}
