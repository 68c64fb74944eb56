/**
 * Every field of an order once (specification, sections 2.1 and 2.2): where it stands in what is sent, what it is called, its
 * default and its limits. The form, the command line and the CSV import take their rules from here.
 *
 * A field is told by the last part of its path, which is unique: `ridge` for `form.fireSetbacks.ridge`.
 */
export const setbackNames = {
  fire: ['ridge', 'eave', 'rake', 'valley', 'hip'],
  obstruction: ['vents', 'exhaust', 'skylights', 'parapet', 'general'],
} as const
export type SetbackName = (typeof setbackNames)[keyof typeof setbackNames][number]

const setbacks: ReadonlySet<string> = new Set(Object.values(setbackNames).flat())
export const isSetback = (name: string): name is SetbackName => setbacks.has(name)

/** What the service takes for "use the default" of a setback: this very text, because JSON has no undefined. */
export const defaultSetback = 'undefined'

/** Whether what was typed for a setback asks for the default. */
export const isDefaultSetback = (text: string): boolean => /^(undefined|default)?$/i.test(text.trim())

/** Limits are ours where the specification has none: what lies beyond is a slip of the keyboard. */
export type FieldRule =
  | { readonly kind: 'project-id' }
  /** One line. */
  | { readonly kind: 'text'; readonly longest: number }
  /** The full set is not published: what is known, and whatever else a person was told. */
  | { readonly kind: 'open-choice'; readonly known: readonly string[]; readonly longest: number }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'yes-no' }
  /** A number that is sent as text. `above`: greater than that; `least` and `most`: or equal. */
  | {
      readonly kind: 'number'
      readonly least?: number
      readonly above?: number
      readonly most: number
      readonly unit: string | null
    }
  /** Inches, sent as a number, or the default. */
  | { readonly kind: 'setback'; readonly most: number }
  /** A number, or nothing, which is sent as null. */
  | { readonly kind: 'tolerance'; readonly most: number }

export interface OrderField {
  /** Where it stands in what is sent. */
  readonly path: readonly string[]
  readonly label: string
  readonly rule: FieldRule
  /** As it is typed; undefined: it has to be filled in. */
  readonly default?: string
}

const inForm = (name: string) => ['form', name]
const setbackRule = { kind: 'setback', most: 240 } as const
const setback = (group: string, name: SetbackName, label: string) =>
  ({ path: ['form', group, name], label, rule: setbackRule, default: defaultSetback }) as const
const inches = { kind: 'number', least: 0, most: 12, unit: 'in' } as const
const degrees = { kind: 'number', least: 0, most: 360, unit: '°' } as const
const yesNo = { kind: 'yes-no' } as const
const tolerance = { kind: 'tolerance', most: 100 } as const

/** In the order in which a person fills them in. */
export const orderFields = {
  projectId: { path: ['projectId'], label: 'Project', rule: { kind: 'project-id' } },
  homeownerName: { path: inForm('homeownerName'), label: 'Homeowner', rule: { kind: 'text', longest: 200 } },
  projectAddress: { path: inForm('projectAddress'), label: 'Address', rule: { kind: 'text', longest: 300 } },
  tierLevel: {
    path: ['tierLevel'],
    label: 'Tier',
    rule: { kind: 'open-choice', known: ['maxFill'], longest: 100 },
  },
  sizedForCategory: {
    path: inForm('sizedForCategory'),
    label: 'Sized for',
    rule: { kind: 'open-choice', known: ['consumption', 'production', 'systemSize'], longest: 100 },
  },
  sizedForValue: {
    path: inForm('sizedForValue'),
    label: 'Target',
    rule: { kind: 'number', above: 0, most: 10_000_000, unit: null },
  },
  negativeTolerance: { path: inForm('negativeTolerance'), label: 'Tolerance below', rule: tolerance, default: '' },
  positiveTolerance: { path: inForm('positiveTolerance'), label: 'Tolerance above', rule: tolerance, default: '' },
  isExpedited: { path: ['isExpedited'], label: 'Expedited', rule: yesNo, default: 'no' },
  upgrade: { path: ['upgrade'], label: 'Upgrade of an earlier design', rule: yesNo, default: 'no' },
  designOneModule: { path: inForm('designOneModule'), label: 'Module', rule: { kind: 'text', longest: 200 } },
  moduleOrientation: {
    path: inForm('moduleOrientation'),
    label: 'Module orientation',
    rule: { kind: 'choice', values: ['portrait', 'landscape'] },
    default: 'portrait',
  },
  mixedOrientation: {
    path: inForm('mixedOrientation'),
    label: 'Mixed orientation',
    rule: { kind: 'choice', values: ['yes', 'no'] },
    default: 'yes',
  },
  moduleSpacingLong: { path: inForm('moduleSpacingLong'), label: 'Spacing, long edge', rule: inches, default: '1' },
  moduleSpacingShort: { path: inForm('moduleSpacingShort'), label: 'Spacing, short edge', rule: inches },
  azimuthRangeStart: { path: inForm('azimuthRangeStart'), label: 'Azimuth from', rule: degrees, default: '0' },
  azimuthRangeEnd: { path: inForm('azimuthRangeEnd'), label: 'Azimuth to', rule: degrees, default: '360' },
  ridge: setback('fireSetbacks', 'ridge', 'Ridge'),
  eave: setback('fireSetbacks', 'eave', 'Eave'),
  rake: setback('fireSetbacks', 'rake', 'Rake'),
  valley: setback('fireSetbacks', 'valley', 'Valley'),
  hip: setback('fireSetbacks', 'hip', 'Hip'),
  vents: setback('obstructionSetbacks', 'vents', 'Vents'),
  exhaust: setback('obstructionSetbacks', 'exhaust', 'Exhaust'),
  skylights: setback('obstructionSetbacks', 'skylights', 'Skylights'),
  parapet: setback('obstructionSetbacks', 'parapet', 'Parapet'),
  general: setback('obstructionSetbacks', 'general', 'Other obstructions'),
  newBuildPlansRequired: {
    path: inForm('newBuildPlansRequired'),
    label: 'Plans for new construction required',
    rule: yesNo,
    default: 'no',
  },
  isCommercialZone: { path: inForm('isCommercialZone'), label: 'Commercial zone', rule: yesNo, default: 'no' },
} as const satisfies Record<string, OrderField>

export type OrderFieldName = keyof typeof orderFields
const ofHouse: ReadonlySet<string> = new Set<OrderFieldName>(['projectId', 'homeownerName', 'projectAddress'])
/** Whose house it is: of one order alone, in no preset and in no copy for another project. */
export const isOfHouse = (name: string): boolean => ofHouse.has(name)

/** What is known of a field, whichever it is. */
export const fieldOf = (name: OrderFieldName): OrderField => orderFields[name]

export const orderFieldNames = Object.keys(orderFields) as OrderFieldName[]

/** As typed, or as a cell of a CSV file has it. What is left out is the default. */
export type OrderTexts = Readonly<Partial<Record<OrderFieldName, string>>>

/** A field's path as people and the service write it: `form.fireSetbacks.ridge`. */
export function fieldPath(name: OrderFieldName): string {
  return orderFields[name].path.join('.')
}

/** What is wrong with a field, or worth a second look, as a sentence. */
export interface FieldNote {
  readonly field: OrderFieldName
  readonly message: string
}
