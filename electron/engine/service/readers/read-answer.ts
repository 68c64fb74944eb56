import { firstOf, hasAny, isJsonObject, type JsonObject, valuesOf } from './json-object.ts'
import type { Redact } from './question-book.ts'
import { readText } from './read-scalars.ts'

/** Maximum length of an answer: longer than anybody types on a roof, and short enough to be shown whole. */
const maxAnswerLength = 2_000

/** Maximum number of choices of one answer, and of the options among which their labels are looked up. */
const maxChoices = 200

/** Nesting of an answer: an object with the value, a list, and a choice with its label. */
const maxNesting = 4

/** Names of answers. `values` and `answers` are missing: they are mostly the options that are offered. */
const answerNames = [
  'answer',
  'answertext',
  'response',
  'value',
  'selected',
  'selectedvalue',
  'selectedvalues',
  'selectedoption',
  'selectedoptions',
  'selection',
  'selections',
]
/** Names of a choice's text. Its label is what a person chose; its value may be a code. */
const choiceNames = ['label', 'text', 'title', 'name', 'displayvalue', 'en']
const optionLists = ['options', 'choices', 'values', 'data']
/** Names that only files have: the name of a file is no answer. */
const fileNames = [
  'url',
  'imgurl',
  'thumbnailurl',
  'filename',
  'size',
  'clientrefid',
  'clientrefids',
  'mediacategoryid',
]

/**
 * Reads the answer of a question as one line of text: text and numbers as sent, yes or no, the labels of chosen options
 * separated by commas. Answers that are only media, drawings, or unknown objects are `null`.
 */
export function readAnswer(question: JsonObject, redact: Redact): string | null {
  if (!hasAny(question, answerNames)) return null
  const labels = optionLabels(question)
  const answer = firstOf(question, answerNames, (value) => textOf(value, labels, 0))
  return answer === null ? null : redact(answer).slice(0, maxAnswerLength)
}

function textOf(value: unknown, labels: ReadonlyMap<string, string>, depth: number): string | null {
  if (typeof value === 'boolean') return labels.get(String(value)) ?? (value ? 'Yes' : 'No')
  if (Array.isArray(value)) return listOf(value, labels, depth)
  if (isJsonObject(value)) return depth >= maxNesting ? null : textOfObject(value, labels, depth + 1)
  const text = readText(value)
  // Drawings, such as signatures, are sent as data URLs.
  if (text === null || /^\s*data:[\w.+-]+\//i.test(text)) return null
  return labels.get(text) ?? text.trim()
}

function listOf(values: readonly unknown[], labels: ReadonlyMap<string, string>, depth: number): string | null {
  if (depth >= maxNesting) return null
  const texts = values.slice(0, maxChoices).map((value) => textOf(value, labels, depth + 1))
  return texts.filter((text) => text !== null).join(', ') || null
}

/** Reads a choice with its label, an object around the value, or one of ticked boxes by name: `{ north: true }`. */
function textOfObject(value: JsonObject, outer: ReadonlyMap<string, string>, depth: number): string | null {
  if (hasAny(value, fileNames)) return null
  const labels = hasAny(value, optionLists) ? optionLabels(value) : outer
  const own = firstOf(value, choiceNames, readText)
  if (own !== null) return own.trim()
  const inner = firstOf(value, answerNames, (member) => textOf(member, labels, depth))
  if (inner !== null) return inner
  const boxes = Object.entries(value).slice(0, maxChoices)
  if (boxes.length === 0 || !boxes.every(([, isTicked]) => typeof isTicked === 'boolean')) return null
  const ticked = boxes.filter(([, isTicked]) => isTicked === true)
  return ticked.map(([name]) => labels.get(name) ?? name).join(', ') || null
}

/** Returns the labels of a question's options by value: form builders answer with the value of the chosen one. */
function optionLabels(question: JsonObject): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  const lists = valuesOf(question, optionLists).flatMap((list) =>
    isJsonObject(list) ? valuesOf(list, optionLists) : [list],
  )
  const firstOptions = (list: unknown): readonly unknown[] =>
    Array.isArray(list) ? (list as readonly unknown[]).slice(0, maxChoices) : []
  for (const option of lists.flatMap(firstOptions)) {
    if (!isJsonObject(option)) continue
    const label = firstOf(option, choiceNames, readText)
    const value = firstOf(option, ['value', 'id', 'key', 'code'], (member) =>
      typeof member === 'boolean' ? String(member) : readText(member),
    )
    if (label !== null && value !== null) labels.set(value, label.trim())
  }
  return labels
}
