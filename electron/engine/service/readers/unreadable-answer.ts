import { AppError, type ErrorDetails } from '../../../../shared/errors.ts'

/**
 * Returns the error for an answer without the requested data. Such an answer never counts as "there is nothing": an
 * empty list would look like data that disappeared. `subject` as in "the checklists of a project", `why` as in "it is
 * not JSON".
 */
export function unreadableAnswer(subject: string, why: string, details?: ErrorDetails): AppError {
  return new AppError(
    'unreadable-answer',
    `The service's answer about ${subject} could not be read: ${why}. Archived files are unchanged, and Solarchive ` +
      'asks again later. If this happens again, check the address of the service.',
    details === undefined ? {} : { details },
  )
}
