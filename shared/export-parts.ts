/** Names in exports. Apart from the schemas: the command line's help needs no more. */

export const exportFormats = ['folder', 'zip', 'bagit'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** PDFs that an export or a packet can have about what it hands over. */
export const documentParts = ['contact-sheet', 'certificate'] as const
export type DocumentPart = (typeof documentParts)[number]

/** Size of documents: as much as portals and mail servers take. */
export const maxDocumentBytes = 10_000_000

/** `tables`: CSV, JSON, and XLSX; `geo`: GeoJSON, KML, and GPX; `xmp`: a sidecar for each photo. */
export const exportParts = ['reports', 'photos', 'thumbnails', 'tables', 'geo', 'xmp', ...documentParts] as const
export type ExportPart = (typeof exportParts)[number]

/** Parts that are files of the archive; Solarchive makes the others. */
export const copiedParts: readonly ExportPart[] = ['reports', 'photos', 'thumbnails']

/** Parts about the photos in an export, which are empty without them. */
export const partsOfPhotos: readonly ExportPart[] = ['geo', 'xmp']

export const defaultParts: readonly ExportPart[] = ['reports', 'photos', 'tables']

/**
 * Fields of a naming template. `sequence`: number of the photo in its checklist, from 1; `date` and `time`: when it was
 * taken, by the camera's clock, or in UTC if only the service knows; `id`: ID of the project; `name`: the file's own
 * name without its extension.
 */
export const namingFields = [
  'project',
  'checklist',
  'section',
  'question',
  'sequence',
  'date',
  'time',
  'id',
  'name',
] as const

/**
 * Fields of a naming template for the photos of a packet. `slot`, `slotid`, `slotnumber`: title and ID of the slot, and
 * its place in the template, from 1. `sequence` is the number of the photo in its slot.
 */
export const packetNamingFields = ['slot', 'slotid', 'slotnumber', ...namingFields] as const
export type NamingField = (typeof packetNamingFields)[number]

/** Names of exported files by default: folders as in the archive, without the numbers. */
export const defaultNames = '{project}/{checklist}/{section}/{question}/{name}'

/** Names of the photos of a packet by default, below `photos`: the slots in order, and in each its photos in order. */
export const defaultPacketNames = '{slotnumber:2} {slot}/{sequence:2} {name}'

/** Maximum length of a naming template in characters. */
export const maxTemplateLength = 500
