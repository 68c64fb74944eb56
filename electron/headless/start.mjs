// Entry of "npm start". Nothing else is imported before the version is checked: an old Node could not parse it.
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
