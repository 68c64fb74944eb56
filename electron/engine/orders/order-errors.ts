import { AppError } from '../../../shared/errors.ts'

export const noOrder = () => new AppError('not-found', 'This order is not here any more. Look at the list of orders.')

export const noDraft = () =>
  new AppError(
    'wrong-usage',
    'This order was sent already, so it cannot be changed, placed or removed as a draft. Nothing was changed.',
  )

export const onItsWay = () =>
  new AppError('wrong-usage', 'This order is on its way to the service. Wait for its answer. It was not sent again.')

export const draftChanged = () =>
  new AppError(
    'draft-changed',
    'The draft was changed meanwhile, in another window perhaps. Nothing was sent or lost. Look at it again.',
  )

export const notComplete = () =>
  new AppError('wrong-usage', 'The order is not complete yet, so it was not sent. Review it: it says what is missing.')

export const isDouble = () =>
  new AppError(
    'wrong-usage',
    'The same order was placed for this project already, so it was not sent. Say so if you want it again.',
  )

export const doubleOpen = () =>
  new AppError(
    'wrong-usage',
    'The same order was sent for this project before, and whether the service has it is not known, so it was not sent again. ' +
      'Find that out first: look at the list of orders.',
  )

export const otherUnsettled = () =>
  new AppError(
    'wrong-usage',
    'Another order of this project was sent before, and whether the service has it is not known, so this one was not sent. Find ' +
      'that out first, or say so if you want it all the same.',
  )

export const maybePlaced = () =>
  new AppError(
    'wrong-usage',
    'The database was replaced or restored, so orders may be missing from it, and this one may have been placed already. The ' +
      'service does not tell its orders, so it was not sent. Find out whether it was placed; say so if you want it all the same.',
  )

export const notInTime = () =>
  new AppError(
    'rate-limited',
    'The service takes no more calls for now, or is very slow. The order was not placed. Wait some minutes, then place it again.',
  )

export const startsAnew = () =>
  new AppError(
    'cancelled',
    'Solarchive starts anew with other settings, so the order was not sent. Place it again in a moment.',
  )

/** `why`: a full disk, say. The row still tells that it was sent: it is asked for, and never sent again by itself. */
export const notRecorded = (why: AppError) =>
  new AppError(
    why.code,
    `The order was sent, but what became of it could not be recorded. Look at the list of orders before placing it again. ${why.message}`,
    { cause: why },
  )

export const notUnconfirmed = () =>
  new AppError('wrong-usage', 'What became of this order is known already. Nothing was changed.')

export const notYetDecidable = (from: string) =>
  new AppError(
    'wrong-usage',
    'The service may still be at work on this order. Nothing was changed. Wait some minutes before you say that it was not placed.',
    { details: { decidableAt: from } },
  )

export const atOtherService = (address: string) =>
  new AppError(
    'not-found',
    `This order was sent to ${address}, another service than the one of the settings, which cannot say what became of it. ` +
      'It stays as it is here. Ask again with that address, or look for it there.',
  )

/** `what` the service does, as of `The service`. */
export const notTold = (what: string) =>
  new AppError(
    'not-found',
    `This order was placed, but the service ${what}, so how it stands is not known. It stays as it is here; look for it on the ` +
      "service's own pages.",
  )

export const takenId = () =>
  new AppError('wrong-usage', 'Another order here has this id at the service. Nothing was changed. Check the id.')
