import type { Command, Option } from 'commander'
import { capitalized } from '../../shared/format.ts'

/**
 * Returns the manual page, section 1, in the format of man(7). `notesOf` returns what the help of a command says after
 * its options.
 */
export function manPage(program: Command, notesOf: (command: Command) => string): string {
  const help = program.createHelp()
  const commands = leavesOf(program)
  return [
    `.TH SOLARCHIVE 1 "" "Solarchive ${escaped(program.version() ?? '')}" "User Commands"`,
    '.SH NAME',
    `solarchive \\- ${escaped(lowered(program.description()))}`,
    '.SH SYNOPSIS',
    '.B solarchive',
    '.RI [ options ] " command " [ arguments ]',
    '.SH OPTIONS',
    'They go before or after the command.',
    ...help.visibleOptions(program).flatMap(describeOption),
    '.SH COMMANDS',
    ...commands.flatMap((command) => [
      `.SS ${escaped(help.commandUsage(command).replace(' [options]', ''))}`,
      escaped(sentence(command.description())),
      ...help.visibleOptions(command).filter(isOwn).flatMap(describeOption),
      ...paragraphs(notesOf(command)),
    ]),
    '.SH NOTES',
    ...paragraphs(notesOf(program)),
    '',
  ].join('\n')
}

/** Returns the commands that can be run, in the order of the help. */
function leavesOf(command: Command): Command[] {
  const children = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help')
  return children.length === 0 ? [command] : children.flatMap(leavesOf)
}

const isOwn = ({ long }: Option) => long !== '--help'

function describeOption({ flags, description }: Option): string[] {
  return ['.TP', `.B ${escaped(flags)}`, escaped(sentence(description))]
}

/** Returns text as paragraphs; indented lines, such as examples, keep their line breaks. */
function paragraphs(text: string): string[] {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trimEnd())
    .filter((paragraph) => paragraph.trim() !== '')
    .flatMap((paragraph) => {
      const [first = '', ...rest] = paragraph.replace(/^\n+/, '').split('\n')
      const isExample = rest.length > 0 && rest.every((line) => line.startsWith('  '))
      if (!isExample) return ['.PP', ...[first, ...rest].map(escaped)]
      return ['.PP', escaped(first), '.PP', '.nf', '.RS 4', ...rest.map((line) => escaped(line.trim())), '.RE', '.fi']
    })
}

/** Escapes what man(7) would interpret: backslashes, hyphens, and a dot or an apostrophe that starts a line. */
function escaped(text: string): string {
  return text
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/^([.'])/, '\\&$1')
}

const sentence = (text: string) => `${capitalized(text)}${/[.?)]$/.test(text) ? '' : '.'}`

const lowered = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1).replace(/\.$/, '')}`
