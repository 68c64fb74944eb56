#!/usr/bin/env node
// Entry of the program. Nothing else is imported before the version is checked: an old Node could not parse it.
import { nodeProblem } from './node-version.mjs'

const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  import('./load-main.mjs')
    .then((loaded) => loaded.loadMain())
    .catch((error) => {
      console.error(error)
      process.exitCode = 1
    })
} else {
  console.error(problem)
  process.exitCode = 2
}
