import { AppError } from '../../../shared/errors.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import { mostBatchRows, type BatchInput, type BatchPreview } from '../../../shared/order/order-views.ts'
import { readOrder } from '../../../shared/order/read-order.ts'
import type { SetbackRegion } from '../../../shared/order/setback-defaults.ts'
import { decodeText } from '../project-rows.ts'
import type { Store } from '../store/create-store.ts'
import { textsOfProject } from './drafts.ts'
import { sealPayload } from './fingerprint.ts'
import { presetBeginning } from './presets.ts'
import { projectWarnings } from './project-warnings.ts'
import { readOrderList, type OrderRow } from './read-order-list.ts'
import { sentBefore } from './review-order.ts'

type PreviewRow = BatchPreview['rows'][number]

/** What a row would be a draft of. */
export interface BatchDraft {
  readonly line: number
  readonly state: PreviewRow['state']
  readonly texts: OrderTexts
}

export interface BatchReading {
  readonly preview: BatchPreview
  /** One a row. */
  readonly drafts: readonly BatchDraft[]
  readonly region: SetbackRegion | null
}

/**
 * Reads a list of orders; nothing is kept. A row begins as every draft does: with the default preset, the chosen one over it, and
 * the project's name and address; what the row says stands over all. Throws `wrong-usage` for a list that is too long and
 * `not-found` for a preset that is not there.
 */
export function readBatch(store: Store, { list, presetId }: BatchInput): BatchReading {
  const text = 'text' in list ? list.text : decodeText(Buffer.from(list.base64, 'base64'))
  const { rows, ignoredColumns } = readOrderList(text)
  if (rows.length > mostBatchRows) {
    throw new AppError(
      'wrong-usage',
      `The list has ${rows.length} orders; ${mostBatchRows} are taken at once. Place them in parts.`,
    )
  }
  const usual = presetBeginning(store, presetId)
  const before = new Set<string>()
  const counts = { ready: 0, double: 0, wrong: 0 }
  const read = rows.map((row) => {
    const texts = { ...usual.texts, ...textsOfProject(store, row.texts.projectId), ...row.texts }
    const described = describeRow(store, row, texts, before)
    counts[described.state] += 1
    return { described, draft: { line: row.line, state: described.state, texts } }
  })
  return {
    preview: { rows: read.map(({ described }) => described), ignoredColumns: [...ignoredColumns], counts },
    drafts: read.map(({ draft }) => draft),
    region: usual.region,
  }
}

/** `before`: the fingerprints of the rows above, to which it adds its own. */
function describeRow(store: Store, row: OrderRow, texts: OrderTexts, before: Set<string>): PreviewRow {
  const { line, problems: found } = row
  const projectId = row.texts.projectId ?? ''
  const projectName = store.projects.get(projectId)?.name ?? null
  const about = { line, projectId, projectName, homeownerName: texts.homeownerName ?? '' }
  if (found.some(({ field }) => field === null)) {
    return { ...about, state: 'wrong', problems: [...found], warnings: [] }
  }
  const reading = readOrder(texts)
  const warnings = [...reading.warnings, ...projectWarnings(store, texts)]
  const known = new Set(found.map(({ field }) => field))
  const problems = [...found, ...(reading.ok ? [] : reading.problems.filter(({ field }) => !known.has(field)))]
  if (!reading.ok || problems.length > 0) return { ...about, state: 'wrong', problems, warnings }
  const { fingerprint } = sealPayload(reading.payload)
  const isDouble = before.has(fingerprint) || sentBefore(store, reading.payload).length > 0
  before.add(fingerprint)
  return { ...about, state: isDouble ? 'double' : 'ready', problems, warnings }
}
