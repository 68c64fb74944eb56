import type { VerifyFinding } from '../../../shared/views.ts'
import { caseKey } from '../archive/unique-name.ts'
import type { Store } from '../store/create-store.ts'

interface Page {
  readonly offset: number
  readonly limit: number
}

/** A page of what is known to be wrong on the disk, damage first, each with whose it is. */
export function pageOfFindings(store: Store, { offset, limit }: Page) {
  const { damaged, unexpected } = store.findings.count()
  const items: VerifyFinding[] = store.findings.page(offset, limit).map(({ path, state }) => {
    const facts = factsOf(store, path)
    return {
      path,
      state,
      project: named(facts?.projectId, facts?.projectName),
      checklist: named(facts?.checklistId, facts?.checklistTitle),
    }
  })
  return { total: damaged + unexpected, offset, items }
}

function factsOf(store: Store, path: string) {
  const [project = '', checklist = ''] = path.split('/')
  return store.findings.factsOf({
    projectFolder: caseKey(project),
    checklistFolder: caseKey(`${project}/${checklist}`),
  })
}

function named(id: string | null | undefined, name: string | null | undefined) {
  return id == null ? null : { id, name: name ?? id }
}
