// The entry of "npm start". Nothing else is imported before the version is known: an old Node could not even read it.
import { nodeProblem } from './node-version.mjs'

const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  import('./start.ts')
    .then((loaded) => loaded.runStart())
    .catch((error) => {
      console.error(error)
      process.exitCode = 1
    })
} else {
  console.error(problem)
  process.exitCode = 2
}
