import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { OrderOf, PacketState, ReportOf } from '../../shared/background-tasks.ts'
import type { EventValue } from '../../shared/contract/events.ts'
import type { ExportSelection } from '../../shared/export.ts'
import { countOfTotal } from '../../shared/format.ts'
import { createHandOver } from './hand-over.ts'

/** A packet that can be made. */
export interface PacketSubject {
  readonly selection: ExportSelection
  readonly templateId: string
  /** Name that it gets in a folder. */
  readonly title: string
  readonly isComplete: boolean
}

/** The dialog that makes a packet, and the packet that is being made or was made last. */
export const usePackets = defineStore('packets', () =>
  createHandOver<OrderOf<PacketState>, ReportOf<PacketState>, EventValue<'packet-progress'>, PacketSubject | null>({
    kind: 'packet',
    subject: shallowRef<PacketSubject | null>(null),
    show: (client) => client.call('packets.show', {}),
    stop: (client) => client.call('packets.stop', {}),
    summarize: ({ slots, complete }) => {
      const own = slots.filter(({ notPartOfSurvey }) => !notPartOfSurvey)
      const filled = own.filter((slot) => slot.filled).length
      return { text: `${countOfTotal(filled, own.length, 'slot')} filled`, isWhole: complete }
    },
  }),
)
