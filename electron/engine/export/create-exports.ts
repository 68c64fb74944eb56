import { type ExportSelection, previewedNames } from '../../../shared/export.ts'
import { defaultNames, namingFields } from '../../../shared/export-parts.ts'
import { captureFacts, type CaptureFacts } from './capture-facts.ts'
import type { ExportDeps, Exports } from './exports.ts'
import { gapsOfExport } from './export-gaps.ts'
import { exportName } from './target-path.ts'
import { nameFiles, type NamedFile, type NamingOptions } from './name-files.ts'
import { tryTemplate, usesTime } from './naming-template.ts'
import { filesOf, planExport, type ExportPlan } from './plan-export.ts'
import { readHead } from './open-planned.ts'
import { onlyChosen, outlineOf, titleOf, writeExport } from './write-export.ts'

/** Time after which a plan that is not used is released: that of a big archive takes 100 MB. */
const planKeptMs = 60_000

/** Creates the exports of an archive. */
export function createExports(deps: ExportDeps): Exports {
  const { store, clock } = deps
  /** The plan of the last preview: a template is typed letter by letter. */
  let last: { readonly key: string; readonly plan: () => ExportPlan } | undefined
  let releasing: NodeJS.Timeout | undefined

  function planOf(selection: ExportSelection): ExportPlan {
    const key = JSON.stringify(selection)
    if (last?.key !== key)
      last = { key, plan: store.cachedUntilWrite(() => planExport(store, clock, selection, { answers: false })) }
    clearTimeout(releasing)
    releasing = setTimeout(() => (last = undefined), planKeptMs).unref()
    return last.plan()
  }

  /** Returns the first names, with the times in the files if the template has them. */
  async function firstNames(plan: ExportPlan, naming: Omit<NamingOptions, 'facts'>): Promise<string[]> {
    const facts = new Map<number, CaptureFacts>()
    function first(): NamedFile[] {
      const named: NamedFile[] = []
      for (const file of nameFiles(plan, { ...naming, facts: ({ assetId }) => facts.get(assetId) })) {
        if (named.push(file) === previewedNames) break
      }
      return named
    }
    if (usesTime(naming.template)) {
      for (const { file } of first()) {
        if (file.kind === 'photo') facts.set(file.assetId, captureFacts(file, await readHead(store, deps.root, file)))
      }
    }
    return first().map(({ path }) => path)
  }

  return {
    async preview(selection, options) {
      const whole = planOf(selection)
      const plan = onlyChosen(whole, options)
      const count = ({ projects }: ExportPlan) => projects.reduce((sum, { checklists }) => sum + checklists.length, 0)
      const { include, format } = options
      const { template, problem } = tryTemplate(options.names ?? defaultNames, namingFields)
      let [files, sizeBytes] = [0, 0]
      for (const checklist of plan.projects.flatMap(({ checklists }) => checklists)) {
        for (const file of filesOf(checklist)) {
          if (!include.includes(partOf[file.kind])) continue
          files += 1
          sizeBytes += file.sizeBytes
        }
      }
      return {
        title: exportName(titleOf(plan), format),
        projects: plan.projects.length,
        checklists: count(plan),
        ...outlineOf(whole, plan),
        files,
        sizeBytes,
        gaps: gapsOfExport(plan, include).length,
        names: template === null ? [] : await firstNames(plan, { template, include, format }),
        problem,
      }
    },
    write: (request) => writeExport(deps, request),
  }
}

/** The part of an export that copies files of a kind. */
const partOf = { report: 'reports', photo: 'photos', thumbnail: 'thumbnails' } as const
