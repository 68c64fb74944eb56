import './theme/style.css'

/** Time after which a page that is not painted, such as one in the background, starts as well. */
const maxWaitMs = 100

/** Resolves once the page's first frame is about to be painted. */
function firstFrame(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, maxWaitMs)
  })
}

// A window appears with its first frame, which would otherwise wait for a megabyte of scripts to be run.
await firstFrame()
await import('./start.ts')
