import type { HookDelivery, HookEvent, HookList } from '../../../shared/hooks.ts'
import type { StatePresentation } from '../../labels/status-labels.ts'

export type ListedHook = HookList['hooks'][number]

export const hookEventLabels: Readonly<Record<HookEvent, { readonly label: string; readonly text: string }>> = {
  'checklist-complete': { label: 'A checklist is complete', text: 'All of its photos and its report are archived.' },
  'report-replaced': { label: 'A report was replaced', text: 'The service has a newer one.' },
  'gap-old': { label: 'Photos missing for several days', text: 'A checklist is still incomplete after several days.' },
  'damage-found': { label: 'Damage was found', text: 'Archived files are missing or changed on the disk.' },
  'order-status': { label: 'An order has a new status', text: 'For example, in progress or done.' },
}

export const deliveryStates: Readonly<Record<HookDelivery['state'], StatePresentation>> = {
  waiting: { label: 'Waiting', icon: 'i-lucide-clock-3', tone: 'neutral' },
  delivered: { label: 'Delivered', icon: 'i-lucide-circle-check-big', tone: 'success' },
  failed: { label: 'Given up', icon: 'i-lucide-triangle-alert', tone: 'error' },
}

/** Returns what a hook calls: its address, or its program with arguments. */
export function hookTarget({ target }: ListedHook): string {
  return target.kind === 'webhook' ? target.url : [target.path, ...target.args].join(' ')
}

/** Returns what an event is about: project and checklist, or an empty text. */
export function deliverySubject({ body }: HookDelivery): string {
  try {
    const { project, checklist } = JSON.parse(body) as {
      readonly project?: { readonly name?: unknown } | null
      readonly checklist?: { readonly title?: unknown } | null
    }
    return [project?.name, checklist?.title].filter((text) => typeof text === 'string' && text !== '').join(' › ')
  } catch {
    return ''
  }
}
