import { useToast } from '@nuxt/ui/composables/useToast'
import { computed, nextTick, ref, shallowRef } from 'vue'
import type { OrderReview } from '../../../../shared/order/order-views.ts'
import { useClient } from '../../../transport/use-client.ts'
import { useGoingOn } from '../../../ui/use-pending.ts'
import { useEngine } from '../../../stores/engine-store.ts'
import type { CallError } from '../../../transport/transport.ts'
import type { OrderForm } from './order-form.ts'
import type { OrderDraft } from './use-order-draft.ts'

const changedMeanwhile = 'The draft was changed since you looked at it. This is how it reads now.'

/**
 * The way of a draft to the service: reviewed, then placed once. What the engine refuses because it was placed elsewhere, or
 * changed, is shown as it stands then. `focusWrong` leads to the first field that is wrong.
 */
export function usePlacing(orderId: number, draft: OrderDraft, form: OrderForm, focusWrong: () => void) {
  const client = useClient()
  const engine = useEngine()
  const { goOn } = useGoingOn()
  const toast = useToast()
  /** Null: the form is shown. */
  const review = shallowRef<OrderReview | null>(null)
  const again = ref(false)
  const notice = ref<string | null>(null)
  /** The engine cannot tell whether this draft was placed before the database was replaced: the person has to. */
  const isDoubtful = ref(false)
  const error = shallowRef<CallError | null>(null)
  const isReviewing = ref(false)
  const isPlacing = ref(false)

  const needsConsent = computed(() => {
    const { doubles = [], unsettled = [] } = review.value ?? {}
    return doubles.length > 0 || unsettled.length > 0 || isDoubtful.value
  })

  async function openReview(because: string | null = null): Promise<void> {
    if (isReviewing.value || isPlacing.value) return
    isReviewing.value = true
    error.value = null
    void engine.loadOverview()
    try {
      form.showAll()
      if (!(await draft.save())) return
      const told = await client.call('orders.review', { orderId })
      if (told.payload === null || told.problems.length > 0) {
        review.value = null
        await nextTick()
        focusWrong()
        return
      }
      again.value = false
      notice.value = because
      review.value = told
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
    if (needsConsent.value && !again.value) return
    isPlacing.value = true
    error.value = null
    let changed = false
    try {
      const told = await client.call('orders.place', { orderId, fingerprint, again: again.value })
      if (told.state === 'draft') {
        draft.adopt(told)
        form.refuse(told)
        review.value = null
        await nextTick()
        focusWrong()
        return
      }
      if (told.state === 'placed') {
        toast.add({ title: 'The order is placed', icon: 'i-lucide-circle-check-big', color: 'success' })
      }
      await goOn({ path: `/orders/${orderId}`, replace: true })
    } catch (thrown) {
      changed = (thrown as CallError).code === 'draft-changed'
      error.value = thrown as CallError
    } finally {
      isPlacing.value = false
    }
    if (error.value === null) return
    // What stands in the way may be that it was placed, or is on its way: then the view shows that.
    await draft.load()
    isDoubtful.value = !changed && error.value.code === 'wrong-usage' && draft.order.value?.isRestored === true
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

  return { review, again, notice, isDoubtful, needsConsent, error, isReviewing, isPlacing, openReview, place, leave }
}
