/**
 * Keeps tokens and signed links out of logs, messages and stored answers. Everything here errs towards removing too
 * much: a lost query string costs nothing, a kept one is somebody's photos for 24 hours, or the whole account.
 */
export interface Redactor {
  /** From now on `text` is removed wherever it stands, also percent-encoded or escaped as in JSON. */
  addSecret(text: string): void
  /** Removes known secrets, user names, queries and fragments of URLs, bearer tokens and signature-like parameters. */
  redactText(text: string): string
}

/** Shorter texts are no tokens, and removing every `a` from a log would make it unreadable. */
const MIN_SECRET_LENGTH = 4

/** The nesting that the readers accept, see `service/readers/parse-answer.ts`; anything deeper never reaches them. */
const MAX_DEPTH = 64

/** Far above any real checklist (a few thousand values); bounds the memory of a copy. */
const MAX_VALUES = 500_000

/** Long enough for an embedded signature image, short enough that one value cannot fill a database row. */
const MAX_TEXT_LENGTH = 1_048_576

const SECRET = '[secret]'
const LINK = '[link removed]'
const DROPPED = '…'

/** The scheme's length is bounded so that a long run of letters cannot make the search quadratic. */
const url = /([a-z][a-z0-9+.-]{0,15}:(?:\/|\\\/){2})([^\s"'<>]*)/gi

const secretName =
  '(?:x-(?:amz|goog)-[\\w-]{1,40}|[\\w-]{0,40}(?:token|signature|secret|passw(?:or)?d|credential|api[_-]?key|accesskeyid)' +
  '|sig|auth|authorization|policy|key-pair-id|googleaccessid)'
const secretParameter = new RegExp(
  `(^|[?&;,\\s"'(]|%(?:25)?(?:3f|26))(${secretName})(\\s?(?:=|%(?:25)?3d))[^\\s&;"'<>]+`,
  'gi',
)
const secretInQuery = new RegExp(`(?:[?&;]|%(?:25)?(?:3f|26))${secretName}(?:=|%(?:25)?3d)`, 'i')
const secretMember = new RegExp(`("${secretName}\\\\?"\\s{0,8}:\\s{0,8}\\\\?")(?:[^"\\\\]|\\\\[^"])+`, 'gi')
const secretKey = new RegExp(`^${secretName}$`, 'i')
const bearer = /\b(Bearer)\s{1,8}[^\s"',;<>]+/gi
const basic = /\b(Basic)\s{1,8}[a-z0-9+/=]{12,}/gi

/** From a `?` to the end of the word: the query of a path that carries no scheme. */
const queryTail = /\?[^\s"'<>]*/g

/** A redactor that starts without secrets; add each token as soon as it is known. */
export function createRedactor(): Redactor {
  const forms = new Set<string>()
  let secrets: RegExp | undefined

  return {
    addSecret(text) {
      const secret = text.trim()
      if (secret.length < MIN_SECRET_LENGTH || forms.has(secret)) return
      for (const form of writtenForms(secret)) forms.add(form)
      const longestFirst = [...forms].sort((a, b) => b.length - a.length)
      secrets = new RegExp(longestFirst.map(escapeForRegExp).join('|'), 'gi')
    },
    redactText(text) {
      const known = secrets === undefined ? text : text.replace(secrets, SECRET)
      return withoutSignatures(known.replace(url, (_, scheme: string, rest: string) => scheme + bareUrl(rest)))
    },
  }
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
    if (isLink && looksLikeLink(text)) return LINK
    // Cut after redacting: a cut secret would not be recognised any more.
    return redactor.redactText(text).slice(0, MAX_TEXT_LENGTH)
  }

  const copy = (part: unknown, depth: number, isLink: boolean): unknown => {
    if (--valuesLeft < 0) return '[too large]'
    if (typeof part === 'string') return copyText(part, isLink)
    if (typeof part === 'number' || typeof part === 'boolean') return part
    if (typeof part !== 'object' || part === null) return null
    if (depth >= MAX_DEPTH) return '[too deep]'
    if (Array.isArray(part)) return part.map((item) => copy(item, depth + 1, isLink))
    // fromEntries defines own properties: a key `__proto__` stays a key.
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => [
        redactor.redactText(key),
        secretKey.test(key) && typeof item === 'string'
          ? SECRET
          : copy(item, depth + 1, isLink || /url|uri|link|href|src|pdf|download|thumbnail/i.test(key)),
      ]),
    )
  }
  return copy(value, 0, false)
}

/** How a secret may be written in a URL, a form body or inside JSON. */
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
  ]
}

/** What of a URL behind `scheme://` may be shown: host and path. */
function bareUrl(rest: string): string {
  const end = rest.search(/[?#]/)
  const hostAndPath = end === -1 ? rest : rest.slice(0, end)
  const slash = hostAndPath.search(/[/\\]/)
  const authority = slash === -1 ? hostAndPath : hostAndPath.slice(0, slash)
  // A path may hold another URL, as with a web archive or a proxy.
  const shown = hostAndPath.slice(authority.lastIndexOf('@') + 1).replace(/(:\/\/)[^/@]*@/g, '$1')
  return rest[end] === '?' ? `${shown}?${DROPPED}` : shown
}

function withoutSignatures(text: string): string {
  return text
    .replace(queryTail, (query) => (secretInQuery.test(query) ? `?${DROPPED}` : query))
    .replace(secretMember, `$1${DROPPED}`)
    .replace(secretParameter, `$1$2$3${DROPPED}`)
    .replace(bearer, `$1 ${DROPPED}`)
    .replace(basic, `$1 ${DROPPED}`)
}

function looksLikeLink(text: string): boolean {
  return /(?::|%3a)(?:\/|\\\/|%2f){2}|^\s*[/\\]|\?[^\s=]*=|^\s*(?:data|blob):/i.test(text)
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
