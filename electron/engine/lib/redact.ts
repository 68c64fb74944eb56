import { isFilePath, isOrdinaryWord, readsAsWords, wordsOf } from './ordinary-words.ts'

/**
 * Keeps tokens and signed links out of logs, messages and stored answers. Everything here errs towards removing too
 * much: a lost query string costs nothing, a kept one is somebody's photos for 24 hours, or the whole account. What is
 * stored as evidence of what the service said keeps a person's words besides: "Bearer size" is a question, and
 * "authorization" may have an answer.
 */
export interface Redactor extends TextRedactor {
  /**
   * From now on `text` is removed wherever it stands, also percent-encoded or escaped as in JSON. Not what could be an
   * ordinary word, fewer than eight letters and nothing else: whoever typed one as a token by mistake would lose it from
   * every sentence and stored answer. Where a token is named as one (a header, a parameter, a member) that goes all the same.
   */
  addSecret(text: string): void
  /**
   * The same for what is kept and shown as evidence: a person's words stay where a secret could stand as well, behind
   * "Bearer" and "Basic" and under names that are words themselves, such as `authorization` and `policy`. A known secret
   * goes there in any case.
   */
  readonly evidence: TextRedactor
  /** Whether a name that others gave has a known secret in it, long enough to be in none by chance. */
  isInName(name: string): boolean
}

export interface TextRedactor {
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

/** Ids are made of a few letters and digits: shorter texts are part of one now and then. */
const MIN_LENGTH_IN_NAME = 8

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
  `(^|[?&;,\\s"'(]|%(?:25)?(?:3f|26))(${secretName})(\\s?(?:=|%(?:25)?3d))(${wordInJson})`,
  'gi',
)
const secretInQuery = new RegExp(`(?:[?&;]|%(?:25)?(?:3f|26))${secretName}(?:=|%(?:25)?3d)`, 'i')
const secretMember = new RegExp(`("(${secretName})\\\\?"\\s{0,8}:\\s{0,8}\\\\?")((?:[^"\\\\]|\\\\[^"])+)`, 'gi')
const secretKey = new RegExp(`^${secretName}$`, 'i')
/** Those of the names that a person's questions have, too. */
const wordKey = /^(?!x-(?:amz|goog)-)(?:[\w-]{0,40}signature|sig|auth|authorization|policy)$/i
const bearer = new RegExp(`\\b(Bearer)(\\s{1,8})((?:[^\\s"',;<>\\\\]|\\\\[^\\s"',;<>])+)`, 'gi')
const basic = /\b(Basic)(\s{1,8})([a-z0-9+/=]{12,})/gi

/** What stands before a scheme in a header, or where one is quoted. */
const authorizationBefore = /authorization\W*$/i

/** How far back that is looked for: more blanks and signs than people and programs put in between. */
const beforeLength = 64

/** From a `?` to the end of the word: the query of a path that carries no scheme. */
const queryTail = /\?[^\s"'<>]*/g

/** A redactor that starts without secrets; add each token as soon as it is known. */
export function createRedactor(): Redactor {
  return createRedaction()
}

function createRedaction(): Redactor & { readonly keeper: WordKeeper } {
  const forms = new Set<string>()
  /** Secrets that could be words: they go where they are named as secrets alone. */
  const words = new Set<string>()
  const keeper = createWordKeeper(words)
  let secrets: RegExp | undefined
  let longSecrets: RegExp | undefined

  const redacting = (keep: WordKeeper | undefined): TextRedactor => {
    const redactText = (text: string) => {
      if (text.length > MAX_SEARCHED_LENGTH) return TOO_LARGE
      const known = secrets === undefined ? text : text.replace(secrets, SECRET)
      return withoutSignatures(withoutPaths(known), keep)
    }
    const redactMember = (key: string, item: unknown) => {
      const isNamed = secretKey.test(key) && (typeof item === 'string' || typeof item === 'number')
      return isNamed && keep?.underName(key, String(item)) !== true ? SECRET : redactJson(item)
    }
    const redactJson = (value: unknown): unknown => {
      if (typeof value === 'string') return redactText(value)
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map((item) => redactJson(item))
      const nameOf = distinctNames()
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [nameOf(redactText(key)), redactMember(key, item)]),
      )
    }
    return { redactText, redactJson }
  }

  return {
    ...redacting(undefined),
    evidence: redacting(keeper),
    keeper,
    addSecret(text) {
      const secret = text.trim()
      if (secret.length < MIN_SECRET_LENGTH || ordinaryWord.test(secret)) {
        words.add(bareWord(secret))
        return
      }
      if (forms.has(secret)) return
      for (const form of writtenForms(secret)) forms.add(form)
      const longestFirst = [...forms].sort((a, b) => b.length - a.length)
      secrets = new RegExp(longestFirst.map(escapeForRegExp).join('|'), 'gi')
      const long = longestFirst.filter((form) => form.length >= MIN_LENGTH_IN_NAME)
      longSecrets = long.length === 0 ? undefined : new RegExp(long.map(escapeForRegExp).join('|'), 'i')
    },
    isInName: (name) => longSecrets?.test(name) === true,
  }
}

/** Decides what may stay of a person's words. `words`: secrets that could be such words, as `bareWord` has them. */
function createWordKeeper(words: ReadonlySet<string>) {
  /** Also where it is a part of what it is joined to, as in `user/token`. */
  const isKnown = (chunk: string) => [chunk, ...chunk.split(/\P{L}+/u)].some((part) => words.has(bareWord(part)))
  return {
    underName: (name: string, value: string) =>
      wordKey.test(name) && readsAsWords(value) && !wordsOf(value).some(isKnown),
    behindScheme: (value: string, textBefore: string) =>
      !authorizationBefore.test(textBefore) && (isOrdinaryWord(value) || isFilePath(value)) && !isKnown(value),
  }
}

type WordKeeper = ReturnType<typeof createWordKeeper>

/** A word without what a sentence puts around it. */
function bareWord(text: string): string {
  const small = text.toLowerCase()
  // From its first letter to its last, in one way only: a row of signs cannot make the search quadratic.
  return /\p{L}(?:.*\p{L})?/su.exec(small)?.[0] ?? small
}

/**
 * A deep copy of an answer's JSON that may be stored: links are gone, tokens are gone, everything else stands as sent.
 * Values that are not JSON become null.
 */
export function redactRaw(value: unknown, { secrets = [] }: { secrets?: readonly string[] } = {}): unknown {
  const redactor = createRedaction()
  for (const secret of secrets) redactor.addSecret(secret)
  let valuesLeft = MAX_VALUES

  const copyText = (text: string, isLink: boolean, by: TextRedactor) => {
    if (isWholeLink(text) || (isLink && looksLikeLink(text))) return LINK
    // Cut after redacting: a cut secret would not be recognised any more.
    return by.redactText(text).slice(0, MAX_TEXT_LENGTH)
  }

  const copy = (part: unknown, depth: number, isLink: boolean, by: TextRedactor): unknown => {
    if (--valuesLeft < 0) return TOO_LARGE
    if (typeof part === 'string') return copyText(part, isLink, by)
    if (typeof part === 'number' || typeof part === 'boolean') return part
    if (typeof part !== 'object' || part === null) return null
    if (depth >= MAX_DEPTH) return '[too deep]'
    if (Array.isArray(part)) return part.map((item) => copy(item, depth + 1, isLink, by))
    const nameOf = distinctNames()
    // fromEntries defines own properties: a key `__proto__` stays a key.
    return Object.fromEntries(
      Object.entries(part).map(([key, item]) => {
        const isSecret = secretKey.test(key)
        const isRemoved = isSecret && typeof item === 'string' && !redactor.keeper.underName(key, item)
        // A list or an object below a name such as `authorization` may be the headers of a call.
        const inside = isSecret && typeof item !== 'string' ? redactor : by
        return [
          nameOf(copyText(key, false, by)),
          isRemoved ? SECRET : copy(item, depth + 1, isLink || linkKey.test(key), inside),
        ]
      }),
    )
  }
  return copy(value, 0, false, redactor.evidence)
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

function withoutSignatures(text: string, keep: WordKeeper | undefined): string {
  return (
    text
      .replace(queryTail, (query) => (secretInQuery.test(query) ? `?${DROPPED}${lastEscape(query)}` : query))
      .replace(secretMember, (whole, start: string, name: string, value: string) =>
        keep?.underName(name, value) === true ? whole : start + DROPPED,
      )
      // Before the parameters: of one that is a header the scheme alone would go.
      .replace(bearer, (whole, scheme: string, _blanks: string, value: string, at: number, all: string) =>
        keep?.behindScheme(value, justBefore(all, at)) === true ? whole : `${scheme} ${DROPPED}`,
      )
      .replace(basic, (whole, scheme: string, _blanks: string, value: string, at: number, all: string) =>
        keep?.behindScheme(value, justBefore(all, at)) === true && !holdsCredentials(value)
          ? whole
          : `${scheme} ${DROPPED}`,
      )
      .replace(
        secretParameter,
        (whole, start: string, name: string, mark: string, value: string, at: number, all: string) =>
          isInSentence(start, mark, all[at + whole.length]) && keep?.underName(name, value) === true
            ? whole
            : start + name + mark + DROPPED,
      )
  )
}

/** Whether a parameter does not stand among others, as in a URL, a form body or a cookie. */
function isInSentence(start: string, mark: string, next: string | undefined): boolean {
  return !/[?&;%]/.test(start) && mark.endsWith('=') && next !== '&' && next !== ';'
}

const justBefore = (text: string, at: number) => text.slice(Math.max(0, at - beforeLength), at)

/** Basic credentials are a name and a password with a colon in between. */
function holdsCredentials(base64: string): boolean {
  return Buffer.from(base64, 'base64').includes(':')
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

/** What people write where nothing is: "/", "/N/A", "/ none". Nothing of it is longer than a word that is no secret. */
const slashedWord = /^\s*\/\s?(?:\p{L}{1,7}|\p{L}{1,3}\s?\/\s?\p{L}{1,3})?\s*$/u

/** Whether a value could be a link, under a name that speaks of one. */
function looksLikeLink(text: string): boolean {
  if (slashedWord.test(text)) return false
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
