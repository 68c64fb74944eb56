import { isDeepStrictEqual } from 'node:util'
import { AppError } from '../../../shared/errors.ts'
import type { Hook, HookInput, HookList } from '../../../shared/hooks.ts'
import { hookSecrets, subscriptionsOf } from '../hooks/hook-settings.ts'
import type { Handlers, HandlersDeps } from './handlers.ts'

/**
 * Returns the handlers of the calls about hooks. A page may be one that was taken over, and a program can do
 * everything: one that is new or changed needs a user's consent in a system dialog, which no page can provide. So does
 * a webhook, where there is such a dialog. Without one, programs and webhooks at private addresses can only be added in
 * settings.json: a page must not reach through this machine where it cannot reach itself.
 */
export function createHookHandlers(deps: HandlersDeps) {
  const { ports, engines, configuration, queue, recordAction, signal } = deps
  const { desktop, keepSecret } = ports
  const list = () => describeHooks(configuration.savedHooks, desktop?.confirm !== undefined)

  async function save(inputs: readonly HookInput[]): Promise<void> {
    const before = configuration.savedHooks
    const hooks = inputs.map((input) => withSecret(input, before))
    for (const hook of hooks) {
      const known = before.find(({ id }) => id === hook.id)
      if (!needsConsent(hook, known)) continue
      requireReachable(hook)
      if (desktop?.confirm !== undefined) {
        if (!(await desktop.confirm(questionAbout(hook), signal))) throw refused()
      } else if (hook.target.kind === 'program')
        throw onlyOnTheMachine('Programs can only be added, changed, or turned on')
      else if (hook.target.allowPrivate && (known === undefined || !isSameTarget(hook, known))) {
        throw onlyOnTheMachine('Webhooks on a private network, or without encryption, can only be added or changed')
      }
    }
    await configuration.requireUnchanged('hooks', before)
    for (const secret of hookSecrets(hooks)) keepSecret(secret)
    await configuration.change({ hooks: hooks.length === 0 ? null : [...hooks] })
    engines.present?.hooks.subscribe(subscriptionsOf(configuration.hooks))
    const programs = hooks.filter(({ target }) => target.kind === 'program').length
    recordAction({ kind: 'hooks-changed', facts: { programs, webhooks: hooks.length - programs } })
  }

  /** Throws for a webhook that could never be notified, at its address and without the permission for such. */
  function requireReachable({ target }: Hook): void {
    if (target.kind === 'program' || target.allowPrivate) return
    const remedy =
      desktop?.confirm === undefined
        ? 'Such an address can only be entered in the app window, or in settings.json with "allowPrivate" on the ' +
          'computer that runs Solarchive.'
        : 'Allow such an address below, or enter a public one that starts with https://.'
    engines.present?.hooks.refuseAddress(target.url, (why) => `This address ${why}. ${remedy} Nothing was changed.`)
  }

  return {
    'hooks.list': list,
    'hooks.save': async ({ hooks }) => {
      await queue.run(() => save(hooks))
      return list()
    },
    'hooks.deliveries': (query) => engines.require().hookDeliveries(query),
    'hooks.failing': () => ({
      hookIds: engines.require().failingHooks(subscriptionsOf(configuration.hooks).map(({ id }) => id)),
    }),
    'hooks.repeat': ({ deliveryId }) => engines.require().hooks.repeat(deliveryId),
  } satisfies Partial<Handlers>
}

function describeHooks(hooks: readonly Hook[], canAddPrograms: boolean): HookList {
  return {
    hooks: hooks.map(({ target, ...hook }) => {
      if (target.kind === 'program') return { ...hook, target }
      const { secret: _, ...shown } = target
      return { ...hook, target: shown }
    }),
    canAddPrograms,
  }
}

/** Returns a hook with its stored secret, unless it has a new one. A secret stays with its address. */
function withSecret({ target, ...hook }: HookInput, before: readonly Hook[]): Hook {
  if (target.kind === 'program') return { ...hook, target }
  const known = before.find(({ id }) => id === hook.id)?.target
  const stored = known?.kind === 'webhook' && originOf(known.url) === originOf(target.url) ? known.secret : undefined
  const secret = target.secret ?? stored
  if (secret === undefined) {
    throw new AppError(
      'wrong-settings',
      'A webhook needs a secret of at least 16 characters, which the receiver uses to verify that messages come from ' +
        'you. A new address needs a new secret. Nothing was changed.',
    )
  }
  return { ...hook, target: { ...target, secret } }
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url)

/** Returns whether a hook does something that no user has agreed to yet: another target, or one that was off. */
function needsConsent(hook: Hook, known: Hook | undefined): boolean {
  if (!hook.isOn && known !== undefined && isSameTarget(hook, known)) return false
  return known === undefined || !known.isOn || !isSameTarget(hook, known)
}

function isSameTarget({ target: one }: Hook, { target: other }: Hook): boolean {
  if (one.kind === 'program') {
    return other.kind === 'program' && one.path === other.path && isDeepStrictEqual(one.args, other.args)
  }
  return other.kind === 'webhook' && one.url === other.url && one.allowPrivate === other.allowPrivate
}

function questionAbout({ target }: Hook): { readonly message: string; readonly detail: string; readonly yes: string } {
  return target.kind === 'program'
    ? {
        message: 'Let Solarchive run this program?',
        // Each in quotes, so that an empty one, and one with a line break, can be recognized.
        detail: [target.path, ...target.args.map((argument) => JSON.stringify(argument))].join('\n'),
        yes: 'Run',
      }
    : {
        message: 'Let Solarchive send events to this address?',
        detail: target.allowPrivate
          ? `${target.url}\nIt may be in your own network, and without encryption.`
          : target.url,
        yes: 'Send',
      }
}

const refused = () => new AppError('cancelled', 'You did not agree, so nothing was changed.')

function onlyOnTheMachine(what: string): AppError {
  return new AppError(
    'wrong-usage',
    `${what} in the app window, or by hand in settings.json on the computer that runs Solarchive. Nothing was changed.`,
  )
}
