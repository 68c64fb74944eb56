/**
 * Keeps tokens and signed links out of logs, messages and stored answers. Everything here errs towards removing too
 * much: a lost query string costs nothing, a kept one is somebody's photos for 24 hours, or the whole account.
 */
export interface Redactor {
  /**
   * From now on `text` is removed wherever it stands, also percent-encoded or escaped as in JSON. Not what could be an
   * ordinary word, fewer than eight letters and nothing else: whoever typed one as a token by mistake would lose it from
   * every sentence and stored answer. Where a token is named as one (a header, a parameter, a member) that goes all the same.
   */
  addSecret(text: string): void
  /**
   * Removes known secrets, bearer tokens and signature-like parameters, and all of a URL but scheme, host and port: a
   * signature may stand in its path as well.
   */
  redactText(text: string): string
  /** A copy of a JSON value, of which every key and text is redacted and what is named like a secret is removed. */
  redactJson(value: unknown): unknown
}

/** Shorter texts are no tokens, and removing every `a` from a log would make it unreadable. */
const MIN_SECRET_LENGTH = 4

/** Tokens are made by machines: longer, or with digits and signs in them. */
const ordinaryWord = /^\p{L}{1,7}$/u

/** The nesting that the readers accept, see `service/readers/parse-answer.ts`; anything deeper never reaches them. */
const MAX_DEPTH = 64

/** Far above any real checklist (a few thousand values); bounds the memory of a copy. */
const MAX_VALUES = 500_000

/** Long enough for an embedded signature image, short enough that one value cannot fill a database row. */
const MAX_TEXT_LENGTH = 1_048_576

/** Longer texts are not searched: the stack of a regular expression is limited, and nothing to read is that long. */
const MAX_SEARCHED_LENGTH = 4_194_304

const TOO_LARGE = '[too large]'
const SECRET = '[secret]'
const LINK = '[link removed]'
const DROPPED = '…'

/**
 * The scheme's length is bounded so that a long run of letters cannot make the search quadratic. A local file (as in a
 * stack) is passed over: it leads nobody anywhere.
 */
const url = /file:\/{3}|([a-z][a-z0-9+.-]{0,15}:(?:\/|\\\/){2})([^\s"'<>]*)/gi

/** A URL inside another one, percent-encoded once or more often. */
const encodedUrl = /(https?%(?:25){0,4}3a(?:%(?:25){0,4}2f){2})([^\s"'<>]*)/gi
const encodedDelimiter = /[/\\?#&;]|%(?:25){0,4}(?:2f|3f|23|26|5c)/i

/** Host and port of what stands behind the scheme and the user. */
const hostAndPort = /^(?:\[[0-9a-f:.]{0,45}\]|[^:/\\?#&;,()|`[\]]*)(?::\d{1,5}(?![\w.-]))?/i

/** Every name under which the readers look for a link, and what they are made of. */
const linkKey =
  /url|uri|link|href|src|pdf|download|thumb|image|img|photo|file|full|report|original|preview|small|asset|media|document|attachment|export|output|location/i

const secretName =
  '(?:x-(?:amz|goog)-[\\w-]{1,40}|[\\w-]{0,40}(?:token|signature|secret|passw(?:or)?d|credential|api[_-]?key|accesskeyid)' +
  '|sig|auth|authorization|policy|key-pair-id|googleaccessid)'
/** A word that may be part of JSON text: the escape of a quote behind it stays, or the text would be no JSON any more. */
const wordInJson = `(?:[^\\s&;"'<>\\\\]|\\\\[^\\s&;"'<>])+`
const secretParameter = new RegExp(
  `(^|[?&;,\\s"'(]|%(?:25)?(?:3f|26))(${secretName})(\\s?(?:=|%(?:25)?3d))${wordInJson}`,
  'gi',
)
const secretInQuery = new RegExp(`(?:[?&;]|%(?:25)?(?:3f|26))${secretName}(?:=|%(?:25)?3d)`, 'i')
const secretMember = new RegExp(`("${secretName}\\\\?"\\s{0,8}:\\s{0,8}\\\\?")(?:[^"\\\\]|\\\\[^"])+`, 'gi')
const secretKey = new RegExp(`^${secretName}$`, 'i')
const bearer = new RegExp(`\\b(Bearer)\\s{1,8}(?:[^\\s"',;<>\\\\]|\\\\[^\\s"',;<>])+`, 'gi')
const basic = /\b(Basic)\s{1,8}[a-z0-9+/=]{12,}/gi

/** From a `?` to the end of the word: the query of a path that carries no scheme. */
const queryTail = /\?[^\s"'<>]*/g

/** A redactor that starts without secrets; add each token as soon as it is known. */
export function createRedactor(): Redactor {
  const forms = new Set<string>()
  let secrets: RegExp | undefined

  const redactor: Redactor = {
    addSecret(text) {
      const secret = text.trim()
      if (secret.length < MIN_SECRET_LENGTH || ordinaryWord.test(secret) || forms.has(secret)) return
      for (const form of writtenForms(secret)) forms.add(form)
      const longestFirst = [...forms].sort((a, b) => b.length - a.length)
      secrets = new RegExp(longestFirst.map(escapeForRegExp).join('|'), 'gi')
    },
    redactText(text) {
      if (text.length > MAX_SEARCHED_LENGTH) return TOO_LARGE
      const known = secrets === undefined ? text : text.replace(secrets, SECRET)
      return withoutSignatures(withoutPaths(known))
    },
    redactJson(value) {
      if (typeof value === 'string') return redactor.redactText(value)
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map((item) => redactor.redactJson(item))
      const nameOf = distinctNames()
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [
          nameOf(redactor.redactText(key)),
          secretKey.test(key) && (typeof item === 'string' || typeof item === 'number')
            ? SECRET
            : redactor.redactJson(item),
        ]),
      )
    },
  }
  return redactor
}

/**
 * A deep copy of an answer's JSON that may be stored: links are gone, tokens are gone, everything else stands as sent.
 * Values that are not JSON become null.
 */
export function redactRaw(value: unknown, { secrets = [] }: { secrets?: readonly string[] } = {}): unknown {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.addSecret(secret)
  let valuesLeft = MAX_VALUES

  const copyText = (text: string, isLink: boolean) => {
    if (isWholeLink(text) || (isLink && looksLikeLink(text))) return LINK
    // Cut after redacting: a cut secret would not be recognised any more.
    return redactor.redactText(text).slice(0, MAX_TEXT_LENGTH)
  }

  const copy = (part: unknown, depth: number, isLink: boolean): unknown => {
    if (--valuesLeft < 0) return TOO_LARGE
    if (typeof part === 'string') return copyText(part, isLink)
    if (typeof part === 'number' || typeof part === 'boolean') return part
    if (typeof part !== 'object' || part === null) return null
    if (depth >= MAX_DEPTH) return '[too deep]'
    if (Array.isArray(part)) return part.map((item) => copy(item, depth + 1, isLink))
    const nameOf = distinctNames()
    // fromEntries defines own properties: a key `__proto__` stays a key.
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [
        nameOf(copyText(key, false)),
        secretKey.test(key) && typeof item === 'string' ? SECRET : copy(item, depth + 1, isLink || linkKey.test(key)),
      ]),
    )
  }
  return copy(value, 0, false)
}

/** Tells keys apart that have become the same, as two links do: none may take the other's value away. */
function distinctNames(): (name: string) => string {
  const used = new Set<string>()
  const counts = new Map<string, number>()
  return (name) => {
    let distinct = name
    while (used.has(distinct)) {
      const count = (counts.get(name) ?? 1) + 1
      counts.set(name, count)
      distinct = `${name} ${count}`
    }
    used.add(distinct)
    return distinct
  }
}

/** How a secret may be written in a URL, a form body, inside JSON, or inside JSON that is a text of JSON. */
function writtenForms(secret: string): string[] {
  const wellFormed = secret.toWellFormed()
  const encoded = encodeURIComponent(wellFormed)
  return [
    secret,
    encoded,
    encodeURIComponent(encoded),
    encodeURI(wellFormed),
    new URLSearchParams({ s: secret }).toString().slice(2),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  ]
}

function withoutPaths(text: string): string {
  return text
    .replace(url, (whole, scheme: string | undefined, rest: string) =>
      scheme === undefined ? whole : scheme + bareUrl(rest),
    )
    .replace(encodedUrl, (_, scheme: string, rest: string) => scheme + bareEncodedUrl(rest))
}

/** What of a URL behind `scheme://` may be shown: host and port. */
function bareUrl(rest: string): string {
  const end = rest.search(/[/\\?#]/)
  const authority = end === -1 ? rest : rest.slice(0, end)
  const shown = rest.slice(authority.lastIndexOf('@') + 1)
  const host = hostAndPort.exec(shown)?.[0] ?? ''
  const tail = shown.slice(host.length)
  // What ends a sentence around the URL is no part of it.
  if (/^\/?[).,;:!\]]{0,3}$/.test(tail)) return host + tail
  return `${host}/${DROPPED}${lastEscape(tail)}`
}

function bareEncodedUrl(rest: string): string {
  const end = rest.search(encodedDelimiter)
  if (end === -1 && !/@|%(?:25){0,4}40/.test(rest)) return rest
  const authority = end === -1 ? rest : rest.slice(0, end)
  const host = authority.split(/@|%(?:25){0,4}40/).at(-1) ?? ''
  return end === -1 ? host : host + DROPPED + lastEscape(rest)
}

/** The backslashes at a text's end: the escape of a quote behind it, inside JSON, must stay one. */
function lastEscape(text: string): string {
  return /\\*$/.exec(text.slice(-MAX_DEPTH))?.[0] ?? ''
}

function withoutSignatures(text: string): string {
  return text
    .replace(queryTail, (query) => (secretInQuery.test(query) ? `?${DROPPED}${lastEscape(query)}` : query))
    .replace(secretMember, `$1${DROPPED}`)
    .replace(secretParameter, `$1$2$3${DROPPED}`)
    .replace(bearer, `$1 ${DROPPED}`)
    .replace(basic, `$1 ${DROPPED}`)
}

/**
 * Whether a value is a link under whatever name it stands: an absolute http(s) URL as the readers take it, blanks inside
 * included, or one without its scheme or its host that cannot be anything else.
 */
function isWholeLink(text: string): boolean {
  const trimmed = text.trim()
  if (/^https?:(?:\/|\\\/){2}/i.test(trimmed)) return URL.canParse(trimmed) || !/\s/.test(trimmed)
  if (!trimmed.startsWith('/') || /\s/.test(trimmed)) return false
  if (/^\/\/[^/]/.test(trimmed)) return true
  const end = trimmed.search(/[?#]/)
  // Only the end can match, so only the end is searched.
  return /\.[a-z0-9]{2,5}$/i.test((end === -1 ? trimmed : trimmed.slice(0, end)).slice(-6))
}

/** Whether a value could be a link, under a name that speaks of one. */
function looksLikeLink(text: string): boolean {
  // A scheme or a slash at the start; a link inside a text loses its path like everywhere else.
  return /^\s*(?:[/\\]|[a-z][a-z0-9+.-]{0,15}(?::|%3a)(?:\/|\\\/|%2f){2}|(?:data|blob):)/i.test(text) || hasQuery(text)
}

/** Whether a word of the text goes on with `?name=`. Each `?` is looked at once, whatever stands behind it. */
function hasQuery(text: string): boolean {
  return text.split(/\s/).some((word) => {
    const mark = word.indexOf('?')
    return mark !== -1 && word.includes('=', mark)
  })
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
