import { inject, type InjectionKey } from 'vue'
import type { Client } from './transport.ts'

export const clientKey: InjectionKey<Client> = Symbol('client')

/** The way to the engine. Only in `setup`, below where `main.ts` provided it. */
export function useClient(): Client {
  const client = inject(clientKey)
  if (client === undefined) throw new Error('No client was provided')
  return client
}
