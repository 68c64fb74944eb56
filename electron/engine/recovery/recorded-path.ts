import type { AssetKind } from '../../../shared/domain.ts'

/** What file systems allow of one component. */
const maxComponentBytes = 255

/**
 * The components of a path that a document names, or undefined for one that Solarchive would not have given: absolute,
 * with `..`, hidden, or with characters that lead astray on some system. `resolveInside` looks again before a file is
 * touched.
 */
export function recordedComponents(path: string): string[] | undefined {
  const components = path.split('/')
  return components.every(isPlain) ? components : undefined
}

/** What a file is by its place below its checklist's folder; undefined for a place at which none belongs. */
export function placeOf(file: string): { readonly kind: AssetKind; readonly folders: readonly string[] } | undefined {
  const components = recordedComponents(file)
  const [top = '', section, question, name, ...more] = components ?? []
  if (components?.length === 1 && /\.pdf$/i.test(top)) return { kind: 'report', folders: [] }
  if (section === undefined || question === undefined || name === undefined || more.length > 0) return undefined
  if (top === 'photos') return { kind: 'photo', folders: [section, question] }
  if (top === 'thumbnails') return { kind: 'thumbnail', folders: [section, question] }
  return undefined
}

/** `.versions/<UTC time>/<path>`: the time, and the path of the file that was replaced. */
export function versionOf(file: string): { readonly replacedAt: string; readonly file: string } | undefined {
  const [, hour, minutes, replaced = ''] = /^\.versions\/(\d{4}-\d\d-\d\dT\d\d)-(\d\d-\d\d)Z\/(.+)$/s.exec(file) ?? []
  const atMs = Date.parse(`${hour}:${minutes?.replace('-', ':')}Z`)
  if (Number.isNaN(atMs) || placeOf(replaced) === undefined) return undefined
  return { replacedAt: new Date(atMs).toISOString(), file: replaced }
}

function isPlain(component: string): boolean {
  return (
    component !== '' &&
    !component.startsWith('.') &&
    !/[\p{Cc}\\:]|[. ]$|\.part$/u.test(component) &&
    Buffer.byteLength(component) <= maxComponentBytes
  )
}
