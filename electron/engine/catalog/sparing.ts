/** What takes less is done each time anew: nobody notices it. */
const unnoticedMs = 20

/** Of the time that passes, at most so much goes into doing it again. */
const share = 0.05

/** Does what takes long no more often than that it takes a twentieth of the time; until then the last answer is given again. */
export function sparing<Input, Answer>(compute: (input: Input) => Answer): (input: Input) => Answer {
  let last: { readonly answer: Answer; readonly untilMs: number } | undefined
  return (input) => {
    const startMs = performance.now()
    if (last !== undefined && startMs < last.untilMs) return last.answer
    const answer = compute(input)
    const endMs = performance.now()
    const tookMs = endMs - startMs
    last = tookMs < unnoticedMs ? undefined : { answer, untilMs: endMs + tookMs / share }
    return answer
  }
}
