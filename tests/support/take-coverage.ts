import { takeCoverage } from 'node:v8'
import { afterAll } from 'vitest'

// Set-up of every test file while coverage is measured: Node writes it when a process exits, and vitest kills its workers.
afterAll(() => takeCoverage())
