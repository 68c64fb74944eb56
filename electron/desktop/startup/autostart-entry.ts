/**
 * A desktop entry that starts the program in the background, by the Desktop Entry and Autostart specifications of
 * freedesktop.org. `program`: an absolute path. `homeFolder`: the data folder, where it is not the usual one.
 */
export function autostartEntry(program: string, homeFolder?: string): string {
  const home = homeFolder === undefined ? '' : `env ${execArgument(`SOLARCHIVE_HOME=${homeFolder}`)} `
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Solarchive',
    'Comment=Keeps site checklists archived',
    `Exec=${home}${execArgument(program)} --hidden`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}

/**
 * An argument of the Exec key: in quotation marks, with what a shell would read escaped; `%` begins a field code; and all of it
 * once more as any text of the file, in which a backslash is two and a line has no end.
 */
export function execArgument(text: string): string {
  const quoted = `"${text.replace(/["`$\\]/g, '\\$&')}"`
  return quoted.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
}

/** Whether an entry starts this program; a person may have given it options of their own. */
export function isEntryOf(program: string, text: string): boolean {
  return text.split('\n').some((line) => line.startsWith('Exec=') && line.includes(execArgument(program)))
}

/** Whether an entry is in force: some desktops switch one off by a key instead of removing the file. */
export function isEntryOn(text: string): boolean {
  return !/^\s*(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/m.test(text)
}
