import { firstOf, isJsonObject } from './json-object.ts'
import { readText } from './read-scalars.ts'

/**
 * Years of plausible times: checklists and digital photos are newer than the first, and no record is from after the
 * last.
 */
const firstYear = 1990
const lastYear = 2100

/** Distinguishes epoch seconds from milliseconds: as seconds this is the year 5138, as milliseconds 1973. */
const secondsBelow = 1e11

const isoDate = String.raw`(\d{4})[-:/](\d{1,2})[-:/](\d{1,2})`
const isoTime = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?`
const isoZone = String.raw`(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)`
const iso = new RegExp(String.raw`^${isoDate}(?:[T\s]+${isoTime}\s*${isoZone}?)?$`, 'i')
/**
 * A time as the service and most others write it, on a day that every month has: it needs no calendar, which costs
 * most of the work.
 */
const plainIso = /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:(\.\d{3}))?Z$/
/** A time as in HTTP and mail headers: `Tue, 14 May 2024 09:30:00 GMT`. */
const rfc = /^(?:[a-z]{3},?\s+)?\d{1,2}[\s-][a-z]{3}[\s-]\d{4}\s+\d{1,2}:\d{2}(?::\d{2})?\s+(?:GMT|UTC|Z|[+-]\d{4})$/i

/**
 * Reads a time as ISO 8601 UTC text: from ISO text with or without a zone (UTC by default), EXIF text (`2024:05:14
 * 09:30:00`), mail dates, epoch seconds or milliseconds as number or text, and the objects that databases write (`{
 * $date }`, `{ seconds }`). Returns `null` if it is not a time or its year is implausible.
 */
export function readTime(value: unknown): string | null {
  if (typeof value === 'number') return fromEpoch(value)
  if (isJsonObject(value)) return firstOf(value, ['date', 'numberlong', 'seconds', 'iso', 'datetime'], readPlainTime)
  return readPlainTime(value)
}

function readPlainTime(value: unknown): string | null {
  if (isJsonObject(value)) return firstOf(value, ['numberlong'], readPlainTime)
  const text = readText(value)?.trim()
  if (text === undefined) return null
  const plain = plainIso.exec(text)
  if (plain !== null) return isPlausible(Number(text.slice(0, 4))) ? `${plain[1]}${plain[2] ?? '.000'}Z` : null
  if (/^\d+(\.\d+)?$/.test(text)) return fromEpoch(Number(text))
  const parts = iso.exec(text)
  if (parts !== null) return fromParts(parts)
  return rfc.test(text) ? toIso(Date.parse(text)) : null
}

function fromEpoch(epoch: number): string | null {
  return toIso(Math.trunc(epoch < secondsBelow ? epoch * 1000 : epoch))
}

function fromParts([, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z']: string[]) {
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number)
  if (y === undefined || mo === undefined || d === undefined) return null
  if (h === undefined || mi === undefined || s === undefined || h > 23 || mi > 59 || s > 59) return null
  const localMs = Date.UTC(y, mo - 1, d, h, mi, s, Number(fraction.padEnd(3, '0').slice(0, 3)))
  const read = new Date(localMs)
  // Date.UTC converts February 31 to a day in March.
  if (read.getUTCMonth() !== mo - 1 || read.getUTCDate() !== d) return null
  return toIso(localMs - zoneMs(zone))
}

function zoneMs(zone: string): number {
  const parts = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone)
  if (parts === null) return 0
  const minutes = Number(parts[2]) * 60 + Number(parts[3] ?? 0)
  return (parts[1] === '-' ? -minutes : minutes) * 60_000
}

function toIso(epochMs: number): string | null {
  const date = new Date(epochMs)
  return isPlausible(date.getUTCFullYear()) ? date.toISOString() : null
}

function isPlausible(year: number): boolean {
  return year >= firstYear && year <= lastYear
}
