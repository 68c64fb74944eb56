import type { Command, Option } from 'commander'
import { builtInTemplateIds } from '../../shared/packet-names.ts'

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

/**
 * Returns a script that completes commands, options, and their values in a shell. It is complete in itself: a shell
 * starts no program, and evaluates nothing of what is typed, while a user completes a word.
 */
export function completionScript(program: Command, shell: Shell): string {
  return writers[shell](commandsOf(program), optionsOf(program))
}

/** One command, with the words that may follow it. */
interface CompletedCommand {
  /** Words of the command, such as `projects add`; empty for the program itself. */
  readonly path: string
  readonly subcommands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly CompletedOption[]
  /** True if its argument is a path. */
  readonly takesPath: boolean
}

interface CompletedOption {
  /** Long form, such as `--home`. */
  readonly name: string
  readonly description: string
  /** Kind of its value; `none` for an option without one. */
  readonly value: 'none' | 'text' | 'file' | 'folder' | Choices
}

interface Choices {
  readonly words: readonly string[]
  /** True if the value may also be the path of a file. */
  readonly orFile: boolean
}

/** Returns the command and all below it. */
function commandsOf(command: Command, path = ''): CompletedCommand[] {
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => path === '' || child.name() !== 'help')
  const subcommands = children.map((child) => ({ name: child.name(), description: child.description() }))
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  return [
    {
      path,
      subcommands: [...subcommands, ...choices.map((name) => ({ name, description: '' }))],
      options: path === '' ? [] : optionsOf(command).filter(({ name }) => name !== '--help'),
      takesPath: command.registeredArguments.some((argument) => argument.name() === 'PATH'),
    },
    ...children.flatMap((child) => commandsOf(child, `${path} ${child.name()}`.trim())),
  ]
}

function optionsOf(command: Command): CompletedOption[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({ name: option.long ?? '', description: option.description, value: valueOf(option) }))
    .filter(({ name }) => name !== '')
}

/** Returns the kind of an option's value, by the placeholder that the help shows for it. */
function valueOf({ flags, required, argChoices }: Option): CompletedOption['value'] {
  if (!required) return 'none'
  if (argChoices !== undefined) return { words: argChoices, orFile: false }
  if (flags.includes('<name|file>')) return { words: builtInTemplateIds, orFile: true }
  if (flags.includes('<folder>')) return 'folder'
  return /<path>|<[^>]*\.\w+>/.test(flags) ? 'file' : 'text'
}

type Writer = (commands: readonly CompletedCommand[], globals: readonly CompletedOption[]) => string

const writers: Readonly<Record<Shell, Writer>> = { bash, zsh, fish, powershell }

const wordsOf = ({ subcommands, options }: CompletedCommand, globals: readonly CompletedOption[]) => [
  ...subcommands.map(({ name }) => name),
  ...[...options, ...globals].map(({ name }) => name),
]

/** Returns the options that take a value, each once. */
function withValues(commands: readonly CompletedCommand[], globals: readonly CompletedOption[]): CompletedOption[] {
  const all = [...globals, ...commands.flatMap(({ options }) => options)].filter(({ value }) => value !== 'none')
  return [...new Map(all.map((option) => [option.name, option])).values()]
}

/**
 * Returns the lines of a `case` that walks over the words before the cursor, and collects the command in `path`. Bash
 * and zsh share it.
 */
function walk(commands: readonly CompletedCommand[], globals: readonly CompletedOption[]): string[] {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`)
  return [
    '    case $word in',
    `      ${withValues(commands, globals)
      .map(({ name }) => name)
      .join('|')}) skip=1 ;;`,
    '      -*) ;;',
    `      *) case "\${path:+$path }$word" in ${paths.join('|')}) path="\${path:+$path }$word" ;; esac ;;`,
    '    esac',
  ]
}

function bash(commands: readonly CompletedCommand[], globals: readonly CompletedOption[]): string {
  const complete = {
    file: 'compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return',
    folder: 'compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return',
    text: 'return',
    none: 'return',
  }
  const answerOf = ({ value }: CompletedOption) => {
    if (typeof value === 'string') return complete[value]
    const words = `compgen -W '${value.words.join(' ')}' -- "$cur"`
    if (!value.orFile) return `mapfile -t COMPREPLY < <(${words}); return`
    return `compopt -o filenames; mapfile -t COMPREPLY < <(${words}; compgen -f -- "$cur"); return`
  }
  return lines(
    '# Completion of solarchive for bash.',
    '_solarchive() {',
    '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} path= words= word skip= files= i',
    '  COMPREPLY=()',
    '  case $prev in',
    ...withValues(commands, globals).map((option) => `    ${option.name}) ${answerOf(option)} ;;`),
    '  esac',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    if [[ -n $skip ]]; then skip=; continue; fi',
    '    word=${COMP_WORDS[i]}',
    ...walk(commands, globals),
    '  done',
    '  case $path in',
    ...commands.map((command) => {
      const files = command.takesPath ? ' files=1' : ''
      return `    '${command.path}') words='${wordsOf(command, globals).join(' ')}'${files} ;;`
    }),
    '  esac',
    `  if [[ -n $files && $cur != -* ]]; then ${complete.file}; fi`,
    '  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")',
    '}',
    'complete -F _solarchive solarchive',
  )
}

function zsh(commands: readonly CompletedCommand[], globals: readonly CompletedOption[]): string {
  const described = (name: string, description: string) => quoted(`${name.replace(/:/g, '\\:')}:${description}`)
  const answerOf = ({ value }: CompletedOption) => {
    if (typeof value !== 'string') {
      return `compadd -- ${value.words.join(' ')}; ${value.orFile ? '_files; ' : ''}return`
    }
    return { file: '_files; return', folder: '_files -/; return', text: 'return', none: 'return' }[value]
  }
  return lines(
    '#compdef solarchive',
    '# Completion of solarchive for zsh.',
    '_solarchive() {',
    '  local path_= word skip= i',
    '  local -a choices',
    '  case $words[CURRENT-1] in',
    ...withValues(commands, globals).map((option) => `    ${option.name}) ${answerOf(option)} ;;`),
    '  esac',
    '  for ((i = 2; i < CURRENT; i++)); do',
    '    if [[ -n $skip ]]; then skip=; continue; fi',
    '    word=$words[i]',
    // `path` is the search path of zsh.
    ...walk(commands, globals).map((line) => line.replaceAll(/\bpath(?=[:=}])|\$path/g, (name) => `${name}_`)),
    '  done',
    '  case $path_ in',
    ...commands.map(({ path, subcommands, options, takesPath }) => {
      const choices = [...subcommands, ...options, ...globals].map(({ name, description }) =>
        described(name, description),
      )
      const files = takesPath ? '; [[ $words[CURRENT] == -* ]] || _files' : ''
      return `    '${path}') choices=(${choices.join(' ')})${files} ;;`
    }),
    '  esac',
    "  _describe 'solarchive' choices",
    '}',
    // A function that zsh loads from `fpath` at its first use is asked at once; a script that is sourced is not.
    'if [[ $funcstack[1] == _solarchive ]]; then _solarchive "$@"; else compdef _solarchive solarchive; fi',
  )
}

function fish(commands: readonly CompletedCommand[], globals: readonly CompletedOption[]): string {
  const optionLine = (condition: string, { name, description, value }: CompletedOption) => {
    const kind =
      value === 'none'
        ? ''
        : value === 'file'
          ? ' -r -F'
          : value === 'folder'
            ? " -x -a '(__fish_complete_directories)'"
            : value === 'text'
              ? ' -x'
              : `${value.orFile ? ' -r -F' : ' -x'} -a '${value.words.join(' ')}'`
    return `complete -c solarchive${condition} -l ${name.slice(2)}${kind} -d ${quoted(description)}`
  }
  return lines(
    '# Completion of solarchive for fish.',
    'complete -c solarchive -f',
    ...globals.map((option) => optionLine('', option)),
    ...commands.flatMap(({ path, subcommands, options, takesPath }) => {
      const words = path === '' ? [] : path.split(' ')
      // `verify` is also in `evidence verify`.
      const groups = commands.filter((other) => words.length === 1 && other.path.endsWith(` ${path}`))
      const seen = [
        ...words.map((word) => `__fish_seen_subcommand_from ${word}`),
        ...groups.map((other) => `not __fish_seen_subcommand_from ${other.path.split(' ')[0]}`),
      ]
      const names = subcommands.map(({ name }) => name).join(' ')
      const before = [...seen, `not __fish_seen_subcommand_from ${names}`].join('; and ')
      return [
        ...subcommands.map(
          ({ name, description }) => `complete -c solarchive -n ${quoted(before)} -a ${name} -d ${quoted(description)}`,
        ),
        ...options.map((option) => optionLine(` -n ${quoted(seen.join('; and '))}`, option)),
        ...(takesPath ? [`complete -c solarchive -n ${quoted(seen.join('; and '))} -F`] : []),
      ]
    }),
  )
}

/** PowerShell itself offers files where the script offers nothing. */
function powershell(commands: readonly CompletedCommand[], globals: readonly CompletedOption[]): string {
  const values = withValues(commands, globals)
  const choices = values.flatMap(({ name, value }) =>
    typeof value === 'string' ? [] : [`    '${name}' = @(${value.words.map(doubled).join(', ')})`],
  )
  const table = commands.map(({ path, subcommands, options }) => {
    const entries = [...subcommands, ...options, ...globals].map(
      ({ name, description }) => `@(${doubled(name)}, ${doubled(description)})`,
    )
    return `    ${doubled(path)} = @(${entries.join(', ')})`
  })
  return lines(
    '# Completion of solarchive for PowerShell.',
    'Register-ArgumentCompleter -Native -CommandName solarchive -ScriptBlock {',
    '  param($wordToComplete, $commandAst, $cursorPosition)',
    '  $entries = @{',
    ...table,
    '  }',
    `  $takesValue = @(${values.map(({ name }) => doubled(name)).join(', ')})`,
    '  $choices = @{',
    ...choices,
    '  }',
    "  $path = ''; $previous = ''",
    '  foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {',
    '    if ($element.Extent.EndOffset -ge $cursorPosition) { break }',
    '    $word = $element.ToString()',
    '    if ($takesValue -notcontains $previous -and -not $word.StartsWith("-")) {',
    '      $next = "$path $word".Trim()',
    '      if ($entries.ContainsKey($next)) { $path = $next }',
    '    }',
    '    $previous = $word',
    '  }',
    '  if ($takesValue -contains $previous) {',
    '    if ($choices.ContainsKey($previous)) {',
    '      $choices[$previous] | Where-Object { $_ -like "$wordToComplete*" }',
    '    }',
    '    return',
    '  }',
    '  $entries[$path] | Where-Object { $_[0] -like "$wordToComplete*" } | ForEach-Object {',
    "    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])",
    '  }',
    '}',
  )
}

/** Quotes a text for zsh and fish. */
const quoted = (text: string) => `'${text.replace(/\\/g, '\\\\').replace(/'/g, `'\\''`)}'`

/** Quotes a text for PowerShell. */
const doubled = (text: string) => `'${text.replace(/'/g, "''")}'`

const lines = (...all: readonly string[]) => `${all.join('\n')}\n`
