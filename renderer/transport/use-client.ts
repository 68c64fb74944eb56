import { inject, type InjectionKey } from 'vue'
import type { Client } from './transport.ts'

export const clientKey: InjectionKey<Client> = Symbol('client')

/** Returns the client of the engine. Call in `setup` only, below the app that `main.ts` provides it to. */
export function useClient(): Client {
  const client = inject(clientKey)
  if (client === undefined) throw new Error('No client was provided')
  return client
}
