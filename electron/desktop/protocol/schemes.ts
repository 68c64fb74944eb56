import { protocol } from 'electron'
import { fileScheme, pageScheme } from './addresses.ts'

/** Before the app is ready: makes both schemes origins of their own, secure contexts, and fetchable. */
export function registerSchemes(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true }
  protocol.registerSchemesAsPrivileged([
    { scheme: pageScheme, privileges },
    // The pages fetch files of another origin, in pieces; videos are streamed.
    { scheme: fileScheme, privileges: { ...privileges, corsEnabled: true, stream: true } },
  ])
}
