import { showLast, targetOf } from './export-handlers.ts'
import type { Handlers, HandlersDeps } from './handlers.ts'

/** Returns the handlers of the calls about packets and their templates. */
export function createPacketHandlers({ source, ports, engines, tasks, requireWritableArchive }: HandlersDeps) {
  const packets = () => engines.require().packets
  return {
    'packets.templates': () => ({ items: packets().templates() }),
    'packets.saveTemplate'({ template }) {
      packets().saveTemplate(template)
      return {}
    },
    'packets.removeTemplate'({ id }) {
      packets().removeTemplate(id)
      return {}
    },
    'packets.preview': ({ selection, template }) => packets().preview(selection, template),
    'packets.previewNames': ({ selection, template, names }) => packets().previewNames(selection, template, names),
    'packets.correct'(correction) {
      packets().correct(correction)
      return {}
    },
    async 'packets.start'({ to, inFolder, template, ...order }) {
      const path = await targetOf(to, { userFolder: source.userFolder, inFolder, what: 'packet' })
      requireWritableArchive()
      return tasks.packing.start({ ...order, template: packets().template(template).id, to: path })
    },
    'packets.stop': () => tasks.packing.stop(),
    'packets.show': () => showLast(ports.desktop, tasks.packing.state),
  } satisfies Partial<Handlers>
}
