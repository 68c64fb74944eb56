import { statSync } from 'node:fs'
import { join } from 'node:path'
import { knownChecklistStatuses } from '../../../shared/domain.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import { databaseName } from '../store/database-files.ts'
import { openReadOnly, type ReadOnlyStore } from '../store/create-store.ts'
import { storeError } from '../store/store-error.ts'
import { evaluateRecorded } from '../checklists/completeness.ts'

/** Stands for a fact that could not be read, with the error code of SQLite or the system. */
interface Unreadable {
  readonly unreadable: string
}

/**
 * Reads the facts of a data folder that may belong to another process, and whose database may be absent, damaged, or of
 * another format: the reason replaces each unreadable fact. They are ids, statuses, counts, reasons, and times: nothing
 * about a customer. Reads the whole database, which stays open until `close`; never throws.
 */
export function openSupportView(homeFolder: string) {
  const file = join(homeFolder, databaseName)
  const sizeBytes = sizeOf(file)
  const present = sizeBytes !== undefined
  const opened = present ? attempt(() => openReadOnly(file)) : { unreadable: 'absent' }
  const store = 'support' in opened ? opened : undefined
  const read = <T>(query: (from: ReadOnlyStore) => T): T | Unreadable =>
    'support' in opened ? attempt(() => query(opened)) : opened
  const facts = {
    database: {
      present,
      sizeBytes: sizeBytes ?? 0,
      /** Bytes written but not yet merged into the database. */
      walBytes: sizeOf(`${file}-wal`) ?? 0,
      format: read(({ support }) => support.format()),
      integrity: read(({ support }) => {
        const problems = support.integrityProblems()
        return problems.length === 0 ? 'ok' : problems
      }),
    },
    counts: read(({ support }) => Object.fromEntries(support.counts().map(({ name, rows }) => [name, rows]))),
    projects: read(readProjects),
    jobs: read(({ support }) => support.jobs()),
  }
  return {
    facts,
    /**
     * Returns `text` without the names, addresses, titles, labels, and file names in the database, or null if they
     * cannot be read.
     */
    withoutNames(text: string): string | null {
      const names = read(({ support }) => support.namesIn(text))
      return Array.isArray(names) ? names.reduce(withoutName, text) : null
    },
    close: () => store?.close(),
  }
}

/** Checklists have no titles, and their gaps no question labels. */
function readProjects(store: ReadOnlyStore) {
  return store.support.projects().map((project) => ({
    ...project,
    checklists: store.checklists.listForProject(project.id).map((row) => {
      const { state } = evaluateRecorded(store, row)
      const gaps = state.gaps.map(({ expected, archived, reason }) => ({ expected, archived, reason }))
      const { complete, expectedFiles, archivedFiles } = state
      return { ...headOf(row), complete, expectedFiles, archivedFiles, gaps }
    }),
  }))
}

/** Status and time are free text of the service, so only documented statuses and valid times are kept. */
function headOf({ id, status, updatedAt, checkedAt, upstreamGoneAt, errorCode }: ChecklistRow) {
  const updatedMs = Date.parse(updatedAt ?? '')
  return {
    id,
    status: knownChecklistStatuses.find((known) => known === status) ?? 'other',
    updatedAt: Number.isNaN(updatedMs) ? null : new Date(updatedMs).toISOString(),
    lookedAt: checkedAt,
    upstreamGoneAt,
    errorCode,
  }
}

function withoutName(text: string, name: string): string {
  const lower = name.toLowerCase()
  const lowerText = text.toLowerCase()
  // Some letters change their length with their case, which would shift the positions.
  if (lowerText.length !== text.length) return text.replaceAll(name, '[name]')
  let result = ''
  let from = 0
  for (let at = lowerText.indexOf(lower); at !== -1; at = lowerText.indexOf(lower, from)) {
    result += `${text.slice(from, at)}[name]`
    from = at + lower.length
  }
  return result + text.slice(from)
}

function attempt<T>(read: () => T): T | Unreadable {
  try {
    return read()
  } catch (error) {
    const cause = storeError(error) ?? error
    const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
    return { unreadable: typeof code === 'string' ? code : 'unexpected' }
  }
}

function sizeOf(file: string): number | undefined {
  try {
    return statSync(file).size
  } catch {
    return undefined
  }
}
