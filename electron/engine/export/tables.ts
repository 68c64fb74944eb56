import { csvText } from '../../../shared/csv.ts'
import { usablePlace } from '../../../shared/photo-places.ts'
import { type ExportedFile, exportFolders } from './name-files.ts'
import type { ExportPlan, PlannedFile } from './plan-export.ts'
import type { AddedText } from './export-target.ts'
import { type Cell, type Sheet, workbook } from './xlsx.ts'

/** Excel takes a file for UTF-8 only with a byte order mark. */
const byteOrderMark = '\uFEFF'

/**
 * Yields the tables of an export: questions with their answers and counts, and files with what is known about them,
 * each as CSV; all of it as JSON; and both tables as XLSX.
 */
export async function* tableFiles(plan: ExportPlan, exported: readonly ExportedFile[]): AsyncGenerator<AddedText> {
  const ofAsset = new Map(exported.map((entry) => [entry.file.assetId, entry]))
  const tables = [questionsTable(plan), filesTable(plan, ofAsset)]
  const path = (name: string) => `${exportFolders.tables}/${name}`
  for (const table of tables) yield { path: path(`${table.name.toLowerCase()}.csv`), text: () => csvLines(table) }
  yield { path: path('export.json'), text: () => jsonLines(plan, ofAsset) }
  const sheets = await workbook(tables)
  yield { path: path('export.xlsx'), text: () => [sheets] }
}

function* csvLines({ columns, rows }: Sheet): Generator<string> {
  yield byteOrderMark + csvText([columns])
  for (const row of rows()) yield csvText([row])
}

function questionsTable({ projects }: ExportPlan): Sheet {
  const columns = [
    'project_id',
    'project',
    'address',
    'checklist_id',
    'checklist',
    'status',
    'updated_at',
    'number',
    'section',
    'question',
    'answer',
    'expected_photos',
    'archived_photos',
    'gaps',
  ]
  function* rows(): Generator<readonly Cell[]> {
    for (const project of projects) {
      for (const checklist of project.checklists) {
        const { id, title, status, updatedAt } = checklist
        const head = [project.id, project.name, project.address, id, title, status, updatedAt]
        for (const { sequence, section, question, answer, expectedPhotos, photos, gaps } of checklist.questions) {
          const reasons = gaps.map(({ reason, question: line }) => (line === question ? reason : `${line}: ${reason}`))
          yield [...head, sequence, section, question, answer, expectedPhotos, photos.length, reasons.join('; ')]
        }
      }
    }
  }
  return { name: 'Questions', columns, rows }
}

/** Files by asset, those of the archive that the export should have. */
type ByAsset = ReadonlyMap<number, ExportedFile>

function filesTable({ projects }: ExportPlan, ofAsset: ByAsset): Sheet {
  const columns = [
    'project_id',
    'project',
    'checklist_id',
    'checklist',
    'section',
    'question',
    'kind',
    'path',
    'name',
    'size_bytes',
    'sha256',
    'taken_at',
    'latitude',
    'longitude',
    'archived_at',
  ]
  function* rows(): Generator<readonly Cell[]> {
    for (const project of projects) {
      for (const checklist of project.checklists) {
        const head = [project.id, project.name, checklist.id, checklist.title]
        const { report } = checklist
        if (report !== null) yield [...head, null, null, ...fileCells(report, ofAsset)]
        for (const { section, question, photos } of checklist.questions) {
          for (const photo of photos) yield [...head, section, question, ...fileCells(photo, ofAsset)]
        }
      }
    }
  }
  return { name: 'Files', columns, rows }
}

function fileCells(file: PlannedFile, ofAsset: ByAsset): Cell[] {
  const { kind, path, fileName, sizeBytes, sha256, takenAt, latitude, longitude, archivedAt } = factsOf(file, ofAsset)
  return [kind, path, fileName, sizeBytes, sha256, takenAt, latitude, longitude, archivedAt]
}

/** `path` is the place in the export; null for a file that is not in it. */
function factsOf(file: PlannedFile, ofAsset: ByAsset) {
  const entry = ofAsset.get(file.assetId)
  const { kind, fileName, sizeBytes, sha256, archivedAt } = file
  const position = entry === undefined ? usablePlace(file.position) : entry.facts.position
  return {
    kind,
    path: entry?.isWritten === true ? entry.path : null,
    fileName,
    sizeBytes,
    sha256,
    takenAt: entry?.facts.takenAt ?? file.takenAt,
    latitude: position?.latitude ?? null,
    longitude: position?.longitude ?? null,
    archivedAt,
  }
}

/** Yields one document, a checklist at a time, so that it is never in memory as a whole. */
function* jsonLines(plan: ExportPlan, ofAsset: ByAsset): Generator<string> {
  yield `{"at":${JSON.stringify(plan.at)},"projects":[`
  for (const [index, project] of plan.projects.entries()) {
    const { id, name, address, isSynced } = project
    yield `${index === 0 ? '' : ','}\n${JSON.stringify({ id, name, address, isSynced }).slice(0, -1)},"checklists":[`
    for (const [position, { report, questions, ...checklist }] of project.checklists.entries()) {
      const document = {
        ...checklist,
        report: report === null ? null : factsOf(report, ofAsset),
        questions: questions.map(({ photos, loneThumbnails: _, ...question }) => ({
          ...question,
          photos: photos.map((photo) => factsOf(photo, ofAsset)),
        })),
      }
      yield `${position === 0 ? '' : ','}\n${JSON.stringify(document)}`
    }
    yield ']}'
  }
  yield '\n]}\n'
}
