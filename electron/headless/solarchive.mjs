#!/usr/bin/env node
// The program's entry. Nothing else is imported before the version is known: an old Node could not even read it.
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
