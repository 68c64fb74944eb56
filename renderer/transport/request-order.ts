/**
 * Keeps the newest answer of requests that overlap. Call the returned function when a request begins, and the function
 * that it returns when the answer or the error arrives: false means that a newer one has arrived before. A slow answer
 * is used even if newer requests have begun, so that a value that is always requested again still changes.
 */
export function orderRequests(): () => () => boolean {
  let begun = 0
  let newestAnswered = 0
  return () => {
    const request = ++begun
    return () => {
      if (request < newestAnswered) return false
      newestAnswered = request
      return true
    }
  }
}
