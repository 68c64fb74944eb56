/**
 * The purpose of a call, which determines what its failure means: a read can be repeated at any time, an order may have
 * been placed although its answer was lost.
 */
export type CallPurpose = 'read' | 'order'

/** Consequence of a failure if the service never received the call, or refused it. */
export const nothingHappened: Readonly<Record<CallPurpose, string>> = {
  read: 'Archived files are unchanged',
  order: 'The order was not placed',
}

/** Consequence of a failure if the service may have processed the call. */
export const outcomeUnknown: Readonly<Record<CallPurpose, string>> = {
  read: 'Archived files are unchanged',
  order: 'It is unknown whether the order was placed: check the list of orders before placing it again',
}
