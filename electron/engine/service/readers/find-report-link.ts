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

/** The same, for links that are the report's only if there are no others. */
const lastHolder = /artifact/

/** Name of a wrapper in a holder. On its own, it may contain answers, too. */
const wrapper = 'data'

/** Names of the report's link in a wrapper on its own, where other PDFs may be answers. */
const wrappedNames = /^(?:pdf|report|pdfreport|reportpdf)(?:download)?(?:url|link|uri|href)?$/

/** Words for pictures, which a report may have in its name. */
const pictures = 'image|img|thumb|logo|icon|preview|cover|photo|avatar'
/** Words for other files. */
const otherFiles = 'template|webhook|callback|setting|config|reporte[dr]|previous|old|sample|example'

/** Names of links that are never the report's. */
const otherLinks = new RegExp(`${pictures}|${otherFiles}`)

/** Texts that people wrote have these as words: "old" is none in "Harold". */
const pictureWords = wordsOf(`${pictures}|thumbnail`)
const otherFileWords = wordsOf(otherFiles)

/** Names of members that describe a link beside them: `{ type: 'pdf', url }`. */
const kindNames = ['type', 'kind', 'mimetype', 'contenttype', 'rel', 'format']
/** Names of members that describe it in words that people chose. */
const titleNames = ['name', 'filename', 'title', 'label']

/** Subtracted from the score of a link that is the report's only if there is no other: the rest is negative. */
const lastResort = 1_000

interface Candidate {
  readonly link: string
  readonly score: number
}

/**
 * Returns the link to a checklist's PDF report, or `null` if there is none. The service's specification does not name
 * the field, so it is found by content: an http(s) URL whose key or context mentions a PDF or a report; the most
 * specific one wins. Links of images and templates are ignored; one that only its title takes for such is the report's
 * if there is no other. A link without a host is resolved against `baseUrl` if there is no other.
 */
export function findReportLink(checklist: JsonObject, baseUrl?: string): string | null {
  const absolute = bestLink(checklist, readLink)
  if (baseUrl === undefined || (absolute !== null && absolute.score > 0)) return absolute?.link ?? null
  const relative = bestLink(checklist, relativeLinkReader(baseUrl))
  const best = relative !== null && relative.score > 0 ? relative : (absolute ?? relative)
  return best?.link ?? null
}

function bestLink(checklist: JsonObject, read: LinkReader): Candidate | null {
  let best: Candidate | null = null
  const search = { read, members: 0 }
  for (const candidate of candidatesIn(checklist, { context: '', isLastResort: false, depth: 0, search })) {
    if (best === null || candidate.score > best.score) best = candidate
  }
  return best
}

interface LinkContext {
  readonly context: string
  /** The links are the report's only if there are no others. */
  readonly isLastResort: boolean
  readonly depth: number
  /** The search as a whole; `members` counts those it has seen. */
  readonly search: { readonly read: LinkReader; members: number }
}

function* candidatesIn(object: JsonObject, place: LinkContext): Generator<Candidate> {
  const { context, isLastResort, depth, search } = place
  for (const key of Object.keys(object)) {
    if (++search.members > maxMembers) return
    const value = object[key]
    const name = plainName(key)
    if (otherLinks.test(name)) continue
    const link = search.read(value)
    if (link !== null) {
      const score = scoreOf(name, context, link)
      if (score > 0) yield ranked(link, score, place)
    } else if (depth < maxDepth && (holder.test(name) || lastHolder.test(name))) {
      const isLast = isLastResort || !holder.test(name)
      const inside = { ...place, context: `${context} ${name}`, isLastResort: isLast, depth: depth + 1 }
      yield* candidatesInHolder(value, inside)
    } else if (depth < maxDepth && name === wrapper && isJsonObject(value)) {
      yield* candidatesInWrapper(value, { ...place, depth: depth + 1 })
    }
  }
}

function ranked(link: string, score: number, { isLastResort }: LinkContext): Candidate {
  return { link, score: isLastResort ? score - lastResort : score }
}

/** Without a holder around it, only links under the names of a report count, and only if there are no others. */
function candidatesInWrapper(object: JsonObject, place: LinkContext): Generator<Candidate> {
  if (place.context !== '') return candidatesIn(object, { ...place, isLastResort: true })
  const named = Object.entries(object).filter(([key]) => wrappedNames.test(plainName(key)))
  return candidatesIn(Object.fromEntries(named), { ...place, isLastResort: true, depth: maxDepth })
}

function* candidatesInHolder(value: unknown, place: LinkContext): Generator<Candidate> {
  const { isLastResort, search } = place
  const parts: readonly unknown[] = Array.isArray(value) ? value.slice(0, maxList) : [value]
  for (const part of parts) {
    if (isJsonObject(part)) {
      const kinds = valuesOf(part, kindNames).map((kind) => textOf(kind).toLowerCase())
      if (kinds.some((kind) => otherLinks.test(kind))) continue
      const titles = valuesOf(part, titleNames).map(textOf)
      const context = [place.context, ...kinds].join(' ')
      const rank = rankOf(titles, context, Array.isArray(value))
      if (rank === 'never') continue
      // One of several files that nothing calls a report.
      const isAnyFile =
        Array.isArray(value) && !/pdf|report/.test(place.context) && !/report/i.test([...kinds, ...titles].join(' '))
      const described = [context, ...titles].join(' ').toLowerCase()
      yield* candidatesIn(part, {
        ...place,
        context: described,
        isLastResort: isLastResort || isAnyFile || rank === 'last resort',
      })
      continue
    }
    const link = search.read(part)
    const score = link === null ? 0 : scoreOf('', place.context, link)
    if (link !== null && score > 0) yield ranked(link, score, place)
  }
}

/** Titles of files that are never the report itself. The words alone may also be of a name or an address. */
const neverReport =
  /(?:template|previous|sample|example)s?\W+(?:report|pdf)|(?:report|pdf)s?\W+(?:template|sample|example)/

/**
 * Ranks links by the title beside them. One of pictures may be that of a report, such as "Site photos.pdf", if the
 * `context` says that it is one; a title of another file, such as "Old Mill Road", only if there is no list to choose
 * from. Parts of words, as in "Harold", say nothing.
 */
function rankOf(titles: readonly string[], context: string, isInList: boolean): 'usual' | 'last resort' | 'never' {
  const words = titles
    .join('\n')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/pdf|report(?!e[dr])/g, ' $& ')
  const isOther = otherFileWords.test(words)
  if (!isOther && !pictureWords.test(words)) return 'usual'
  if (isOther && (isInList || neverReport.test(words))) return 'never'
  return /pdf|report/.test(context) ? 'last resort' : 'never'
}

function textOf(value: unknown): string {
  return readText(value)?.slice(0, maxKindLength) ?? ''
}

/** Returns an expression for words in a text in lower case, also in the plural. */
function wordsOf(words: string): RegExp {
  return new RegExp(`(?<![a-z])(?:${words})s?(?![a-z])`)
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
