/** What a log of Solarchive's own sentences never reaches; each new text costs a tenth of a second on the largest database. */
const maxTexts = 300

/**
 * A function that asks once for each text, because a log says few things often. Of more texts than that it answers
 * `beyond`: looking each of them up would take minutes.
 */
export function rememberAnswers<T>(ask: (text: string) => T, beyond: T): (text: string) => T {
  const answers = new Map<string, { readonly answer: T }>()
  return (text) => {
    const known = answers.get(text)
    if (known !== undefined) return known.answer
    if (answers.size >= maxTexts) return beyond
    const answer = ask(text)
    answers.set(text, { answer })
    return answer
  }
}
