/** The service's IDs have 24 characters; far longer ones are a mistake, such as a pasted address. */
const maxIdLength = 200

/**
 * Returns the reason that a text is no project ID, as a clause ("the id is empty"), or undefined if it may be one. IDs
 * are opaque: only text that cannot be a URL path segment, or is surely a typo, is refused.
 */
export function projectIdProblem(id: string): string | undefined {
  if (id === '') return 'the id is empty'
  if (id.length > maxIdLength) return `the id is longer than ${maxIdLength} characters`
  if (/\p{Cc}/u.test(id)) return 'the id has a control character in it'
  if (/\s/u.test(id)) return 'the id has a space in it'
  if (/[/\\]/.test(id)) return 'the id has a slash in it'
  if (/^\.{1,2}$/.test(id)) return 'the id is not a project id'
  return undefined
}

/** Returns whether an ID is unlike the known ones: 24 hex digits at the service, short words in the sample. */
export function isUnusualProjectId(id: string): boolean {
  return !/^[\w-]{6,}$/.test(id)
}
