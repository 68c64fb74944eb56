/** Names in exports. Apart from the schemas: the command line's help needs no more. */

export const exportFormats = ['folder', 'zip', 'bagit'] as const
export type ExportFormat = (typeof exportFormats)[number]

/** `tables`: CSV, JSON, and XLSX; `geo`: GeoJSON, KML, and GPX; `xmp`: a sidecar for each photo. */
export const exportParts = ['reports', 'photos', 'thumbnails', 'tables', 'geo', 'xmp'] as const
export type ExportPart = (typeof exportParts)[number]

/** Parts that are exported by default. */
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
export type NamingField = (typeof namingFields)[number]

/** Names of exported files by default: folders as in the archive, without the numbers. */
export const defaultNames = '{project}/{checklist}/{section}/{question}/{name}'

/** Maximum length of a naming template in characters. */
export const maxTemplateLength = 500
