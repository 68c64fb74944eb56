/**
 * Runs one piece of work per project at a time: a user's pass and a scheduled one must not change the same rows and
 * files at the same time.
 */
export class ProjectLocks {
  readonly #last = new Map<string, Promise<void>>()
  #exclusive: Promise<void> = Promise.resolve()

  /**
   * Runs the work after all work that was requested earlier for the same project. Rejects with the signal's reason if
   * it aborts while the work waits, and never runs it then; aborting work that runs is up to the work.
   */
  async run<T>(projectId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = Promise.all([this.#last.get(projectId), this.#exclusive])
    const { promise: aborted, reject: abort } = Promise.withResolvers<never>()
    const onAbort = () => abort(signal?.reason)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted === true) onAbort()
    let hasStarted = false
    const run = Promise.race([before, aborted])
      .finally(() => signal?.removeEventListener('abort', onAbort))
      .then(() => {
        hasStarted = true
        return work()
      })
    // Work that was aborted while it waited ends before the work that it waited for.
    const ended = Promise.all([before, settled(run)]).then(() => undefined)
    this.#last.set(projectId, ended)
    try {
      return await run
    } finally {
      if (hasStarted) this.#forget(projectId, ended)
      else void ended.then(() => this.#forget(projectId, ended))
    }
  }

  isBusy(projectId: string): boolean {
    return this.#last.has(projectId)
  }

  get isIdle(): boolean {
    return this.#last.size === 0
  }

  /**
   * Runs work that concerns all projects. It waits for none, so it must be started while `isIdle`; all others wait for
   * it.
   */
  async runExclusive(work: () => Promise<void>): Promise<void> {
    const run = this.#exclusive.then(work)
    this.#exclusive = settled(run)
    await run
  }

  #forget(projectId: string, ended: Promise<void>): void {
    if (this.#last.get(projectId) === ended) this.#last.delete(projectId)
  }
}

function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => undefined,
    () => undefined,
  )
}
