/**
 * Runs `work` over items, `concurrency` at a time, taking each item only when there is a hand for it. The first failure
 * stops the taking; what runs then is waited for before it is thrown.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // One generator for all hands: it queues what they ask for, and the first that fails ends it for the others.
  const queue = (async function* () {
    yield* items
  })()
  async function takeTurns(): Promise<void> {
    for await (const item of queue) await work(item)
  }
  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, takeTurns))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}
