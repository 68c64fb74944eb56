// Entry of "npm start", which always runs it on the pinned Node.
import { runStart } from './start.ts'

await runStart()
