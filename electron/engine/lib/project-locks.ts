/** One at a time for each project: a person's pass and a scheduled one must not work on the same rows and files. */
export class ProjectLocks {
  readonly #last = new Map<string, Promise<void>>()
  #alone: Promise<void> = Promise.resolve()

  /** Runs the work when everything that was asked for before on the same project has ended. */
  async run<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    const before = Promise.all([this.#last.get(projectId), this.#alone])
    return this.#hold(projectId, before.then(work))
  }

  isBusy(projectId: string): boolean {
    return this.#last.has(projectId)
  }

  get isIdle(): boolean {
    return this.#last.size === 0
  }

  /** Runs work that concerns all projects: it waits for none and is to be begun while `isIdle`; all others wait for it. */
  async runAlone(work: () => Promise<void>): Promise<void> {
    const mine = this.#alone.then(work)
    this.#alone = settled(mine)
    await mine
  }

  async #hold<T>(projectId: string, mine: Promise<T>): Promise<T> {
    const ended = settled(mine)
    this.#last.set(projectId, ended)
    try {
      return await mine
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
