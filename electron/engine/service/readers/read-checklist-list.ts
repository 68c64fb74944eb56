import { countOf } from '../../../../shared/format.ts'
import type { RemoteChecklist } from '../service-types.ts'
import { findList, shapeInProject, type ListShape, type RecordList } from './find-list.ts'
import { hasChecklistContent, isSurelyChecklist, readChecklistHead, readChecklistId } from './read-checklist-head.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

const shape: ListShape = {
  subject: 'the checklists of a project',
  names: ['checklists', 'sitechecklists', 'projectchecklists', 'checklist'],
  isEntry: (object) => readChecklistId(object) !== null && hasChecklistContent(object),
  isSurelyEntry: isSurelyChecklist,
}

/**
 * Reads `GET checklist/{projectId}` (the service's specification, section 4.2, which does not show the shape). The
 * project `projectId` around the list is no checklist, although it may have an id, a name, and a status. Each checklist
 * appears once: of entries with the same id, the one updated last. A checklist without a readable id would be lost
 * silently, so the whole answer is refused: throws `unreadable-answer`, with `entries` and `withoutId` in its details.
 */
export function readChecklistList(answer: unknown, baseUrl?: string, projectId?: string): RecordList<RemoteChecklist> {
  const { entries, lacksEntry } = findList(answer, shapeInProject(shape, projectId, readChecklistId))
  const byId = new Map<string, RemoteChecklist>()
  let withoutId = 0
  for (const { object, key } of entries) {
    const checklist = readChecklistHead(object, key, baseUrl)
    if (checklist === null) {
      withoutId++
      continue
    }
    const other = byId.get(checklist.id)
    if (other === undefined || (checklist.updatedAt ?? '') > (other.updatedAt ?? '')) byId.set(checklist.id, checklist)
  }
  if (withoutId > 0) {
    const isEvery = withoutId === entries.length
    const why = isEvery ? 'no checklist in it has an ID' : `it has ${countOf(withoutId, 'checklist')} without an ID`
    throw unreadableAnswer(shape.subject, why, { entries: entries.length, withoutId })
  }
  return { list: [...byId.values()], entryCount: byId.size, lacksEntry }
}
