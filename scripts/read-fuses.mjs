// Reads the fuses of a packaged app from its program (on macOS: the .app) and checks each against its required value.
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'

/** Values that electron-builder.yml sets. */
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
  const is = state === FuseState.ENABLE ? 'on' : state === FuseState.DISABLE ? 'off' : 'missing'
  console.log(`${name}: ${is}${isRight ? '' : `, but must be ${isWanted ? 'on' : 'off'}`}`)
  if (!isRight) process.exitCode = 1
}
