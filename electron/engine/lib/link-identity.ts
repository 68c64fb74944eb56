import { hash } from 'node:crypto'

/**
 * Parameters by which file hosts sign links (AWS, CloudFront, Google, Alibaba, Akamai), by their exact names: they
 * change with every answer and name no file. Any other, such as `key`, `hash`, or `id`, may distinguish two files.
 */
const schemeParameter = new RegExp(
  String.raw`^(?:x-(?:amz|goog|oss)-[\w-]+|awsaccesskeyid|googleaccessid|ossaccesskeyid|signature|expires|policy` +
    '|key-pair-id|hash-algorithm|keyname|security-token|hdnts|hdnea)$',
  'i',
)

/** Parameters of an Azure shared access signature, which always has a version and a signature. */
const sharedAccessParameter =
  /^(?:sv|ss|srt|sr|sp|st|se|sip|spr|si|sdd|ses|sig|skoid|sktid|skt|ske|sks|skv|saoid|suoid|scid)$/i

/** Parameters that may be a token. A host that serves all files from one path could also name them this way. */
const tokenParameter =
  /^(?:token|access_token|auth_token|__token__|__cld_token__|jwt|sig|hmac|auth_key|exp|expire|expiry|expiration)$/i

/**
 * Returns a hash of host, path, and parameters of a link without the signing ones: from one answer to the next it shows
 * whether a file moved, and it reveals nothing. Returns null without a link.
 */
export function urlIdentityOf(url: string | null): string | null {
  return identityHash(url, (name, isShared) => isSigning(name, isShared) || tokenParameter.test(name))
}

/**
 * Returns a hash that distinguishes the links of one answer: links that differ in it may lead to different files.
 * Stricter than `urlIdentityOf`: two tokens in one answer may be two files. Returns null without a link.
 */
export function strictUrlIdentityOf(url: string | null): string | null {
  return identityHash(url, isSigning)
}

function isSigning(name: string, isShared: boolean): boolean {
  return schemeParameter.test(name) || (isShared && sharedAccessParameter.test(name))
}

function identityHash(url: string | null, isIgnored: (name: string, isShared: boolean) => boolean): string | null {
  const parsed = url === null ? null : URL.parse(url)
  if (parsed === null) return null
  const parameters = parsed.search === '' ? [] : namingParameters(parsed.searchParams, isIgnored)
  return hashText(JSON.stringify([parsed.host, parsed.pathname, parameters]))
}

function namingParameters(
  parameters: URLSearchParams,
  isIgnored: (name: string, isShared: boolean) => boolean,
): [string, string][] {
  const isShared = parameters.has('sv') && parameters.has('sig')
  return [...parameters].filter(([name]) => !isIgnored(name, isShared))
}

/** Hashes ids, names, and links before they are stored: a service may have put a secret into them. */
export function hashText(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32)
}
