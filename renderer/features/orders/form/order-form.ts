import { computed, inject, provide, reactive, ref, shallowRef, watch, type InjectionKey } from 'vue'
import {
  defaultSetback,
  orderFieldNames,
  fieldOf,
  type OrderFieldName,
  isSetback,
  isSiteField,
} from '../../../../shared/order/order-fields.ts'
import type { OrderDetail } from '../../../../shared/order/order-views.ts'
import { readOrder } from '../../../../shared/order/order-payload.ts'
import { readFieldProblems } from '../order-problems.ts'
import type { OrderDraft } from './use-order-draft.ts'

/** Why the service rejected an order, and the values it rejected. */
type Rejection = Pick<OrderDetail, 'problem' | 'fieldProblems' | 'texts' | 'settledBy'>

export type OrderForm = ReturnType<typeof provideOrderForm>

const key: InjectionKey<OrderForm> = Symbol('order form')

/**
 * Provides the form of a draft to the fields below: the value, problem, and warning of each field, and the focused
 * field.
 */
export function provideOrderForm({ order, texts, region }: OrderDraft) {
  const focused = ref<OrderFieldName | null>(null)
  const rejection = shallowRef<Rejection | null>(null)
  const changed = new Set<OrderFieldName>()
  /** Texts that were filled in for the project, by field. A new order begins with those known of its project. */
  const filledIn = new Map<OrderFieldName, string>()
  watch(
    order,
    (loaded) => {
      if (loaded?.source !== 'app' || loaded.revision > 0) return
      for (const name of orderFieldNames.filter(isSiteField)) filledIn.set(name, loaded.texts[name] ?? '')
    },
    { once: true },
  )
  const wasLeft = reactive(new Set<OrderFieldName>())
  const areAllShown = ref(false)
  const reading = computed(() => readOrder(texts))
  const problems = computed(
    () => new Map(reading.value.ok ? [] : reading.value.problems.map(({ field, message }) => [field, message])),
  )
  const warnings = computed(() => new Map(reading.value.warnings.map(({ field, message }) => [field, message])))

  /** Returns the service's message about a field while its value is still the rejected one. */
  function rejectedFor(name: OrderFieldName): string | undefined {
    const { fieldProblems, texts: rejected } = rejection.value ?? { fieldProblems: [], texts: {} }
    if ((rejected[name] ?? '') !== (texts[name] ?? '')) return undefined
    return fieldProblems.find(({ field }) => field === name)?.message
  }

  const form = {
    region,
    focused,
    rejection,
    /** Sets why the last attempt was not placed. */
    reject({ problem, fieldProblems, texts: rejected, settledBy }: OrderDetail) {
      rejection.value = { problem, fieldProblems: readFieldProblems(fieldProblems), texts: rejected, settledBy }
    },
    /** Fields with a problem, in the form's order, including problems that are not displayed yet. */
    invalid: computed(() =>
      orderFieldNames.filter((name) => problems.value.has(name) || rejectedFor(name) !== undefined),
    ),
    /** Returns the displayed text of a field. */
    textOf(name: OrderFieldName) {
      const text = texts[name] ?? fieldOf(name).default ?? ''
      return isSetback(name) && text === defaultSetback ? '' : text
    },
    set(name: OrderFieldName, text: string) {
      texts[name] = text
      changed.add(name)
    },
    /** Sets what is known of the chosen project in place of what was filled in before, but keeps what was typed. */
    fillIn(name: OrderFieldName, text: string) {
      const before = form.textOf(name)
      if (before.trim() !== '' && before !== filledIn.get(name)) return
      form.set(name, text)
      filledIn.set(name, text)
    },
    /** Returns a field's problem once it was changed and left, or the order reviewed; else the service's message. */
    problemOf(name: OrderFieldName) {
      const isShown = areAllShown.value || wasLeft.has(name)
      return (isShown ? problems.value.get(name) : undefined) ?? rejectedFor(name)
    },
    warningOf: (name: OrderFieldName) => (problems.value.has(name) ? undefined : warnings.value.get(name)),
    // A field that was only passed has no problem yet: it is one of those left.
    leave: (name: OrderFieldName) => {
      if (changed.has(name)) wasLeft.add(name)
    },
    showAll: () => void (areAllShown.value = true),
  }
  provide(key, form)
  return form
}

/** Returns the form. Call below the component that called `provideOrderForm`. */
export function useOrderForm(): OrderForm {
  const form = inject(key)
  if (form === undefined) throw new Error('No order form was provided')
  return form
}
