import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { exitCodeOfError, exitCodeOfSync } from '../../electron/headless/exit-code-of-report.ts'
import type { SyncReport } from '../../shared/domain.ts'
import { AppError } from '../../shared/errors.ts'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'
import { ArchiveAudit } from './archive-audit.ts'
import { type FailingCalls, failCalls } from './hooks/fail-calls.ts'
import { install, type TestInstallation, type InstallOptions, readEnd, type SyncEnd } from './installation.ts'
import { committedHashes, readLedger } from './ledger.ts'
import { smallFilesFolder } from './memory-disk.ts'
import { servedFiles, ServedHistory } from './served-files.ts'
import { makeSmallDisk, type SmallDisk } from './small-disk.ts'
import { attach } from './strace.ts'

/** An installation for a fault, with the checks that must hold during and after it. */
export interface FaultWorld extends TestInstallation {
  /** Runs a pass whose own calls fail as `failing` specifies; at least one has to. */
  syncWithFailingCalls(failing: FailingCalls): Promise<SyncEnd>
  /** Runs a pass under strace with these arguments. */
  syncTraced(args: readonly string[]): Promise<SyncEnd>
  /** Calls `act` at the nth request to the file host from now on. */
  atFileRequest(nth: number, act: () => void): void
  /** Calls `act` at the first request to the file host after a file was recorded. */
  atFileRequestAfterCommit(act: () => void): void
  /** Replaces reports and photos at the service and adds a photo to each checklist. */
  changeUpstream(): Promise<void>
  /** Asserts that nothing archived is lost, and that every file holds what its name says. */
  expectNothingWrong(): void
  /** Asserts that the next pass completes, and that the archive then equals the service. */
  expectCompletes(): Promise<void>
}

const site = { projects: 2, checklistsPerProject: 2, photoQuestionsPerChecklist: 1, photosPerQuestion: 6 } as const

/** Starts such an installation, removed after the test. */
export async function faultWorld(options: InstallOptions = {}): Promise<FaultWorld> {
  const installation = await install({ within: smallFilesFolder, ...options, service: { ...site, ...options.service } })
  onTestFinished(() => installation.close())
  const { service, folder, home, root } = installation
  const history = new ServedHistory()
  const audit = new ArchiveAudit(root, history)
  history.note(await servedFiles(service))

  return {
    ...installation,
    async syncWithFailingCalls(failing) {
      const stop = await failCalls(failing)
      const isOfFiles = !failing.below.includes('database')
      let failed = 0
      const pass = isOfFiles ? endOf(installation.syncHere()) : installation.sync()
      const end = await pass.finally(() => (failed = stop()))
      expect(failed).toBeGreaterThan(0)
      return end
    },
    async syncTraced(args) {
      const file = join(folder, 'traced')
      const { child, ended, printed } = installation.startSync({ env: { HOLD_FILE: file } })
      while (!existsSync(`${file}.ready`)) {
        if (child.exitCode !== null) throw new Error(`A pass ended at its start: ${printed.stderr}`)
        await sleep(2)
      }
      const tracer = await attach(child.pid ?? 0, args)
      writeFileSync(`${file}.go`, '')
      const end = readEnd(await ended)
      tracer.kill()
      return end
    },
    atFileRequest(nth, act) {
      let requests = 0
      const count = ({ origin }: { origin: string }) => {
        if (origin === 'files' && ++requests === nth) act()
        return false
      }
      service.faults.add({ route: count, fault: { kind: 'reset' } })
    },
    atFileRequestAfterCommit(act) {
      let hasActed = false
      const check = ({ origin }: { origin: string }) => {
        if (origin !== 'files' || hasActed || committedHashes(home).size === 0) return false
        hasActed = true
        act()
        return false
      }
      service.faults.add({ route: check, fault: { kind: 'reset' } })
    },
    async changeUpstream() {
      for (const checklist of service.projects.flatMap(({ checklists }) => checklists)) {
        service.replaceReport(checklist)
        for (const photo of photosOf(checklist).slice(0, 3)) service.replacePhoto(photo)
        service.addPhoto(checklist)
      }
      history.note(await servedFiles(service))
    },
    expectNothingWrong() {
      expect(audit.afterEnd(readLedger(home))).toEqual([])
    },
    async expectCompletes() {
      service.faults.clear()
      expect(await installation.syncHere()).toMatchObject({ failures: [], filesFailed: 0 })
      expect(audit.atRest(readLedger(home), await servedFiles(service))).toEqual([])
    },
  }
}

/** Mounts a disk that is removed after the test. */
export function smallDisk(kilobytes: number): SmallDisk {
  const disk = makeSmallDisk(kilobytes)
  onTestFinished(() => disk.remove())
  return disk
}

/** Returns what `sync --json` would report of a pass that runs in this process. */
async function endOf(pass: Promise<SyncReport>): Promise<SyncEnd> {
  const printed = { stdout: '', stderr: '' }
  try {
    const report = await pass
    const codes = [...new Set(report.failures.map(({ code }) => code))]
    return { ...printed, report, codes, exitCode: exitCodeOfSync(report, []) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ...printed, report: undefined, codes: [error.code], exitCode: exitCodeOfError(error.code) }
  }
}
