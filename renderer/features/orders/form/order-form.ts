import { computed, inject, provide, reactive, ref, shallowRef, type InjectionKey, type Ref } from 'vue'
import {
  defaultSetback,
  orderFieldNames,
  fieldOf,
  type OrderFieldName,
  isSetback,
} from '../../../../shared/order/order-fields.ts'
import type { OrderDetail } from '../../../../shared/order/order-views.ts'
import { readOrder } from '../../../../shared/order/read-order.ts'
import type { SetbackRegion } from '../../../../shared/order/setback-defaults.ts'
import { readFieldProblems } from '../order-problems.ts'
import type { OrderDraft } from './use-order-draft.ts'

/** What the service said of an order that it did not take, and of which texts it said so. */
interface Refusal {
  readonly problem: OrderDetail['problem']
  readonly fieldProblems: OrderDetail['fieldProblems']
  readonly texts: OrderDetail['texts']
  /** Who found that it was not placed; null: the service's answer said so, or it was not sent. */
  readonly settledBy: OrderDetail['settledBy']
}

/** The form around a draft: what each field holds, what is wrong with it, and which has the focus. */
export interface OrderForm {
  readonly region: Ref<SetbackRegion | null>
  readonly focused: Ref<OrderFieldName | null>
  readonly refusal: Ref<Refusal | null>
  /** Takes over what kept the last try from being placed. */
  readonly refuse: (order: OrderDetail) => void
  /** Fields that have to be filled in or mended, in the form's order; also those of which nothing is said yet. */
  readonly wrong: Ref<readonly OrderFieldName[]>
  /** As the field shows it. */
  readonly textOf: (name: OrderFieldName) => string
  readonly set: (name: OrderFieldName, text: string) => void
  /** What is wrong with a field, once it was left, or the order was to be reviewed; else what the service said of it. */
  readonly problemOf: (name: OrderFieldName) => string | undefined
  readonly warningOf: (name: OrderFieldName) => string | undefined
  readonly left: (name: OrderFieldName) => void
  readonly showAll: () => void
}

const key: InjectionKey<OrderForm> = Symbol('order form')
/** Above the fields, once. */
export function provideOrderForm({ texts, region }: OrderDraft): OrderForm {
  const focused = ref<OrderFieldName | null>(null)
  const refusal = shallowRef<Refusal | null>(null)
  const wasLeft = reactive(new Set<OrderFieldName>())
  const areAllShown = ref(false)
  const reading = computed(() => readOrder(texts))
  const problems = computed(
    () => new Map(reading.value.ok ? [] : reading.value.problems.map(({ field, message }) => [field, message])),
  )
  const warnings = computed(() => new Map(reading.value.warnings.map(({ field, message }) => [field, message])))

  /** It holds for as long as the field says what it said then. */
  function refusedFor(name: OrderFieldName): string | undefined {
    const { fieldProblems, texts: then } = refusal.value ?? { fieldProblems: [], texts: {} }
    if ((then[name] ?? '') !== (texts[name] ?? '')) return undefined
    return fieldProblems.find(({ field }) => field === name)?.message
  }

  const form: OrderForm = {
    region,
    focused,
    refusal,
    refuse({ problem, fieldProblems, texts: then, settledBy }) {
      refusal.value = { problem, fieldProblems: readFieldProblems(fieldProblems), texts: then, settledBy }
    },
    wrong: computed(() => orderFieldNames.filter((name) => problems.value.has(name) || refusedFor(name) !== undefined)),
    textOf(name) {
      const text = texts[name] ?? fieldOf(name).default ?? ''
      return isSetback(name) && text === defaultSetback ? '' : text
    },
    set(name, text) {
      texts[name] = text
    },
    problemOf(name) {
      const isShown = areAllShown.value || wasLeft.has(name)
      return (isShown ? problems.value.get(name) : undefined) ?? refusedFor(name)
    },
    warningOf: (name) => (problems.value.has(name) ? undefined : warnings.value.get(name)),
    left: (name) => void wasLeft.add(name),
    showAll: () => (areAllShown.value = true),
  }
  provide(key, form)
  return form
}

/** Below where `provideOrderForm` was called. */
export function useOrderForm(): OrderForm {
  const form = inject(key)
  if (form === undefined) throw new Error('No order form was provided')
  return form
}
