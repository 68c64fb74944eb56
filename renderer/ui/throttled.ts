/** Runs `act` at once, and again at the end of the pause when it was asked for meanwhile. */
export function throttled(pauseMs: number, act: () => void): () => void {
  let timer: number | undefined
  let isWanted = false
  return function run() {
    if (timer !== undefined) {
      isWanted = true
      return
    }
    act()
    timer = window.setTimeout(() => {
      timer = undefined
      if (!isWanted) return
      isWanted = false
      run()
    }, pauseMs)
  }
}
