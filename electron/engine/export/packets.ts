import type { ExportSelection, NamesPreview } from '../../../shared/export.ts'
import type { DocumentPart } from '../../../shared/export-parts.ts'
import type {
  ListedTemplate,
  PacketCorrection,
  PacketPreview,
  PacketProgress,
  PacketResult,
  PacketTemplate,
} from '../../../shared/packets.ts'

export interface PacketOptions {
  readonly selection: ExportSelection
  /** ID of a template; or a template that is not saved, whose corrections are those of its ID. */
  readonly template: string | PacketTemplate
  /** Absolute path; see `resolveTarget`. */
  readonly to: string
  /** Further documents in the folder. Default: none. */
  readonly documents?: readonly DocumentPart[]
  /** Naming template of the photos. Default: `defaultPacketNames`. */
  readonly names?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: PacketProgress) => void) | undefined
  /** Called once nothing more is read from the archive. The packet ends with its error, and nothing of it is kept. */
  readonly onRead?: (() => Promise<void>) | undefined
}

/** Packets: what a template asks for, from the photos of the archive. */
export interface Packets {
  /** Returns the templates, those that came with Solarchive first. */
  templates(): ListedTemplate[]
  /**
   * Returns a template by its ID or, in any letter case, its title. Throws `not-found`, and `wrong-usage` for a title
   * of several.
   */
  template(name: string): PacketTemplate
  /** Returns what a packet would have. Throws `not-found`. */
  preview(selection: ExportSelection, template: string | PacketTemplate): PacketPreview
  /** Returns the first names that a naming template makes, or what is wrong with it. Throws `not-found`. */
  previewNames(selection: ExportSelection, template: string | PacketTemplate, names?: string): Promise<NamesPreview>
  /** Writes a packet; see `writePacket`. Throws `not-found`. */
  write(options: PacketOptions): Promise<PacketResult>
  /** Adds a template, or replaces the own one with its ID. Throws `wrong-settings` for the ID of a built-in one. */
  saveTemplate(template: PacketTemplate): void
  /** Removes an own template and its corrections. Throws `not-found`. */
  removeTemplate(id: string): void
  /**
   * Remembers or forgets that a question fills a slot, or does not. Throws `not-found` for an unknown template or slot.
   */
  correct(correction: PacketCorrection): void
}
