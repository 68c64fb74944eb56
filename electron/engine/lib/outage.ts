import { errorPolicy } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'

/** A host that is down for the rest of a pass; the code is that of the failure that showed it. */
export class HostDownError extends AppError {
  /** `fileHost`: name of the file host; `null` for the service. */
  constructor(error: AppError, fileHost: string | null) {
    super(error.code, hostDownMessage(error, fileHost), error.details && { details: error.details })
  }
}

function hostDownMessage(error: AppError, fileHost: string | null): string {
  if (error.code === 'unreachable-proxy') return error.message
  if (!isWebPage(error)) return fileHost === null ? error.message : `${error.message.replace(/\.$/, '')} (${fileHost}).`
  const [who, what] = fileHost === null ? ['service', 'data'] : [`download server (${fileHost})`, 'files']
  return `The ${who} answers with a web page instead of ${what}. Is this network waiting for a sign-in?`
}

/** Returns whether an error shows that its host may be down, rather than that one file, call, or line is bad. */
export function suggestsOutage(error: AppError): boolean {
  const { code, details } = error
  if (details?.['slow'] === true) return false
  const isServerError = code === 'service-error' && Number(details?.['status']) >= 500
  return errorPolicy[code].scope === 'network' || isServerError || isWebPage(error)
}

/** Returns whether the host sent a web page: that of a network's sign-in, or of a proxy. */
export function isWebPage({ details }: AppError): boolean {
  return details?.['looksLike'] === 'html'
}

/** Returns whether the host answered, so that only another request shows whether it works again. */
export function isAnswer(error: AppError): boolean {
  return error.details?.['status'] !== undefined || isWebPage(error)
}
