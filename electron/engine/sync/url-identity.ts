import { createHash } from 'node:crypto'

/**
 * Parameters by which file hosts sign links (AWS, CloudFront, Google, Alibaba, Akamai), by their exact names: they change
 * with every asking and name no file. Any other, such as `key`, `hash` or `id`, may be what tells two files apart.
 */
const schemeParameter =
  /^(?:x-(?:amz|goog|oss)-[\w-]+|awsaccesskeyid|googleaccessid|ossaccesskeyid|signature|expires|policy|key-pair-id|hash-algorithm|keyname|security-token|hdnts|hdnea)$/i

/** Those of an Azure shared access signature, which all have its version and its signature. */
const sharedAccessParameter =
  /^(?:sv|ss|srt|sr|sp|st|se|sip|spr|si|sdd|ses|sig|skoid|sktid|skt|ske|sks|skv|saoid|suoid|scid)$/i

/** What may sign by itself. A host that keeps its files behind one path could as well name them by it. */
const tokenParameter =
  /^(?:token|access_token|auth_token|__token__|__cld_token__|jwt|sig|hmac|auth_key|exp|expire|expiry|expiration)$/i

/**
 * A link's place on its host, hashed: tells from one answer to the next whether a file moved, reveals nothing. Parameters
 * that sign are left out, others belong to the place (`/file.jpg?id=1`). Null without a link.
 */
export function sourceHash(url: string | null): string | null {
  return placeHash(url, (name, isShared) => isSigning(name, isShared) || tokenParameter.test(name))
}

/**
 * What tells the links of one answer apart, hashed: links that differ in it may lead to different files. Stricter than
 * `sourceHash`: two tokens in one answer may be two files. Null without a link.
 */
export function linkHash(url: string | null): string | null {
  return placeHash(url, isSigning)
}

function isSigning(name: string, isShared: boolean): boolean {
  return schemeParameter.test(name) || (isShared && sharedAccessParameter.test(name))
}

function placeHash(url: string | null, leavesOut: (name: string, isShared: boolean) => boolean): string | null {
  if (url === null || !URL.canParse(url)) return null
  const { host, pathname, searchParams } = new URL(url)
  const isShared = searchParams.has('sv') && searchParams.has('sig')
  const place = [...searchParams].filter(([name]) => !leavesOut(name, isShared))
  return hashText(JSON.stringify([host, pathname, place]))
}

/** What a service puts into its ids, names and links can be a secret too: it is stored hashed. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
