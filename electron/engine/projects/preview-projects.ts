import { AppError } from '../../../shared/errors.ts'
import { mostProjects, type ProjectPreview, type ProjectPreviewInput } from '../../../shared/project-preview.ts'
import { decodeText, readPastedRows } from './project-rows.ts'
import type { Store } from '../store/create-store.ts'

/** What adding a list of projects would do, row by row; nothing is changed. Throws `wrong-usage` for one that is too long. */
export function previewProjects(store: Store, input: ProjectPreviewInput): ProjectPreview {
  const text = 'text' in input ? input.text : decodeText(Buffer.from(input.base64, 'base64'))
  const { rows, reading } = readPastedRows(text)
  if (rows.length > mostProjects) {
    throw new AppError(
      'wrong-usage',
      `The list has ${rows.length} rows; ${mostProjects} projects are taken at once. Add them in parts.`,
    )
  }
  const counts = { new: 0, known: 0, duplicate: 0, wrong: 0 }
  const described = rows.map(({ line, id, name = null, address = null, problem, isRepeated }) => {
    const state = problem !== null ? 'wrong' : isRepeated ? 'duplicate' : store.projects.isActive(id) ? 'known' : 'new'
    counts[state] += 1
    return { line, id, name, address, state, problem } as const
  })
  return { rows: described, reading, counts }
}
