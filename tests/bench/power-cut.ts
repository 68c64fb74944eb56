import buildProcesses from '../support/build-processes.ts'
import { killAtRandom, type KillFigures } from '../support/kill-rounds.ts'
import { makePowerDisk, type PowerDisk } from '../support/power-disk.ts'

const defaultCuts = 100
const fileSystems = ['xfs', 'ext4'] as const

/**
 * `power-cut [N] [seed]`: syncs 1,010 files onto an XFS and an ext4, shuts the file system down N times at random
 * moments, and checks what is left each time: the next sync must lose nothing and download nothing again that was
 * committed.
 */
export async function benchPowerCut([cuts = String(defaultCuts), seed = String(Date.now())]: readonly string[]) {
  const count = Number(cuts)
  if (!Number.isSafeInteger(count) || count < fileSystems.length) {
    throw new RangeError(`power-cut needs a number of cuts, at least ${fileSystems.length}, not ${cuts}`)
  }
  const disks: PowerDisk[] = []
  // Also after Ctrl+C: no disk stays mounted.
  process.on('exit', () => disks.forEach((disk) => disk.remove()))
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  process.once('SIGHUP', () => process.exit(129))
  try {
    for (const fileSystem of fileSystems) disks.push(makePowerDisk(fileSystem))
  } catch (error) {
    console.log(`The power-cut bench cannot run here: it needs Linux, root, loop devices, and xfs_io (xfsprogs).`)
    console.log(error instanceof Error ? error.message.trim() : String(error))
    return
  }
  console.log(`${count} power cuts during a sync of 1,010 files, seed ${seed}`)
  await buildProcesses()
  const startMs = performance.now()
  const all: KillFigures[] = []
  for (const [index, disk] of disks.entries()) {
    const name = fileSystems[index]
    const figures = await killAtRandom({
      seed: `${seed}/${name}`,
      photosPerQuestion: 25,
      disk,
      kills: Math.floor((count + index) / disks.length),
      onPass: (now) => console.log(`  ${name}: ${now.kills} cuts, ${now.completedPasses} passes to the end`),
    })
    all.push(figures)
    for (const problem of figures.problems) console.log(`  WRONG on ${name}: ${problem}`)
  }
  console.log(summaryOf(all, (performance.now() - startMs) / 1000))
  if (all.some(({ problems }) => problems.length > 0)) process.exitCode = 1
}

function summaryOf(all: readonly KillFigures[], seconds: number): string {
  const sum = (figure: (figures: KillFigures) => number) => all.reduce((total, figures) => total + figure(figures), 0)
  const perFileSystem = all.map(({ kills }, index) => `${fileSystems[index]} ${kills}`)
  const problems = all.flatMap((figures) => figures.problems)
  const again = problems.filter((problem) => problem.includes('downloaded again')).length
  const lost = problems.filter((problem) => /lost|gone|not on the disk|not archived/.test(problem)).length
  return [
    `${sum(({ kills }) => kills)} power cuts (${perFileSystem.join(', ')}):`,
    `${lost} lost, ${problems.length - lost - again} wrong, ${again} downloaded again;`,
    `${sum(({ committedAtCuts }) => committedAtCuts)} committed files checked,`,
    `${sum(({ completedPasses }) => completedPasses)} passes to the end, ${seconds.toFixed(0)} s`,
  ].join(' ')
}
