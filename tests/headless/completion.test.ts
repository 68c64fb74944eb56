import { execFileSync } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Shell, shells } from '../../electron/headless/completion.ts'
import { runMain } from '../support/run-main.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'solarchive-completion-'))
  await writeFile(join(folder, 'an order.json'), '{}')
  for (const shell of shells) await writeFile(join(folder, `script.${shell}`), await printed('completion', shell))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function printed(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runMain(args)
  expect([exitCode, stderr]).toEqual([0, ''])
  return stdout
}

/** Returns the commands without subcommands, such as `projects add`, and the long options, as the help lists them. */
async function listHelp(...path: readonly string[]): Promise<[command: string, options: string[]][]> {
  const help = await printed(...path, '--help')
  const listed = (title: string, name: RegExp) => {
    const lists = [...help.matchAll(new RegExp(`^${title}:\n((?: {2}.*\n)+)`, 'gm'))].map(([, list = '']) => list)
    const names = lists.flatMap((list) => [...list.matchAll(name)].map(([, found = '']) => found))
    return names.filter((found) => !/^(?:--)?help$/.test(found))
  }
  const commands = listed('Commands', /^ {2}(\w[\w-]*)/gm)
  if (commands.length === 0) return [[path.join(' '), listed('(?:Global )?Options', /^ {2}(?:-\w, )?(--[\w-]+)/gm)]]
  return (await Promise.all(commands.map((command) => listHelp(...path, command)))).flat()
}

/** Commands that source `script` in a shell and print what completes the last word of `line`, one per line. */
const askers: Readonly<Record<Exclude<Shell, 'powershell'>, (script: string, line: readonly string[]) => string[]>> = {
  bash: (script, line) => [
    '--norc',
    '-c',
    `compopt() { :; }; source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
     _solarchive; printf '%s\\n' "\${COMPREPLY[@]}"`,
    script,
    ...line,
  ],
  zsh: (script, line) => [
    '-f',
    '-c',
    `compdef() { :; }; _describe() { print -l -- "\${choices[@]%%:*}" }; _files() { print -l -- * }
     compadd() { print -l -- \${@[2,-1]} };
     cd ${folder}; source "$0"; words=("$@"); CURRENT=$#; _solarchive`,
    script,
    ...line,
  ],
  fish: (script, line) => ['--no-config', '-c', `source "$argv[1]"; complete -C "$argv[2]"`, script, line.join(' ')],
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['-c', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function complete(shell: keyof typeof askers, ...line: readonly string[]): string[] {
  const script = join(folder, `script.${shell}`)
  const output = execFileSync(shell, askers[shell](script, ['solarchive', ...line]), { cwd: folder, encoding: 'utf8' })
  return output.split('\n').map((entry) => entry.split('\t')[0] ?? '')
}

describe.each(['bash', 'zsh', 'fish'] as const)('the completion for %s', (shell) => {
  const isMissing = !isInstalled(shell)

  test.skipIf(isMissing)('offers the commands', () => {
    expect(complete(shell, '')).toEqual(expect.arrayContaining(['projects', 'sync', 'orders', 'completion']))
  })

  test.skipIf(isMissing)('offers the commands of a group, also after an option with a value', () => {
    const offered = complete(shell, '--home', '/tmp', 'projects', '')
    expect(offered).toEqual(expect.arrayContaining(['add', 'discover', 'list', 'remove']))
    expect(offered).not.toContain('sync')
  })

  test.skipIf(isMissing)('offers the options of a command and those of all commands', () => {
    const offered = complete(shell, 'verify', '--')
    expect(offered).toEqual(expect.arrayContaining(['--repair', '--home', '--json']))
    expect(offered).not.toContain('--port')
    expect(complete(shell, 'evidence', 'verify', '--'), 'a command of another name').not.toContain('--repair')
  })

  test.skipIf(isMissing)('offers the files for an option that takes one', () => {
    expect(complete(shell, 'orders', 'place', '--file', '').join('\n')).toMatch(/an\\? order\.json/)
    for (const command of ['export', 'packet']) {
      expect(complete(shell, command, '--to', '').join('\n'), command).toMatch(/an\\? order\.json/)
    }
  })

  test.skipIf(isMissing)('offers the files for an argument that is a path, and beside the templates', () => {
    for (const line of [
      ['evidence', 'verify', ''],
      ['packet', '--template', ''],
    ]) {
      expect(complete(shell, ...line).join('\n'), line.join(' ')).toMatch(/an\\? order\.json/)
    }
    expect(complete(shell, 'packet', '--template', '')).toContain('permit-photos')
    expect(complete(shell, 'evidence', 'verify', '--').join('\n')).not.toContain('order.json')
    expect(complete(shell, 'verify', '').join('\n')).not.toContain('order.json')
  })

  test.skipIf(isMissing)('offers the shells that it is made for', () => {
    expect(complete(shell, 'completion', '')).toEqual(expect.arrayContaining([...shells]))
  })
})

test.skipIf(!isInstalled('zsh'))(
  'the completion for zsh answers when zsh loads it from fpath at the first Tab',
  async () => {
    const functions = await mkdtemp(join(folder, 'functions-'))
    await copyFile(join(folder, 'script.zsh'), join(functions, '_solarchive'))
    const firstTab = `compdef() { exit 1 }; _describe() { print -l -- "\${choices[@]%%:*}" }
    fpath=("$0" $fpath); autoload -Uz _solarchive; words=(solarchive ''); CURRENT=2; _solarchive`
    const output = execFileSync('zsh', ['-f', '-c', firstTab, functions], { encoding: 'utf8' })
    expect(output.split('\n')).toContain('projects')
  },
)

test('the completion for PowerShell has every command and option of the help, with descriptions', async () => {
  const script = await printed('completion', 'powershell')
  const commands = await listHelp()
  expect(commands.length).toBeGreaterThan(10)
  for (const [command, options] of commands) {
    const line = script.split('\n').find((text) => text.startsWith(`    '${command}' = `))
    for (const option of options) expect(line, command).toContain(`@('${option}', '`)
  }
  expect(script).toContain("'orders place' = @(@('--project', 'the project that the design is for;")
  // The quotes of PowerShell are doubled.
  expect(script.replace(/''/g, '').split("'").length % 2).toBe(1)
})

test('a shell that is not known ends with 2 and lists those that are', async () => {
  const { exitCode, stderr } = await runMain(['completion', 'tcsh'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('bash, zsh, fish, powershell')
})

describe('the manual page', () => {
  test('has every command and option of the help, and the exit codes', async () => {
    const page = (await printed('man')).replaceAll('\\-', '-')
    const [general = '', ...sections] = page.split(/^\.SS solarchive /m)
    for (const [command, options] of await listHelp()) {
      const section = sections.find((text) => new RegExp(`^${command}(?: [[<]|\n)`).test(text)) ?? ''
      expect(section, command).not.toBe('')
      for (const option of options) expect(general + section, command).toMatch(new RegExp(`^\\.B .*${option}\\b`, 'm'))
    }
    for (const part of ['.SS solarchive projects add [ID...]', '.B --dry-run', '.B --home <folder>', 'Exit codes: 0']) {
      expect(page).toContain(part)
    }
  })

  test.skipIf(!isInstalled('man'))('is shown without a warning', async () => {
    const file = join(folder, 'solarchive.1')
    await writeFile(file, await printed('man'))
    const shown = execFileSync('sh', ['-c', 'man --warnings -l "$0" 2>&1', file], { encoding: 'utf8' })
    expect(shown).not.toContain('warning')
    expect(shown).toMatch(/NAME\n {7}solarchive/)
  })
})
