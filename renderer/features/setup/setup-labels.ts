/** What is known of the form of the set-up, as far as it can keep the archiving from beginning. */
export interface SetUpForm {
  readonly hasAddress: boolean
  /** Typed in, or stored for this address. */
  readonly hasToken: boolean
  /** It is said where the token is to be kept, where that has to be said. */
  readonly isTokenKept: boolean
  readonly hasFolder: boolean
  /** There is an archive in the folder, and nobody said yet that it is to go on. */
  readonly needsAdoption: boolean
}

/** "Still missing: …", why the archiving cannot begin; empty when nothing is missing. What is wrong with a folder stands at it. */
export function missingSentence(form: SetUpForm): string {
  const missing = [
    ...(form.hasAddress ? [] : ['the service address']),
    ...(form.hasToken ? [] : ['the access token']),
    ...(form.isTokenKept ? [] : ['your choice to keep the token in a private file']),
    ...(form.hasFolder ? [] : ['the archive folder']),
    ...(form.needsAdoption ? ['your choice to go on with the archive in this folder'] : []),
  ]
  return missing.length === 0 ? '' : `Still missing: ${missing.join(', ')}.`
}
