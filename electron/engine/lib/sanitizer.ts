import { createRedactor, redactRaw } from './redact.ts'

/** Removes links, tokens, and signatures from the service's answers and files before they are stored. */
export interface Sanitizer {
  /** Returns a part of an answer as JSON text. */
  json(raw: unknown): string
  /** Returns a title, label, or name, or the text of a report. */
  text(text: string): string
  /** Returns an answer, or several separated by commas: like `text`, but nothing of one that is a link. */
  answer(text: string): string
  /** Returns text on a photo without tokens. Links stay: a code on a device may have its serial number in one. */
  photoText(text: string): string
  /** Returns whether `text` would change: for values that are useless if changed. */
  containsSecret(text: string): boolean
}

/**
 * Creates a sanitizer. `secrets` returns the currently known tokens; they are removed wherever an answer repeats them.
 */
export function createSanitizer(secrets: () => readonly string[]): Sanitizer {
  const withSecrets = createRedactor()
  const redactor = () => {
    for (const secret of secrets()) withSecrets.addSecret(secret)
    return withSecrets
  }
  const withoutLinks = (text: string) => String(redactRaw(text, redactor()))
  return {
    json: (raw) => JSON.stringify(redactRaw(raw, redactor())),
    text: (text) => redactor().evidence.redactText(text),
    answer: (text) => withoutLinks(text).split(', ').map(withoutLinks).join(', '),
    photoText: (text) => redactor().removeSecrets(text),
    containsSecret: (text) => redactor().redactText(text) !== text,
  }
}
