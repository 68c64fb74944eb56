/**
 * Runs one piece of work per project at a time: a user's pass and a scheduled one must not change the same rows and
 * files at the same time.
 */
export class ProjectLocks {
  readonly #last = new Map<string, Promise<void>>()
  #exclusive: Promise<void> = Promise.resolve()

  /** Runs the work after all work that was requested earlier for the same project. */
  async run<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    const before = Promise.all([this.#last.get(projectId), this.#exclusive])
    return this.#hold(projectId, before.then(work))
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

  async #hold<T>(projectId: string, run: Promise<T>): Promise<T> {
    const ended = settled(run)
    this.#last.set(projectId, ended)
    try {
      return await run
    } finally {
      if (this.#last.get(projectId) === ended) this.#last.delete(projectId)
    }
  }
}

function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => undefined,
    () => undefined,
  )
}
