import { projectIdProblem } from '../../../shared/project-id.ts'
import type { FieldNote, OrderTexts } from '../../../shared/order/order-fields.ts'
import type { Store } from '../store/create-store.ts'

/** Where an order does not look like one for its archived project: allowed, and worth a second look. */
export function projectWarnings({ projects }: Pick<Store, 'projects'>, texts: OrderTexts): FieldNote[] {
  const projectId = texts.projectId?.trim() ?? ''
  if (projectIdProblem(projectId) !== undefined) return []
  const project = projects.get(projectId)
  if (project === undefined) {
    // Who archives nothing yet has nothing to compare with.
    if (!projects.isAnyKnown()) return []
    return [{ field: 'projectId', message: 'This project is not in the archive. Check its id.' }]
  }
  const ordered = plainAddress(texts.projectAddress)
  const archived = project.address?.trim() ?? ''
  if (ordered === '' || plainAddress(archived) === '' || ordered === plainAddress(archived)) return []
  return [{ field: 'projectAddress', message: `The project is at ${archived.replace(/\.$/, '')}.` }]
}

/** People write the same address with and without capitals, commas and spaces. */
const plainAddress = (address = '') =>
  address
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
