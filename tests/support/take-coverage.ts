import { takeCoverage } from 'node:v8'
import { afterAll } from 'vitest'

// Setup of every test file while coverage is measured: Node writes it when a process exits, but vitest kills its
// workers.
afterAll(() => takeCoverage())
