import { isJsonObject, plainName, valuesOf, type JsonObject } from './json-object.ts'
import { readLink, readText, relativeLinkReader, type LinkReader } from './read-scalars.ts'

/** The report's own object, a list of links in it, a link object in that. */
const MAX_DEPTH = 3

/** A checklist has one report; a list of its files may name some others. */
const MAX_LIST = 50

/** Only here may a report's link be; sections and media hold links of other things. */
const holder = /pdf|report|link|url|file|document|download|attachment|export|output/

/** Links of a report's surroundings, never of the report itself. */
const elsewhere =
  /image|img|thumb|template|logo|icon|preview|cover|photo|avatar|webhook|callback|setting|config|reporte[dr]|previous|old|sample|example/

/** What says of a link beside it what kind it is: `{ type: 'pdf', url }`. */
const kindNames = ['type', 'kind', 'name', 'filename', 'mimetype', 'contenttype', 'rel', 'format', 'title', 'label']

interface Candidate {
  readonly link: string
  readonly score: number
}

/**
 * The link to a checklist's PDF report. The specification does not show the field's name, so it is found by what it is:
 * an http(s) URL whose key, or whose surroundings, speak of a PDF or a report; the most specific one wins. Links of
 * images and templates are never taken; one without a host leads on from `baseUrl` where there is no other. Null when there is none.
 */
export function findReportLink(checklist: JsonObject, baseUrl?: string): string | null {
  return (
    bestLink(checklist, readLink) ?? (baseUrl === undefined ? null : bestLink(checklist, relativeLinkReader(baseUrl)))
  )
}

function bestLink(checklist: JsonObject, read: LinkReader): string | null {
  let best: Candidate | null = null
  for (const candidate of candidatesIn(checklist, { context: '', depth: 0, read })) {
    if (best === null || candidate.score > best.score) best = candidate
  }
  return best?.link ?? null
}

interface Place {
  readonly context: string
  readonly depth: number
  readonly read: LinkReader
}

function* candidatesIn(object: JsonObject, { context, depth, read }: Place): Generator<Candidate> {
  for (const [key, value] of Object.entries(object)) {
    const name = plainName(key)
    if (elsewhere.test(name)) continue
    const link = read(value)
    if (link !== null) {
      const score = scoreOf(name, context, link)
      if (score > 0) yield { link, score }
    } else if (depth < MAX_DEPTH && holder.test(name)) {
      yield* candidatesInHolder(value, { context: `${context} ${name}`, depth: depth + 1, read })
    }
  }
}

function* candidatesInHolder(value: unknown, { context, depth, read }: Place): Generator<Candidate> {
  const parts: readonly unknown[] = Array.isArray(value) ? value.slice(0, MAX_LIST) : [value]
  for (const part of parts) {
    if (isJsonObject(part)) {
      const kinds = valuesOf(part, kindNames).map((kind) => readText(kind)?.toLowerCase() ?? '')
      if (!kinds.some((kind) => elsewhere.test(kind)))
        yield* candidatesIn(part, { context: [context, ...kinds].join(' '), depth, read })
      continue
    }
    const link = read(part)
    const score = link === null ? 0 : scoreOf('', context, link)
    if (link !== null && score > 0) yield { link, score }
  }
}

/** How surely a link is the report's; 0 when nothing speaks for it. */
function scoreOf(name: string, context: string, link: string): number {
  const path = new URL(link).pathname.toLowerCase()
  if (/\.(?:png|jpe?g|gif|webp|heic|svg|avif|bmp|tiff?|mp4|mov|csv|xlsx?|docx?|zip|json)$/.test(path)) return 0
  const isPdfFile = path.endsWith('.pdf')
  const speaks =
    (name.includes('pdf') ? 16 : 0) +
    (name.includes('report') ? 8 : 0) +
    (context.includes('pdf') ? 8 : 0) +
    (context.includes('report') ? 4 : 0) +
    (isPdfFile ? 4 : 0) +
    (/^(?:download|document|file|export)(?:url|link|uri)$/.test(name) ? 2 : 0)
  if (speaks === 0) return 0
  return speaks + (/url|link|uri|href|download/.test(name) ? 1 : 0) - (/html|web|view/.test(name) ? 3 : 0)
}
