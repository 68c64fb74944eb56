import { createRedactor, redactRaw } from './redact.ts'

/** Removes links, tokens, and signatures from the service's answers before they are stored. */
export interface Sanitizer {
  /** A piece of an answer, as JSON text. */
  json(raw: unknown): string
  /** A title, label or name. */
  text(text: string): string
  /** Returns whether `text` would change: for values that are of no use unless they stay unchanged. */
  containsSecret(text: string): boolean
}

/** `secrets` returns the tokens known now; they are removed wherever an answer repeats them. */
export function createSanitizer(secrets: () => readonly string[]): Sanitizer {
  const knowing = createRedactor()
  const redactor = () => {
    for (const secret of secrets()) knowing.addSecret(secret)
    return knowing
  }
  return {
    json: (raw) => JSON.stringify(redactRaw(raw, { secrets: secrets() })),
    text: (text) => redactor().evidence.redactText(text),
    containsSecret: (text) => redactor().redactText(text) !== text,
  }
}
