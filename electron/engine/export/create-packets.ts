import { AppError } from '../../../shared/errors.ts'
import { type ExportSelection, previewedNames } from '../../../shared/export.ts'
import { defaultPacketNames, type DocumentPart, packetNamingFields } from '../../../shared/export-parts.ts'
import { builtInTemplates } from '../../../shared/packet-templates.ts'
import { type PacketTemplate, packetTemplateSchema, type SlotQuestion } from '../../../shared/packets.ts'
import type { Store } from '../store/create-store.ts'
import { captureFacts } from './capture-facts.ts'
import { createPacketNames } from './name-files.ts'
import { type NamingTemplate, tryTemplate, usesTime } from './naming-template.ts'
import { readHead } from './open-planned.ts'
import type { Packets } from './packets.ts'
import {
  type FilledSlot,
  fillPacket,
  isPacketComplete,
  packetTitle,
  type LocatedQuestion,
  slotState,
  titleKey,
} from './fill-packet.ts'
import { type ExportPlan, planExport, requireAnything, withWholeProjects } from './plan-export.ts'
import { exportName } from './target-path.ts'
import type { ExportDeps } from './exports.ts'

/** Creates the packets of an archive. */
export function createPackets(deps: ExportDeps): Packets {
  const { store, clock } = deps

  const resolve = (named: string | PacketTemplate) => (typeof named === 'string' ? findTemplate(store, named) : named)

  function plan(selection: ExportSelection) {
    const planned = planExport(store, clock, selection)
    requireAnything(planned)
    return planned
  }

  /** Reads all that a packet is about, as of one moment. */
  function plansOf(selection: ExportSelection, documents: readonly DocumentPart[]) {
    return store.reading(() => {
      const planned = plan(selection)
      const certified = documents.includes('certificate') ? withWholeProjects(store, clock, planned) : null
      return { plan: planned, certified }
    })
  }

  return {
    templates: () => [
      ...builtInTemplates.map((builtIn) => ({ template: builtIn, isBuiltIn: true })),
      ...ownTemplates(store).map((saved) => ({ template: saved, isBuiltIn: false })),
    ],
    template: (name) => findTemplate(store, name),
    preview(selection, named) {
      const chosen = resolve(named)
      const planned = plan(selection)
      const { slots, others } = fillPacket(planned, chosen, store.packets.corrections(chosen.id))
      const described = slots.map((filled) => ({
        ...slotState(filled),
        leftOut: filled.leftOut,
        instructions: filled.slot.instructions,
        questions: filled.questions.map((question) => describe(question, question.corrected)),
      }))
      return {
        title: exportName(packetTitle(planned, chosen), 'folder'),
        complete: isPacketComplete(described),
        slots: described,
        others: others.map((question) => describe(question, false)),
      }
    },
    async previewNames(selection, named, names = defaultPacketNames) {
      const { template: naming, problem } = tryTemplate(names, packetNamingFields)
      if (naming === null) return { names: [], problem }
      const chosen = resolve(named)
      const planned = plan(selection)
      const { slots } = fillPacket(planned, chosen, store.packets.corrections(chosen.id))
      return { names: await firstNames(deps, planned, slots, naming), problem: null }
    },
    async write({ selection, template: named, documents = [], names = defaultPacketNames, ...options }) {
      const chosen = resolve(named)
      await deps.requireRebuilt(options.signal)
      const corrections = store.packets.corrections(chosen.id)
      // Documents need libraries that no other work needs.
      const { writePacket } = await import('./write-packet.ts')
      const plans = plansOf(selection, documents)
      return writePacket(deps, { ...options, ...plans, template: chosen, corrections, documents, names })
    },
    saveTemplate(saved) {
      if (builtInTemplates.some(({ id }) => id === saved.id)) {
        throw new AppError(
          'wrong-settings',
          `The template ${saved.id} came with Solarchive and cannot be changed. Save yours under another ID.`,
        )
      }
      store.transaction(() => store.packets.save(saved.id, JSON.stringify(saved)))
    },
    removeTemplate(id) {
      if (store.transaction(() => store.packets.remove(id))) return
      throw new AppError('not-found', 'This template no longer exists, or came with Solarchive.')
    },
    correct({ templateId, slotId, checklistTitle, section, question, fills }) {
      const { slots } = findTemplate(store, templateId)
      if (!slots.some(({ id }) => id === slotId)) {
        throw new AppError('not-found', `The template ${templateId} has no slot ${slotId}.`)
      }
      const key = { templateId, slotId, section, question, checklistTitle, titleKey: titleKey(checklistTitle) }
      store.transaction(() => store.packets.correct(key, fills))
    },
  }
}

/** Returns the saved templates that this version can read. */
function ownTemplates(store: Store): PacketTemplate[] {
  return store.packets.templates().flatMap((text) => {
    const read = packetTemplateSchema.safeParse(store.parseJson(text))
    return read.success ? [read.data] : []
  })
}

function findTemplate(store: Store, name: string): PacketTemplate {
  const all = [...builtInTemplates, ...ownTemplates(store)]
  const wanted = name.trim().toLowerCase()
  const titled = all.filter(({ title }) => title.toLowerCase() === wanted)
  const found = all.find(({ id }) => id === wanted) ?? titled[0]
  if (found !== undefined && found.id !== wanted && titled.length > 1) {
    const ids = titled.map(({ id }) => id).join(', ')
    throw new AppError('wrong-usage', `Several templates have the title "${found.title}". Use one of the IDs ${ids}.`)
  }
  if (found !== undefined) return found
  throw new AppError('not-found', `There is no template "${name}". Use ${all.map(({ id }) => id).join(', ')}.`)
}

/** Returns the names of the first photos of a packet. */
async function firstNames(
  { store, root }: ExportDeps,
  planned: ExportPlan,
  slots: readonly FilledSlot[],
  naming: NamingTemplate,
): Promise<string[]> {
  const first = slots
    .flatMap(({ slot, photos }, index) =>
      photos.map((photo, at) => ({ photo, slot, slotNumber: index + 1, sequence: at + 1 })),
    )
    .slice(0, previewedNames)
  const pathOf = createPacketNames(planned, naming)
  const names: string[] = []
  for (const photo of first) {
    const { file } = photo.photo
    const head = usesTime(naming) ? await readHead(store, root, file) : null
    names.push(pathOf({ ...photo, facts: captureFacts(file, head) }))
  }
  return names
}

function describe({ project, checklist, question }: LocatedQuestion, corrected: boolean): SlotQuestion {
  return {
    projectId: project.id,
    checklistId: checklist.id,
    checklistTitle: checklist.title,
    section: question.section,
    question: question.question,
    corrected,
    photos: question.photos.map(({ assetId, thumbnail, fileName }) => ({
      assetId,
      thumbnailId: thumbnail?.assetId ?? null,
      name: fileName,
    })),
  }
}
