// Read by every Node, however old: no syntax younger than Node 12, and no imports.

const neededMajor = 22
const neededMinor = 19

/**
 * Returns why Solarchive cannot run on this Node, or undefined if it can.
 * @param {string} version as in process.versions.node
 * @returns {string | undefined}
 */
export function nodeProblem(version) {
  const parts = version.split('.').map(Number)
  const major = parts[0] || 0
  const minor = parts[1] || 0
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined
  return (
    'Solarchive needs Node ' +
    neededMajor +
    '.' +
    neededMinor +
    ' or newer, and this is Node ' +
    version +
    '. In a clone, "npm start" and "npm run cli --" bring their own Node along.'
  )
}
