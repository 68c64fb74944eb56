/**
 * Keeps tokens and signed links out of logs, messages, and stored answers. A known token and what follows the host in a
 * URL are always removed; so is the value of a header, parameter, or JSON member that is named like a secret.
 */
export interface Redactor extends TextRedactor {
  /**
   * Removes `text` wherever it appears from now on, in any case, also percent-encoded or escaped as in JSON. A text of
   * fewer than eight letters and nothing else could be an ordinary word, so it is removed only as the value of a name
   * that marks it as a secret.
   */
  addSecret(text: string): void
  /**
   * The same for the service's answers, which are kept as evidence: there, names that are also ordinary words
   * ("authorization", "policy", "Bearer") remove nothing, because people use them in questions and answers.
   */
  readonly evidence: TextRedactor
  /** Removes known secrets and nothing else. */
  removeSecrets(text: string): string
  /** Returns whether `name` contains a known secret that is too long for a coincidence. */
  isInName(name: string): boolean
}

export interface TextRedactor {
  /** Removes known secrets, values named like secrets, and all of a URL but scheme, host, and port. */
  redactText(text: string): string
  /** Returns a copy of a JSON value with every key and text redacted and members named like secrets removed. */
  redactJson(value: unknown): unknown
}

/** Removing a shorter text from a log would make it unreadable. */
const minSecretLength = 4

/** Ids consist of a few letters and digits, so they contain shorter texts by chance. */
const minLengthInName = 8

const couldBeAnyWord = /^\p{L}{1,7}$/u

/** The nesting that the readers accept, see `service/readers/json-bounds.ts`; anything deeper never reaches them. */
const maxDepth = 64

/** Far above any real checklist (a few thousand values); bounds the memory of a copy. */
const maxValues = 500_000

/** Long enough for an embedded signature image, short enough that one value cannot fill a database row. */
const maxTextLength = 1_048_576

/** Longer texts are not searched: the stack of a regular expression is limited. */
const maxSearchedLength = 4_194_304

const tooLargeMark = '[too large]'
const secretMark = '[secret]'
const linkMark = '[link removed]'
const droppedMark = '…'

/**
 * The scheme's length is bounded so that a long run of letters cannot make the search quadratic. `file:///` URLs, as in
 * stack traces, are kept.
 */
const url = /file:\/{3}|([a-z][a-z0-9+.-]{0,15}:(?:\/|\\\/){2})([^\s"'<>]*)/gi

/** A URL inside another one, percent-encoded once or more often. */
const encodedUrl = /(https?%(?:25){0,4}3a(?:%(?:25){0,4}2f){2})([^\s"'<>]*)/gi
const encodedDelimiter = /[/\\?#&;]|%(?:25){0,4}(?:2f|3f|23|26|5c)/i

/** Punctuation of the sentence around a URL. */
const afterUrl = '[).,;:!\\]]{0,3}'

/** Host and port at the start of a URL without its scheme and user. A full stop after the port ends the sentence. */
const hostAndPort = new RegExp(
  `^(?:\\[[0-9a-f:.]{0,45}\\]|[^:/\\\\?#&;,()|\`[\\]]*)(?::\\d{1,5}(?=${afterUrl}$|[^\\w.-]))?`,
  'i',
)
const onlyPunctuation = new RegExp(`^/?${afterUrl}$`)

/** Words in the names under which the readers look for a link. */
const linkKey = new RegExp(
  'url|uri|link|href|src|pdf|download|thumb|image|img|photo|file|full|report|original|preview|small|asset|media' +
    '|document|attachment|export|output|location',
  'i',
)

/** Names that are used only for secrets, and those that are also ordinary words. */
const plainNames =
  'x-(?:amz|goog)-[\\w-]{1,40}|[\\w-]{0,40}(?:token|secret|passw(?:or)?d|credential|api[_-]?key|accesskeyid)' +
  '|key-pair-id|googleaccessid'
const allNames = `${plainNames}|[\\w-]{0,40}signature|sig|auth|authorization|policy`

/** A word that may be part of JSON text, where the escape of a following quote must stay. */
const wordInJson = `(?:[^\\s&;"'<>\\\\]|\\\\[^\\s&;"'<>])+`
const parameter = (start: string, names: string) =>
  new RegExp(`(${start})(${names})(\\s?(?:=|%(?:25)?3d))(${wordInJson})`, 'gi')
const member = (names: string) =>
  new RegExp(`("(?:${names})\\\\?"\\s{0,8}:\\s{0,8}\\\\?")((?:[^"\\\\]|\\\\[^"])+)`, 'gi')
const key = (names: string) => new RegExp(`^(?:${names})$`, 'i')

/** The query of a path without a scheme: from `?` to the end of the word. */
const queryTail = /\?[^\s"'<>]*/g
const secretInQuery = new RegExp(`(?:[?&;]|%(?:25)?(?:3f|26))(?:${allNames})(?:=|%(?:25)?3d)`, 'i')
const inQuery = parameter('[?&]|%(?:25)?(?:3f|26)', allNames)

/** An Authorization header, also one that is quoted: scheme and credentials. */
const header = /\b(authorization\W{1,64}(?:Bearer|Basic)\s{1,64})((?:[^\s"',;<>\\]|\\[^\s"',;<>\\])+)/gi
const headerValue = /^\W{0,8}(?:Bearer|Basic|Token|Digest)\b/i

const bearer = /\b(Bearer)(\s{1,8})((?:[^\s"',;<>\\]|\\[^\s"',;<>])+)/gi
const basic = /\b(Basic)(\s{1,8})([a-z0-9+/=]{12,})/gi

/** One of these is in every URL, query, parameter, JSON member, and header. Most texts have none of them. */
const suspicious = /:[/\\]|[%?"&=]|authorization|bearer|basic/i

/** Which names mark a secret: all of them, as in logs and messages, or only the plain ones. */
interface SecretNames {
  readonly key: RegExp
  readonly member: RegExp
  readonly parameter: RegExp
  readonly schemes: readonly RegExp[]
}

const startOfText = '^|[;,\\s"\'(]'
const anyName: SecretNames = {
  key: key(allNames),
  member: member(allNames),
  parameter: parameter(startOfText, allNames),
  schemes: [bearer, basic],
}
const plainName: SecretNames = {
  key: key(plainNames),
  member: member(plainNames),
  parameter: parameter(startOfText, plainNames),
  schemes: [],
}

/** Returns a redactor without known secrets; add each token as soon as it is known. */
export function createRedactor(): Redactor {
  const forms = new Set<string>()
  let secrets: RegExp | undefined
  let longSecrets: RegExp | undefined

  const removeSecrets = (text: string) => (secrets === undefined ? text : text.replace(secrets, secretMark))
  const redactorFor = (names: SecretNames): TextRedactor => {
    const redactText = (text: string) => {
      if (text.length > maxSearchedLength) return tooLargeMark
      const known = removeSecrets(text)
      if (!suspicious.test(known)) return known
      return withoutNamedSecrets(withoutPaths(known), names)
    }
    const redactMember = (name: string, item: unknown) =>
      (typeof item === 'string' || typeof item === 'number') && isSecretMember(name, item, names)
        ? secretMark
        : redactJson(item)
    const redactJson = (value: unknown): unknown => {
      if (typeof value === 'string') return redactText(value)
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map((item) => redactJson(item))
      const nameOf = distinctNames()
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [nameOf(redactText(name)), redactMember(name, item)]),
      )
    }
    return { redactText, redactJson }
  }

  return {
    ...redactorFor(anyName),
    evidence: redactorFor(plainName),
    addSecret(text) {
      const secret = text.trim()
      if (secret.length < minSecretLength || couldBeAnyWord.test(secret) || forms.has(secret)) return
      for (const form of writtenForms(secret)) forms.add(form)
      const byLength = [...forms].sort((a, b) => b.length - a.length)
      secrets = new RegExp(byLength.map(escapeForRegExp).join('|'), 'gi')
      const long = byLength.filter((form) => form.length >= minLengthInName)
      longSecrets = long.length === 0 ? undefined : new RegExp(long.map(escapeForRegExp).join('|'), 'i')
    },
    removeSecrets,
    isInName: (name) => longSecrets?.test(name) === true,
  }
}

/**
 * Returns a copy of an answer's JSON that may be stored: without links and tokens, otherwise as sent. Values that are
 * not JSON become `null`.
 */
export function redactRaw(value: unknown, redactor = createRedactor()): unknown {
  let valuesLeft = maxValues

  const copyText = (text: string, isNamedLink: boolean) => {
    if (isWholeLink(text) || (isNamedLink && looksLikeLink(text))) return linkMark
    // Cut after redacting: a cut secret would not be recognized any more.
    return redactor.evidence.redactText(text).slice(0, maxTextLength)
  }

  const copy = (part: unknown, depth: number, isNamedLink: boolean): unknown => {
    if (--valuesLeft < 0) return tooLargeMark
    if (typeof part === 'string') return copyText(part, isNamedLink)
    if (typeof part === 'number' || typeof part === 'boolean') return part
    if (typeof part !== 'object' || part === null) return null
    if (depth >= maxDepth) return '[too deep]'
    if (Array.isArray(part)) return part.map((item) => copy(item, depth + 1, isNamedLink))
    const nameOf = distinctNames()
    // fromEntries defines own properties: a key `__proto__` stays a key.
    return Object.fromEntries(
      Object.entries(part).map(([name, item]) => [
        nameOf(copyText(name, false)),
        typeof item === 'string' && isSecretMember(name, item, plainName)
          ? secretMark
          : copy(item, depth + 1, isNamedLink || linkKey.test(name)),
      ]),
    )
  }
  return copy(value, 0, false)
}

function isSecretMember(name: string, value: string | number, names: SecretNames): boolean {
  return names.key.test(name) || (/^authorization$/i.test(name) && headerValue.test(String(value)))
}

/** Returns a function that numbers keys which became equal by redaction, so that none replaces another's value. */
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

/** Returns the forms of the secret in a URL, a form body, JSON, and JSON inside JSON. */
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

/** Returns host and port of a URL; `rest` is the part after `scheme://`. */
function bareUrl(rest: string): string {
  const end = rest.search(/[/\\?#]/)
  const authority = end === -1 ? rest : rest.slice(0, end)
  const shown = rest.slice(authority.lastIndexOf('@') + 1)
  const host = hostAndPort.exec(shown)?.[0] ?? ''
  const tail = shown.slice(host.length)
  if (onlyPunctuation.test(tail)) return host + tail
  return `${host}/${droppedMark}${lastEscape(tail)}`
}

function bareEncodedUrl(rest: string): string {
  const end = rest.search(encodedDelimiter)
  if (end === -1 && !/@|%(?:25){0,4}40/.test(rest)) return rest
  const authority = end === -1 ? rest : rest.slice(0, end)
  const host = authority.split(/@|%(?:25){0,4}40/).at(-1) ?? ''
  return end === -1 ? host : host + droppedMark + lastEscape(rest)
}

/** Returns the backslashes at the end of a text, which escape the quote that follows it in JSON. */
function lastEscape(text: string): string {
  return /\\*$/.exec(text.slice(-maxDepth))?.[0] ?? ''
}

function withoutNamedSecrets(text: string, names: SecretNames): string {
  const withoutQueries = text
    .replace(queryTail, (query) => (secretInQuery.test(query) ? `?${droppedMark}${lastEscape(query)}` : query))
    .replace(names.member, `$1${droppedMark}`)
  // Schemes first: in a header that looks like a parameter, only the scheme would be removed.
  const withoutSchemes = names.schemes.reduce(
    (rest, scheme) => rest.replace(scheme, `$1 ${droppedMark}`),
    withoutQueries.replace(header, `$1${droppedMark}`),
  )
  return withoutSchemes.replace(inQuery, `$1$2$3${droppedMark}`).replace(names.parameter, `$1$2$3${droppedMark}`)
}

/**
 * Returns whether a value is a link regardless of its name: an absolute http(s) URL as the readers accept it, spaces
 * included, or one without its scheme or host that cannot be anything else.
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

/** Returns whether a name or an id is a link, perhaps without scheme and host, that could have a signature. */
export function isLink(text: string): boolean {
  return isWholeLink(text) || /^\s*[a-z][a-z0-9+.-]{0,15}(?::|%3a)(?:\/|\\\/|%2f){2}/i.test(text) || hasQuery(text)
}

/**
 * Returns a file name without the link around it: the last part of its path, without a query. Returns `null` if that
 * has no extension, because it may be a signature.
 */
export function withoutLink(fileName: string): string | null {
  if (!isLink(fileName) && !/^\s*\/\//.test(fileName)) return fileName
  const [path = ''] = fileName.trim().split('?')
  if (path !== '' && !path.includes('/')) return path
  return /(?:^|[^/])\/([^/#]+\.[a-z0-9]{2,5})$/i.exec(path)?.[1] ?? null
}

/** Returns whether a value under a link's name is a link: it starts with a scheme or a slash, or has a query. */
function looksLikeLink(text: string): boolean {
  return /^\s*(?:[/\\]|(?:data|blob):)/i.test(text) || isLink(text)
}

/** Returns whether a word of the text continues with `?name=`. */
function hasQuery(text: string): boolean {
  return text.split(/\s/).some((word) => {
    const mark = word.indexOf('?')
    return mark !== -1 && word.includes('=', mark)
  })
}

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
