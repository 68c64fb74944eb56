import { questionFolderName, sectionFolderName } from '../archive/layout.ts'
import { caseKey, uniqueName } from '../archive/safe-name.ts'
import { readInPart } from '../checklists/plan-checklist.ts'
import type { RemoteChecklistDetail, RemoteQuestion } from '../service/service-types.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'
import { exactReference, storedReference } from './match-media.ts'

/**
 * Records a checklist's sections and questions. A known question, by section, label, and category, keeps its row and
 * its folders; one that is gone is marked and its files stay. What a partial answer lacks is not gone, and the
 * checklist stays to be read; the answer itself replaces an earlier one only if it has every question that is known. To
 * be called in a transaction.
 */
export function saveDetail(
  store: Store,
  sanitizer: Sanitizer,
  checklist: ChecklistRow,
  detail: RemoteChecklistDetail,
  nowIso: string,
): void {
  const rows = store.questions.listForChecklist(checklist.key)
  const known = matchQuestions(rows, detail, sanitizer)
  const folders = new FolderNames(rows)
  const readAs = detail.isPartial ? readInPart(checklist.fingerprint) : checklist.fingerprint
  const isChanged = checklist.detailFingerprint !== readAs
  const references = detail.sections.flatMap(({ questions }) =>
    questions.flatMap((question) => question.clientRefIds ?? []),
  )
  const byStored = Map.groupBy(new Set(references), storedReference)
  const referenceOf = (reference: string) => {
    const stored = storedReference(reference)
    const isExact = byStored.get(stored)?.length !== 1 || sanitizer.text(stored) !== stored
    return isExact ? exactReference(reference) : stored
  }
  let position = 0
  detail.sections.forEach((remoteSection, sectionIndex) => {
    const section = { label: sanitizer.text(remoteSection.label) }
    remoteSection.questions.forEach((remoteQuestion, index) => {
      const answer = remoteQuestion.answer === null ? null : sanitizer.answer(remoteQuestion.answer)
      // None is left out: their number is that of the photos.
      const clientRefIds = remoteQuestion.clientRefIds?.map(referenceOf) ?? null
      const question = { ...remoteQuestion, label: sanitizer.text(remoteQuestion.label) }
      position += 1
      const row = known.get(remoteQuestion)
      if (row !== undefined) {
        const { label, mediaCategoryId } = question
        store.questions.update(
          { key: row.key, position, sectionLabel: section.label, label, mediaCategoryId, clientRefIds, answer },
          isChanged,
        )
        if (mediaCategoryId === null || clientRefIds?.length === 0) dropFiles(store, row)
        return
      }
      const sectionFolder = folders.section(section.label, sectionIndex)
      store.questions.insert({
        checklistKey: checklist.key,
        position,
        sectionLabel: section.label,
        label: question.label,
        sectionFolder,
        folder: folders.question(sectionFolder, question.label, index),
        mediaCategoryId: question.mediaCategoryId,
        clientRefIds,
        answer,
      })
    })
  })
  const found = new Set(known.values())
  const missing = rows.filter((row) => !found.has(row))
  for (const row of detail.isPartial ? [] : missing) {
    store.questions.markAbsent(row.key)
    dropFiles(store, row)
  }
  const lacksKnown = detail.isPartial && missing.some(({ present }) => present === 1)
  const raw = (lacksKnown ? checklist.detailRaw : null) ?? sanitizer.json(detail.raw)
  store.checklists.saveDetail(checklist.key, raw, readAs, nowIso)
}

/** Marks the files of a question that is gone. Archived ones stay and count; the others are not downloaded any more. */
function dropFiles(store: Store, row: QuestionRow): void {
  for (const asset of store.assets.listForQuestion(row)) {
    store.assets.markGone(asset.id)
    store.jobs.finish(asset.id)
  }
}

/** Matches questions with rows: by section, label, and category, then by a category that only one remaining row has. */
function matchQuestions(
  rows: readonly QuestionRow[],
  detail: RemoteChecklistDetail,
  sanitizer: Sanitizer,
): Map<RemoteQuestion, QuestionRow> {
  const known = new Map<RemoteQuestion, QuestionRow>()
  const unknown: RemoteQuestion[] = []
  const nameOf = (sectionLabel: string, label: string, category: string | null) =>
    JSON.stringify([sectionLabel, label, category])
  const left = Map.groupBy(rows, (row) => nameOf(row.sectionLabel, row.label, row.mediaCategoryId))
  for (const section of detail.sections) {
    const sectionLabel = sanitizer.text(section.label)
    for (const question of section.questions) {
      const name = nameOf(sectionLabel, sanitizer.text(question.label), question.mediaCategoryId)
      const row = left.get(name)?.shift()
      if (row === undefined) unknown.push(question)
      else known.set(question, row)
    }
  }
  const ofCategory = Map.groupBy([...left.values()].flat(), ({ mediaCategoryId }) => mediaCategoryId)
  for (const question of unknown) {
    const [row, ...others] = ofCategory.get(question.mediaCategoryId) ?? []
    if (row === undefined || others.length > 0 || question.mediaCategoryId === null) continue
    known.set(question, row)
    ofCategory.delete(question.mediaCategoryId)
  }
  return known
}

const withoutNumber = (folder: string) => folder.replace(/^\d+ /, '')

/** Folder names of a checklist: kept once assigned, and distinct regardless of case. */
class FolderNames {
  readonly #sections = new Map<string, string>()
  readonly #taken = new Set<string>()

  constructor(known: readonly QuestionRow[]) {
    const folders = Map.groupBy(known, ({ sectionFolder }) => sectionFolder)
    const shared = new Set<string>()
    for (const [folder, rows] of folders) {
      if (rows.some(({ sectionLabel }) => sectionLabel !== rows[0]?.sectionLabel)) shared.add(folder)
    }
    for (const [label, rows] of Map.groupBy(known, ({ sectionLabel }) => sectionLabel)) {
      // A question that moved to another section kept its folder, which is not the folder of its new section. A section
      // that was renamed keeps its own.
      const ofLabel = withoutNumber(sectionFolderName({ number: 1, label }))
      const chosen =
        rows.find(({ sectionFolder }) => withoutNumber(sectionFolder) === ofLabel) ??
        rows.find(({ sectionFolder }) => !shared.has(sectionFolder))
      if (chosen !== undefined) this.#sections.set(label, chosen.sectionFolder)
    }
    for (const { sectionFolder, folder } of known) {
      this.#taken.add(caseKey(sectionFolder)).add(caseKey(`${sectionFolder}/${folder}`))
    }
  }

  section(label: string, index: number): string {
    const known = this.#sections.get(label)
    if (known !== undefined) return known
    const name = uniqueName(sectionFolderName({ number: index + 1, label }), (candidate) =>
      this.#taken.has(caseKey(candidate)),
    )
    this.#sections.set(label, name)
    this.#taken.add(caseKey(name))
    return name
  }

  question(sectionFolder: string, label: string, index: number): string {
    const name = uniqueName(questionFolderName({ number: index + 1, label }), (candidate) =>
      this.#taken.has(caseKey(`${sectionFolder}/${candidate}`)),
    )
    this.#taken.add(caseKey(`${sectionFolder}/${name}`))
    return name
  }
}
