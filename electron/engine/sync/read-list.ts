import { AppError } from '../../../shared/errors.ts'
import type { CallOptions } from '../service/service-types.ts'

/** Asks for a list, and notes whether the answer admits to be only a part of it. */
export async function readList<T>(
  options: CallOptions,
  ask: (options: CallOptions) => Promise<readonly T[]>,
): Promise<{ readonly list: readonly T[]; readonly isPartial: boolean }> {
  let isPartial = false
  const onPartial = () => {
    isPartial = true
  }
  const list = await ask({ ...options, onPartial })
  return { list, isPartial }
}

/** What a list that is only a part of one means for the archive. */
export function partialList(of: 'checklists' | 'photos'): AppError {
  return new AppError(
    'unreadable-answer',
    `The service said that it listed only a part of the ${of}. Those are archived; the others are missing. ` +
      "Ask the service's support how to get the whole list.",
    { details: { partial: true } },
  )
}
