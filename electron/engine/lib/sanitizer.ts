import { createRedactor, redactRaw } from './redact.ts'

/** Removes links, tokens, and signatures from the service's answers before they are stored. */
export interface Sanitizer {
  /** Returns a part of an answer as JSON text. */
  json(raw: unknown): string
  /** Returns a title, label, or name. */
  text(text: string): string
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
  return {
    json: (raw) => JSON.stringify(redactRaw(raw, { redactor: redactor() })),
    text: (text) => redactor().evidence.redactText(text),
    containsSecret: (text) => redactor().redactText(text) !== text,
  }
}
