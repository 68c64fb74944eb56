import { AppError } from '../../../shared/errors.ts'
import { maxTemplateLength, type NamingField } from '../../../shared/export-parts.ts'
import { cleanText, cutToBytes, maxNameBytes, safeName } from '../archive/safe-name.ts'

type NumberField = 'sequence' | 'slotnumber'

/** Values of a file for its name; empty texts and null for what it does not have. */
export type FileFields = Readonly<Record<Exclude<NamingField, NumberField>, string>> & {
  readonly [Field in NumberField]: number | null
} & {
  /** With its dot, such as `.jpg`: every name ends with it. */
  readonly extension: string
}

/** A text, or a field with how it is written. */
type Part = string | { readonly field: NamingField; readonly width: number | null; readonly letters: Letters | null }
type Letters = 'upper' | 'lower'

/** Folders and file name, each of several parts. */
export interface NamingTemplate {
  readonly components: readonly (readonly Part[])[]
  /** Fields that occur in it. */
  readonly fields: ReadonlySet<NamingField>
}

/** More would make paths that no system takes: each of them can be long. */
const maxFolders = 8

/** Widest number, and longest cut text. */
const maxWidth = 60

/**
 * Reads a template such as `{project}/{sequence:3} {question}`. `/` or `\` separates folders. A width fills numbers up
 * with zeros, keeps the last characters of `id`, and the first ones of all others; `upper` and `lower` change letters,
 * and both can be combined: `{project:20:upper}`. `known` are the fields that it can have: those of exports, or of
 * packets. Throws `wrong-usage` with what is wrong with it.
 */
export function parseTemplate(text: string, known: readonly NamingField[]): NamingTemplate {
  const problem = (what: string) =>
    new AppError(
      'wrong-usage',
      `The naming template ${what} Its fields are ${known.map((field) => `{${field}}`).join(', ')}.`,
      { details: { names: text } },
    )
  if (text.length > maxTemplateLength) throw problem(`is longer than ${maxTemplateLength} characters.`)
  const fields = new Set<NamingField>()
  const components = text.split(/[\\/]/).map((component) =>
    component.split(/(\{[^{}]*\})/).flatMap((piece): Part[] => {
      if (piece === '') return []
      const inside = /^\{([^{}]*)\}$/.exec(piece)?.[1]
      if (inside === undefined) {
        if (/[{}]/.test(piece)) throw problem('has a brace without its other one.')
        return [piece]
      }
      const [name = '', ...modifiers] = inside.split(':').map((part) => part.trim().toLowerCase())
      const field = known.find((one) => one === name)
      if (field === undefined) throw problem(`has an unknown field {${inside}}.`)
      fields.add(field)
      let [width, letters]: [number | null, Letters | null] = [null, null]
      for (const modifier of modifiers) {
        if (modifier === 'upper' || modifier === 'lower') letters = modifier
        else if (/^\d{1,2}$/.test(modifier) && Number(modifier) >= 1 && Number(modifier) <= maxWidth) {
          width = Number(modifier)
        } else {
          throw problem(`has {${inside}}: after the field there can be a width from 1 to ${maxWidth}, upper, or lower.`)
        }
      }
      return [{ field, width, letters }]
    }),
  )
  if (fields.size === 0) throw problem('has no field, so that all files would have one name.')
  if (components.length > maxFolders + 1) throw problem(`has more than ${maxFolders} folders.`)
  return { components, fields }
}

/** Returns the template, or what is wrong with it, for a preview; see `parseTemplate`. */
export function tryTemplate(
  text: string,
  known: readonly NamingField[],
):
  | { readonly template: NamingTemplate; readonly problem: null }
  | { readonly template: null; readonly problem: string } {
  try {
    return { template: parseTemplate(text, known), problem: null }
  } catch (error) {
    if (error instanceof AppError) return { template: null, problem: error.message }
    throw error
  }
}

/** Returns whether names depend on when a photo was taken, which is looked up in the photo. */
export const usesTime = ({ fields }: NamingTemplate) => fields.has('date') || fields.has('time')

/**
 * Returns the folders and the file name of a file, each safe on every system (see `safeName`). Folders whose fields are
 * all empty are left out, as are separators beside an empty field; too long names are cut in their longest field. The
 * file's own name at the end stays unchanged, such as `1..jpg` and `1.jpg.jpg`.
 */
export function applyTemplate(template: NamingTemplate, fields: FileFields): string[] {
  const folders = template.components.slice(0, -1).flatMap((parts) => {
    const name = safeFolder(render(parts, fields, maxNameBytes))
    return name === '' ? [] : [name]
  })
  const { extension } = fields
  const parts = template.components.at(-1) ?? []
  const stem = render(parts, fields, maxNameBytes - extension.length)
  const name = endsWithName(parts)
    ? stem
    : safeName(withoutEnd(stem, extension), { fallback: cleanText(fields.name) || 'file' })
  return [...folders, safeName(`${name}${extension}`, { fallback: 'file', keepExtension: true })]
}

/** The files of a project share most of their texts. */
const clean = remembering(cleanText)
const safeFolder = remembering((text) => safeName(text, { fallback: '' }))

/** Texts that are remembered. */
const maxRemembered = 500

/** Returns the function with its last results. */
function remembering(work: (text: string) => string): (text: string) => string {
  const results = new Map<string, string>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    if (results.size === maxRemembered) results.clear()
    const result = work(text)
    results.set(text, result)
    return result
  }
}

function endsWithName(parts: readonly Part[]): boolean {
  const last = parts.at(-1)
  return typeof last === 'object' && last.field === 'name' && last.width === null && last.letters === null
}

function withoutEnd(text: string, end: string): string {
  return end !== '' && text.toLowerCase().endsWith(end.toLowerCase()) ? text.slice(0, -end.length) : text
}

/** Characters that are left over where a field is empty. */
const separators = /^[\s\-_.,;+]+|[\s\-_.,;+]+$/g

function render(parts: readonly Part[], fields: FileFields, maxBytes: number): string {
  const texts = parts.map((part) => (typeof part === 'string' ? part : textOf(part, fields)))
  const isField = (index: number) => typeof parts[index] !== 'string'
  const hasFields = parts.some((part) => typeof part !== 'string')
  if (hasFields && !texts.some((text, index) => isField(index) && text !== '')) return ''
  for (let left = parts.length; left > 0; left -= 1) {
    const excess = Buffer.byteLength(texts.join('')) - maxBytes
    if (excess <= 0) break
    const sizes = texts.map((text, index) => (isField(index) ? Buffer.byteLength(text) : 0))
    const longest = sizes.indexOf(Math.max(...sizes))
    texts[longest] = cutToBytes(texts[longest] ?? '', Math.max(8, (sizes[longest] ?? 0) - excess))
  }
  const joined = texts.reduce((start, text, index) => {
    const isAfterGap = !isField(index) && isField(index - 1) && texts[index - 1] === ''
    return start + (isAfterGap && /(?:^|[\s\-_.,;+])$/.test(start) ? text.replace(/^[\s\-_.,;+]+/, '') : text)
  }, '')
  const hasGap = texts.some((text, index) => isField(index) && text === '')
  return hasGap ? joined.replace(separators, '').replace(/\s{2,}/g, ' ') : joined
}

/** Returns a field as it is written. The file's own name is clean; spaces at its end are before its extension. */
function textOf(part: Exclude<Part, string>, fields: FileFields): string {
  const value = valueOf(part, fields)
  return part.field === 'name' ? value : clean(value)
}

function valueOf({ field, width, letters }: Exclude<Part, string>, fields: FileFields): string {
  const value = fields[field]
  if (value === null) return ''
  if (typeof value === 'number') return String(value).padStart(width ?? 0, '0')
  const cut = cutTo(value, field, width)
  return letters === 'upper' ? cut.toUpperCase() : letters === 'lower' ? cut.toLowerCase() : cut
}

/** Returns the last characters of an ID, or the first ones of any other field, without separators where it is cut. */
function cutTo(value: string, field: NamingField, width: number | null): string {
  const characters = [...value]
  if (width === null || characters.length <= width) return value
  return field === 'id'
    ? characters.slice(-width).join('')
    : characters
        .slice(0, width)
        .join('')
        .replace(/[\s\-_.,;+]+$/, '')
}
