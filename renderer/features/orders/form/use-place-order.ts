import { useToast } from '@nuxt/ui/composables/useToast'
import { computed, nextTick, ref, shallowRef, type ShallowRef } from 'vue'
import { type OrderReview, seenKey, seenRestored } from '../../../../shared/order/order-views.ts'
import { useGuardedNavigation } from '../../../ui/use-guarded-navigation.ts'
import { useEngine } from '../../../stores/engine-store.ts'
import { type CallError, useClient } from '../../../transport/transport.ts'
import type { OrderForm } from './order-form.ts'
import type { OrderDraft } from './use-order-draft.ts'

const changedMeanwhile = 'The draft was changed since your review. These are its current values.'

/**
 * Reviews a draft, then places it once. If the engine rejects it because it was placed or changed elsewhere, the
 * current state is displayed. `focusFirstProblem` focuses the first field with a problem.
 */
export function usePlaceOrder(orderId: number, draft: OrderDraft, form: OrderForm, focusFirstProblem: () => void) {
  const client = useClient()
  const engine = useEngine()
  const { navigate } = useGuardedNavigation()
  const toast = useToast()
  /** `null` while the form is displayed. */
  const review = shallowRef<OrderReview | null>(null)
  const notice = ref<string | null>(null)
  const consent = createConsent(review)
  const error = shallowRef<CallError | null>(null)
  const isReviewing = ref(false)
  const isPlacing = ref(false)

  /** Returns to the form and focuses its first problem. */
  async function showProblems(): Promise<void> {
    review.value = null
    await nextTick()
    focusFirstProblem()
  }

  async function openReview(because: string | null = null): Promise<void> {
    if (isReviewing.value || isPlacing.value) return
    isReviewing.value = true
    error.value = null
    void engine.loadOverview()
    try {
      form.showAll()
      if (!(await draft.save())) return
      const result = await client.call('orders.review', { orderId })
      if (result.payload === null || result.problems.length > 0) {
        return await showProblems()
      }
      consent.reset()
      notice.value = because
      review.value = result
    } catch (thrown) {
      review.value = null
      error.value = thrown as CallError
    } finally {
      isReviewing.value = false
    }
  }

  async function place(): Promise<void> {
    const fingerprint = review.value?.fingerprint
    if (isPlacing.value || isReviewing.value || fingerprint == null) return
    if (consent.missingConsent.value !== null) return
    isPlacing.value = true
    error.value = null
    let changed = false
    try {
      const result = await client.call('orders.place', { orderId, fingerprint, ...consent.flags() })
      if (result.state === 'draft') {
        draft.adopt(result)
        form.reject(result)
        return await showProblems()
      }
      if (result.state === 'placed') {
        toast.add({ title: 'The order is placed', icon: 'i-lucide-circle-check-big', color: 'success' })
      }
      await navigate({ path: `/orders/${orderId}`, replace: true })
    } catch (thrown) {
      changed = (thrown as CallError).code === 'draft-changed'
      error.value = thrown as CallError
    } finally {
      isPlacing.value = false
    }
    if (error.value === null) return
    // The draft may have been placed or sent elsewhere; the view displays that then.
    await draft.load()
    consent.mayAlreadyBePlaced.value = error.value.details?.['isRestored'] === true
    if (draft.isDraft.value && (changed || error.value.code === 'wrong-usage')) {
      const because = changed ? changedMeanwhile : error.value.message
      await openReview(because)
    }
  }

  function leave(): void {
    if (isPlacing.value) return
    review.value = null
    error.value = null
  }

  return { ...consent, review, notice, error, isReviewing, isPlacing, openReview, place, leave }
}

/** Creates the state of what the user has to confirm before the reviewed order can be placed. */
function createConsent(review: ShallowRef<OrderReview | null>) {
  /** True if the user confirmed that the order is not a duplicate. */
  const again = ref(false)
  /** True if the user agreed to place the order although the service's list cannot be read. */
  const withoutCheck = ref(false)
  /** True if the user confirmed a module that nobody ordered before. */
  const moduleConfirmed = ref(false)
  /** True if the database was replaced since: only the user can find out that the draft was not placed before. */
  const mayAlreadyBePlaced = ref(false)

  const mayBeDuplicate = computed(() => {
    const { duplicates = [], unconfirmed = [] } = review.value ?? {}
    return duplicates.length > 0 || unconfirmed.length > 0 || mayAlreadyBePlaced.value
  })
  /** Text of what is still to be confirmed; null if nothing. */
  const missingConsent = computed(() => {
    if ((review.value?.listProblem ?? null) !== null && !withoutCheck.value) {
      return 'Choose whether to place it without the check.'
    }
    if (mayBeDuplicate.value && !again.value) return 'Confirm that it is not a duplicate first.'
    return review.value?.isModuleUnknown === true && !moduleConfirmed.value ? 'Confirm the module first.' : null
  })

  return {
    again,
    withoutCheck,
    moduleConfirmed,
    mayAlreadyBePlaced,
    missingConsent,
    flags: () => ({
      again: again.value,
      seen: [...seenIn(review.value), ...(mayAlreadyBePlaced.value ? [seenRestored] : [])],
      withoutCheck: withoutCheck.value,
      newModule: moduleConfirmed.value,
    }),
    /** A new review needs a new confirmation. */
    reset(): void {
      again.value = false
      withoutCheck.value = false
      moduleConfirmed.value = false
    },
  }
}

/** Returns the orders that the user saw when they agreed to one more. */
function seenIn(review: OrderReview | null): string[] {
  const { duplicates = [], unconfirmed = [] } = review ?? {}
  return [...duplicates, ...unconfirmed.map(({ orderId }) => ({ orderId, serviceId: null }))].map(seenKey)
}
