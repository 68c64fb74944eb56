/**
 * What a call is for decides what its failure means: a read can be repeated at any time, an order may have been placed
 * although its answer never came.
 */
export type CallPurpose = 'read' | 'order'

/** What a failure means for the archive when the service never got the call, or refused it outright. */
export const nothingHappened: Readonly<Record<CallPurpose, string>> = {
  read: 'What is archived stays as it is',
  order: 'The order was not placed',
}

/** What a failure means when the service may have acted on the call. */
export const outcomeUnknown: Readonly<Record<CallPurpose, string>> = {
  read: 'What is archived stays as it is',
  order: 'Whether the order was placed is not known: look at the list of orders before placing it again',
}
