import { createRedactor, redactRaw } from '../redact.ts'

/** Makes what the service says fit to be stored: without links, tokens and signatures. */
export interface Storable {
  /** A piece of an answer, as JSON text. */
  json(raw: unknown): string
  /** A title, label or name. */
  text(text: string): string
}

/** `secrets` answers the tokens known now; they are removed wherever an answer repeats them. */
export function createStorable(secrets: () => readonly string[]): Storable {
  return {
    json: (raw) => JSON.stringify(redactRaw(raw, { secrets: secrets() })),
    text(text) {
      const redactor = createRedactor()
      for (const secret of secrets()) redactor.addSecret(secret)
      return redactor.evidence.redactText(text)
    },
  }
}
