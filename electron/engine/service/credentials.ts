/** The calls that may want their credentials in different ways: the service documents it for orders only. */
export type CallGroup = 'checklists' | 'media' | 'serviceRequests' | 'projects' | 'modules'

/** A request while it is put together. */
interface Credentialed {
  readonly url: URL
  readonly headers: Record<string, string>
}

/** Puts the access token into a request. */
export type CredentialStrategy = (request: Credentialed, token: string) => void

/** The two ways that the specification names (section 5), by the name that a setting gives them. */
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
