/** The service's ids have 24 characters; far longer ones are a mistake, such as a pasted address. */
const longestId = 200

/**
 * What keeps a text from being a project's id, as the end of a sentence ("the id ..."), or undefined when nothing does.
 * Ids are opaque: only what cannot stand in one part of an address, or is surely a slip, is refused.
 */
export function projectIdProblem(id: string): string | undefined {
  if (id === '') return 'the id is empty'
  if (id.length > longestId) return `the id is longer than ${longestId} characters`
  if (/\p{Cc}/u.test(id)) return 'the id has a control character in it'
  if (/\s/u.test(id)) return 'the id has a space in it'
  if (/[/\\]/.test(id)) return 'the id has a slash in it'
  if (/^\.{1,2}$/.test(id)) return 'the id is not a project id'
  return undefined
}

/** Whether an id is unlike all that is known: 24 hex digits at the service, short words of letters and digits at a sample. */
export function isUnusualProjectId(id: string): boolean {
  return !/^[\w-]{6,}$/.test(id)
}
