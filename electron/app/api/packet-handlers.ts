import type { Desktop } from '../../engine/lib/ports.ts'
import type { EngineHolder } from '../engine-holder.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { Handlers } from './create-api.ts'
import { showLast, targetOf } from './export-handlers.ts'

type PacketCalls =
  | 'packets.templates'
  | 'packets.saveTemplate'
  | 'packets.removeTemplate'
  | 'packets.preview'
  | 'packets.previewNames'
  | 'packets.correct'
  | 'packets.start'
  | 'packets.stop'
  | 'packets.show'

export interface PacketHandlersDeps {
  readonly engines: EngineHolder
  readonly tasks: BackgroundTasks
  /** File manager of the user's machine; undefined if the host cannot reach it. */
  readonly desktop: Desktop | undefined
  /** The user's own folder, which `~` stands for. */
  readonly userFolder: string
  /** Throws while the archive is being moved: files would be missing that are in the other folder. */
  readonly requireWritableArchive: () => void
}

/** Returns the handlers of the calls about packets and their templates. */
export function createPacketHandlers({
  engines,
  tasks,
  desktop,
  userFolder,
  requireWritableArchive,
}: PacketHandlersDeps): Handlers<PacketCalls> {
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
      const path = await targetOf(to, { userFolder, inFolder, what: 'packet' })
      requireWritableArchive()
      return tasks.packing.start({ ...order, template: packets().template(template).id, to: path })
    },
    'packets.stop': () => tasks.packing.stop(),
    'packets.show': () => showLast(desktop, tasks.packing.state),
  }
}
