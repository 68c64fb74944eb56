import { createRedactor, redactRaw } from './redact.ts'

/** Makes what the service says fit to be stored: without links, tokens and signatures. */
export interface Storable {
  /** A piece of an answer, as JSON text. */
  json(raw: unknown): string
  /** A title, label or name. */
  text(text: string): string
  /** Whether nothing of it had to go: for what is of no use unless it stays as it is. */
  isHarmless(text: string): boolean
}

/** `secrets` answers the tokens known now; they are removed wherever an answer repeats them. */
export function createStorable(secrets: () => readonly string[]): Storable {
  const knowing = createRedactor()
  const redactor = () => {
    for (const secret of secrets()) knowing.addSecret(secret)
    return knowing
  }
  return {
    json: (raw) => JSON.stringify(redactRaw(raw, { secrets: secrets() })),
    text: (text) => redactor().evidence.redactText(text),
    isHarmless: (text) => redactor().redactText(text) === text,
  }
}
