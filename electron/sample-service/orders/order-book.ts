import type { SampleSite } from '../site/sample-site.ts'
import { choosePerson } from '../site/places.ts'
import { SeededRandom, sampleId } from '../site/seeded-random.ts'
import type { SampleProject } from '../site/site-types.ts'

const models: readonly (readonly [manufacturer: string, model: string, wattage: number])[] = [
  ['REC', 'Alpha Pure-R 430', 430],
  ['Qcells', 'Q.PEAK DUO BLK ML-G10+ 410', 410],
  ['Silfab', 'SIL-420 BG', 420],
  ['Canadian Solar', 'HiKu6 CS6R-405MS', 405],
]

/** The company's module library. */
export const sampleModules = models.map(([manufacturer, model, wattage], index) => ({
  id: `module-${index + 1}`,
  manufacturer,
  model,
  wattage,
  name: `${manufacturer} ${model}`,
}))

/** The fields of a valid body that an order depends on. */
export interface OrderBody {
  readonly projectId: string
  readonly status: string
  readonly tierLevel: string
  readonly isExpedited: boolean
  readonly form: Readonly<Record<string, unknown>>
}

/** The service requests of all projects. */
export class OrderBook {
  readonly #seed: string
  readonly #nowMs: () => number
  #orders: SampleOrder[] = []
  /** Orders that are not listed yet; null unless orders are recorded late. */
  #late: SampleOrder[] | null = null
  #added = 0

  constructor(seed: string, site: SampleSite, existing: number, nowMs: () => number) {
    this.#seed = seed
    this.#nowMs = nowMs
    const statuses = ['ordered', 'inProgress', 'completed'] as const
    for (let index = 0; index < existing; index++) {
      const project = site.projects[index % site.projects.length]
      if (!project) break
      const placedAt = Date.parse(project.createdAt) + (3 + index) * 86_400_000
      const status = statuses[index % statuses.length] ?? 'ordered'
      this.#add({ ...exampleOrder(project), status }, project, placedAt)
    }
  }

  /** All orders, oldest first. */
  get all(): readonly SampleOrder[] {
    return this.#orders
  }

  /** The user who places all orders. */
  get userId(): string {
    return companyId(this.#seed, 'user')
  }

  of(projectId: string): readonly SampleOrder[] {
    return this.#orders.filter(({ project }) => project.id === projectId)
  }

  place(body: OrderBody, project: SampleProject): SampleOrder {
    return this.#add(body, project, this.#nowMs())
  }

  /** Lists new orders only once the returned function is called, as a service does that works on a backlog. */
  recordLate(): () => void {
    this.#late ??= []
    return () => {
      this.#orders.push(...(this.#late ?? []))
      this.#late = null
    }
  }

  /** Sets an order's status. Throws a RangeError if there is no such order. */
  setStatus(orderId: string, status: string): SampleOrder {
    const order = this.#orders.find(({ id }) => id === orderId)
    if (!order) throw new RangeError(`There is no order ${orderId}`)
    const changed = { ...order, status, updatedAt: new Date(this.#nowMs()).toISOString() }
    this.#orders = this.#orders.map((one) => (one === order ? changed : one))
    return changed
  }

  #add(body: OrderBody, project: SampleProject, placedAtMs: number): SampleOrder {
    const order = createOrder(this.#seed, this.#added++, body, project, placedAtMs)
    ;(this.#late ?? this.#orders).push(order)
    return order
  }
}

function companyId(seed: string, what: string): string {
  return sampleId(`${seed}/${what}`, Date.UTC(2025, 2, 4))
}

export type SampleOrder = Readonly<ReturnType<typeof createOrder>>

/** Returns an order as the service returns it (the service's specification, section 2.3). */
function createOrder(seed: string, number: number, body: OrderBody, project: SampleProject, placedAtMs: number) {
  const key = `${seed}/order/${number}`
  const { firstName, lastName } = choosePerson(new SeededRandom(`${seed}/company`))
  const placedAt = new Date(placedAtMs).toISOString()
  return {
    id: sampleId(key, placedAtMs),
    companyName: 'Brightline Solar (sample)',
    projectDesign: { id: sampleId(`${key}/design`, placedAtMs) },
    userInfo: {
      id: companyId(seed, 'user'),
      firstName,
      lastName,
      email: `${firstName}.${lastName}@brightline.example`.toLowerCase(),
    },
    status: body.status,
    tierLevel: body.tierLevel,
    addOns: [] as readonly unknown[],
    form: body.form,
    designServiceProviderId: companyId(seed, 'provider'),
    designServiceProviderName: 'Sample Design Services',
    isExpedited: body.isExpedited,
    isAutomated: false,
    createdAt: placedAt,
    updatedAt: placedAt,
    project: { id: project.id, name: project.name, status: project.status, mode: project.mode },
    company: { id: companyId(seed, 'company') },
    modelRevisionCount: '0',
  }
}

/** Returns a body that the service accepts, for a project of the sample. */
export function exampleOrder(project: Pick<SampleProject, 'id' | 'address' | 'homeownerName'>) {
  return {
    projectId: project.id,
    status: 'ordered',
    tierLevel: 'maxFill',
    upgrade: false,
    isExpedited: false,
    form: {
      sizedForCategory: 'consumption',
      sizedForValue: '100',
      fireSetbacks: { ridge: 18, eave: 'undefined', rake: 'undefined', valley: 6, hip: 'undefined' },
      obstructionSetbacks: {
        vents: 5,
        exhaust: 'undefined',
        skylights: 'undefined',
        parapet: 12,
        general: 'undefined',
      },
      projectAddress: project.address,
      homeownerName: project.homeownerName,
      designOneModule: 'REC Alpha Pure-R 430',
      moduleOrientation: 'portrait',
      mixedOrientation: 'yes',
      moduleSpacingLong: '1',
      moduleSpacingShort: '0.5',
      azimuthRangeStart: '90',
      azimuthRangeEnd: '270',
      newBuildPlansRequired: false,
      isCommercialZone: false,
      negativeTolerance: null,
      positiveTolerance: 5,
    },
  }
}
