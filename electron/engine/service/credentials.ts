/** Groups of calls that may send credentials differently: the service documents it for orders only. */
export type CallGroup = 'checklists' | 'media' | 'serviceRequests' | 'projects' | 'modules'

/** A request that is being built. */
interface Credentialed {
  readonly url: URL
  readonly headers: Record<string, string>
}

/** Adds the access token to a request. */
export type CredentialStrategy = (request: Credentialed, token: string) => void

/** The two ways in the service's specification, section 5, by their names in the settings. */
export const credentialStrategies = {
  /** `?access_token=<token>`, documented for orders and used for every call by the known clients: the default. */
  query: ({ url }, token) => {
    url.searchParams.set('access_token', token)
  },
  /** `Authorization: Bearer <token>`: keeps the token out of the logs of proxies. */
  header: ({ headers }, token) => {
    headers.authorization = `Bearer ${token}`
  },
} as const satisfies Record<string, CredentialStrategy>
