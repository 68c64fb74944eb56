/** A sentence that is no error. The installed app has no console that anybody sees; what matters stands in the app as well. */
export function tellPerson(message: string): void {
  process.stderr.write(`${message}\n`)
}
