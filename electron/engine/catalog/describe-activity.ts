import { activityKinds, activitySchema, type Activity, type ActivityKind } from '../../../shared/activity.ts'
import { fileNameOf } from './describe-checklist-view.ts'
import type { ActivityRow } from '../store/activity-store.ts'

/** A row as the contract has it; undefined for one that this Solarchive has no words for. */
export function describeActivity(row: ActivityRow, parseJson: (text: string) => unknown): Activity | undefined {
  const { id, at, kind, count, projectId, checklistId, assetId, assetKind, assetPath } = row
  if (!isKnown(kind)) return undefined
  const facts = parseJson(row.facts) as object
  return activitySchema.safeParse({
    ...{ id, at, kind },
    group: activityKinds[kind].group,
    project: projectId === null ? null : { id: projectId, name: row.projectName ?? projectId },
    checklist: checklistId === null ? null : { id: checklistId, title: row.checklistTitle },
    file: assetId === null || assetPath === null ? null : { assetId, kind: assetKind, name: fileNameOf(assetPath) },
    facts: count === null ? facts : { ...facts, count },
  }).data
}

function isKnown(kind: string): kind is ActivityKind {
  return Object.hasOwn(activityKinds, kind)
}
