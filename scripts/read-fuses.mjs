// Reads the fuses of a packaged app back from its program (on macOS: the .app) and says whether each is as it has to
// be.
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'

/** As electron-builder.yml sets them. */
const wanted = {
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  GrantFileProtocolExtraPrivileges: false,
}

const [program] = process.argv.slice(2)
if (program === undefined) {
  console.error('Which packaged app? "node scripts/read-fuses.mjs dist/linux-unpacked/solarchive-app"')
  process.exit(2)
}
const wire = await getCurrentFuseWire(program)
for (const [name, isWanted] of Object.entries(wanted)) {
  const state = wire[FuseV1Options[/** @type {keyof typeof wanted} */ (name)]]
  const isRight = state === (isWanted ? FuseState.ENABLE : FuseState.DISABLE)
  const is = state === FuseState.ENABLE ? 'on' : state === FuseState.DISABLE ? 'off' : 'not there'
  console.log(`${name}: ${is}${isRight ? '' : `, and has to be ${isWanted ? 'on' : 'off'}`}`)
  if (!isRight) process.exitCode = 1
}
