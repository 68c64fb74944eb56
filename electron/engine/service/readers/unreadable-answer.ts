import { AppError, type ErrorDetails } from '../../../../shared/errors.ts'

/**
 * The service answered, but not with what was asked for. Never taken for "there is nothing": an empty list would look
 * like data that vanished. `subject` as in "the checklists of a project", `why` as in "it is not JSON".
 */
export function unreadableAnswer(subject: string, why: string, details?: ErrorDetails): AppError {
  return new AppError(
    'unreadable-answer',
    `The service's answer about ${subject} could not be read: ${why}. What is archived stays as it is, and it is asked ` +
      'again later. If it stays like this, check the address of the service.',
    details === undefined ? {} : { details },
  )
}
