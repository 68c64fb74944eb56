import { firstOf, isJsonObject } from './json-object.ts'

/** Parts of an angle: degrees, minutes, seconds. */
const maxParts = 3

/** Longer than any notation of an angle. */
const maxTextLength = 80

/** Words to remove before compass letters are searched: the S of "degrees" does not mean south. */
export const angleWords = /deg(?:rees?)?|min(?:utes?)?|sec(?:onds?)?/gi

/**
 * Reads a latitude or longitude as decimal degrees: from a number, `"40.7"`, `40°42'46"N`, `40/1,42/1,46/1`, or a list
 * of degrees, minutes, and seconds, each a number or a fraction as in EXIF. South and west are negative. Returns `null`
 * for anything else; the range is not checked.
 */
export function readAngle(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'string') return angleOfText(value)
  if (Array.isArray(value) && value.length >= 1 && value.length <= maxParts) return angleOfParts(value.map(readPart))
  return null
}

function angleOfText(value: string): number | null {
  if (value.length > maxTextLength) return null
  const text = value
    .toUpperCase()
    .replaceAll('−', '-')
    .replace(angleWords, ' ')
    .replace(/[°º′'’‘"″”“:,]/g, ' ')
    .trim()
  const compass = /^[NSEW]|[NSEW]$/.exec(text)?.[0]
  const bare = text.replace(/^[NSEW]|[NSEW]$/g, '').trim()
  if (bare === '') return null
  const angle = angleOfParts(bare.split(/\s+/).map(readPart))
  if (angle === null) return null
  return compass === 'S' || compass === 'W' ? -Math.abs(angle) : angle
}

function angleOfParts(parts: readonly (number | null)[]): number | null {
  const [degrees = null, minutes = 0, seconds = 0] = parts
  if (degrees === null || minutes === null || seconds === null || parts.length > maxParts) return null
  if (minutes < 0 || minutes >= 60 || seconds < 0 || seconds >= 60) return null
  const size = Math.abs(degrees) + minutes / 60 + seconds / 3600
  return degrees < 0 || Object.is(degrees, -0) ? -size : size
}

/** Reads a number, a number as text, or a fraction: `46/1`, `[46, 1]`, `{ numerator, denominator }`. */
function readPart(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'string') {
    const match = /^([+-]?\d{1,12}(?:\.\d{1,40})?(?:E[+-]?\d{1,3})?)(?:\/(\d{1,12}))?$/i.exec(value.trim())
    return match === null ? null : fraction(Number(match[1]), Number(match[2] ?? 1))
  }
  if (Array.isArray(value)) return value.length === 2 ? fraction(value[0], value[1]) : null
  if (!isJsonObject(value)) return null
  return fraction(firstOf(value, ['numerator', 'num'], readPart), firstOf(value, ['denominator', 'den'], readPart))
}

function fraction(numerator: unknown, denominator: unknown): number | null {
  if (typeof numerator !== 'number' || typeof denominator !== 'number') return null
  const value = numerator / denominator
  return Number.isFinite(value) ? value : null
}
