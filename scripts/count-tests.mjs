// A vitest reporter: writes how many tests passed and failed into the file that SOLARCHIVE_TEST_COUNTS names.
import { writeFileSync } from 'node:fs'

/** @typedef {import('vitest/node').Reporter} Reporter */

/** @implements {Reporter} */
export default class CountTests {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    const counts = { passed: 0, failed: 0 }
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      counts.passed += tests.filter((test) => test.result().state === 'passed').length
      counts.failed += tests.filter((test) => test.result().state === 'failed').length
      // A file that could not be loaded has no tests to fail; a hook may fail where all tests passed.
      if (module.state() === 'failed' && tests.every((test) => test.result().state !== 'failed')) counts.failed += 1
    }
    const file = process.env.SOLARCHIVE_TEST_COUNTS
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts))
  }
}
