/** The name of every call that a host answers; `contract.ts` has its shapes. No zod here: the preload imports this file. */
export const callNames = [
  'app.info',
  'setup.state',
  'setup.complete',
  'setup.useSample',
  'connection.test',
  'archive.check',
  'archive.move',
  'archive.stopMove',
  'settings.get',
  'settings.save',
  'token.save',
  'diagnostics.bundle',
  'overview',
  'projects.list',
  'projects.names',
  'projects.get',
  'projects.add',
  'projects.preview',
  'projects.remove',
  'projects.discover',
  'checklists.get',
  'checklists.list',
  'sync.now',
  'sync.stop',
  'watch.state',
  'watch.pause',
  'watch.resume',
  'watch.nudge',
  'failures.list',
  'failures.retry',
  'verify.start',
  'verify.stop',
  'verify.findings',
  'activity.list',
  'photos.facts',
  'files.locate',
  'files.show',
] as const
export type CallName = (typeof callNames)[number]

/** Events that tell a state as a whole: who subscribes is sent the present one first. */
export const stickyEventNames = [
  'setup-state',
  'settings-state',
  'watch-state',
  'sync-state',
  'verify-state',
  'move-state',
] as const

/** Every event that a host passes on. */
export const eventNames = [
  ...stickyEventNames,
  'sync-progress',
  'project-synced',
  'sync-failure',
  'verify-progress',
  'move-progress',
  'finding',
  'activity',
] as const
export type EventName = (typeof eventNames)[number]
