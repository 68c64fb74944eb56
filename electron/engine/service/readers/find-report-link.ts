import { isJsonObject, plainName, valuesOf, type JsonObject } from './json-object.ts'
import { readLink, readText, relativeLinkReader, type LinkReader } from './read-scalars.ts'

/** Nesting: the report's own object, a list of links in it, a link object in that. */
const maxDepth = 3

/** Maximum length of a list of files. A checklist has one report, and perhaps some other files. */
const maxList = 50

/** Maximum number of members that are searched. A checklist has some dozen, and its holders of links a few each. */
const maxMembers = 2_000

/** Longer than any text that names the kind of a link. */
const maxKindLength = 100

/** Names of members that may contain the report's link; sections and media have links to other things. */
const holder = /pdf|report|link|url|file|document|download|attachment|export|output/

/** Names of links that are never the report's. */
const otherLinks = new RegExp(
  'image|img|thumb|template|logo|icon|preview|cover|photo|avatar|webhook|callback|setting|config|reporte[dr]|previous' +
    '|old|sample|example',
)

/** Names of members that describe a link beside them: `{ type: 'pdf', url }`. */
const kindNames = ['type', 'kind', 'name', 'filename', 'mimetype', 'contenttype', 'rel', 'format', 'title', 'label']

interface Candidate {
  readonly link: string
  readonly score: number
}

/**
 * Returns the link to a checklist's PDF report, or `null` if there is none. The service's specification does not name
 * the field, so it is found by content: an http(s) URL whose key or context mentions a PDF or a report; the most
 * specific one wins. Links of images and templates are ignored. A link without a host is resolved against `baseUrl` if
 * there is no other.
 */
export function findReportLink(checklist: JsonObject, baseUrl?: string): string | null {
  return (
    bestLink(checklist, readLink) ?? (baseUrl === undefined ? null : bestLink(checklist, relativeLinkReader(baseUrl)))
  )
}

function bestLink(checklist: JsonObject, read: LinkReader): string | null {
  let best: Candidate | null = null
  const search = { read, members: 0 }
  for (const candidate of candidatesIn(checklist, { context: '', depth: 0, search })) {
    if (best === null || candidate.score > best.score) best = candidate
  }
  return best?.link ?? null
}

interface LinkContext {
  readonly context: string
  readonly depth: number
  /** The search as a whole; `members` counts those it has seen. */
  readonly search: { readonly read: LinkReader; members: number }
}

function* candidatesIn(object: JsonObject, { context, depth, search }: LinkContext): Generator<Candidate> {
  for (const key of Object.keys(object)) {
    if (++search.members > maxMembers) return
    const value = object[key]
    const name = plainName(key)
    if (otherLinks.test(name)) continue
    const link = search.read(value)
    if (link !== null) {
      const score = scoreOf(name, context, link)
      if (score > 0) yield { link, score }
    } else if (depth < maxDepth && holder.test(name)) {
      yield* candidatesInHolder(value, { context: `${context} ${name}`, depth: depth + 1, search })
    }
  }
}

function* candidatesInHolder(value: unknown, { context, depth, search }: LinkContext): Generator<Candidate> {
  const parts: readonly unknown[] = Array.isArray(value) ? value.slice(0, maxList) : [value]
  for (const part of parts) {
    if (isJsonObject(part)) {
      const kinds = valuesOf(part, kindNames).map((kind) => readText(kind)?.slice(0, maxKindLength).toLowerCase() ?? '')
      if (!kinds.some((kind) => otherLinks.test(kind)))
        yield* candidatesIn(part, { context: [context, ...kinds].join(' '), depth, search })
      continue
    }
    const link = search.read(part)
    const score = link === null ? 0 : scoreOf('', context, link)
    if (link !== null && score > 0) yield { link, score }
  }
}

/** Returns a score for a link being the report's; 0 if nothing indicates it. */
function scoreOf(name: string, context: string, link: string): number {
  const path = new URL(link).pathname.toLowerCase()
  if (/\.(?:png|jpe?g|gif|webp|heic|svg|avif|bmp|tiff?|mp4|mov|csv|xlsx?|docx?|zip|json)$/.test(path)) return 0
  const isPdfFile = path.endsWith('.pdf')
  const evidence =
    (name.includes('pdf') ? 16 : 0) +
    (name.includes('report') ? 8 : 0) +
    (context.includes('pdf') ? 8 : 0) +
    (context.includes('report') ? 4 : 0) +
    (isPdfFile ? 4 : 0) +
    (/^(?:download|document|file|export)(?:url|link|uri)$/.test(name) ? 2 : 0)
  if (evidence === 0) return 0
  return evidence + (/url|link|uri|href|download/.test(name) ? 1 : 0) - (/html|web|view/.test(name) ? 3 : 0)
}
