import type { AppError } from '../../../shared/errors.ts'

/** An error for a terminal: what the engine says, and which option or command of this command line helps. */
export function describeError({ code, message, details }: AppError): string {
  if (code === 'archive-unavailable') return `${message} With --archive you say where the archive is.`
  if (code === 'not-found' && details?.['projectId'] !== undefined) {
    return `${message} "projects list" shows what is in it, "projects add" adds to it.`
  }
  return message
}
