/**
 * Every field of an order (the service's specification, sections 2.1 and 2.2): its path in the payload, label, default,
 * and limits. The form, the command line, and the CSV import take their rules from here.
 *
 * A field is named by the last part of its path, which is unique: `ridge` for `form.fireSetbacks.ridge`.
 */
export const setbackNames = {
  fire: ['ridge', 'eave', 'rake', 'valley', 'hip'],
  obstruction: ['vents', 'exhaust', 'skylights', 'parapet', 'general'],
} as const
export type SetbackName = (typeof setbackNames)[keyof typeof setbackNames][number]

const setbacks: ReadonlySet<string> = new Set(Object.values(setbackNames).flat())
export const isSetback = (name: string): name is SetbackName => setbacks.has(name)

/** The service's value for "use the default" of a setback: literally this text, because JSON has no undefined. */
export const defaultSetback = 'undefined'

/** Returns whether a setback's text asks for the default. */
export const isDefaultSetback = (text: string): boolean => /^(undefined|default)?$/i.test(text.trim())

/**
 * Rule of a field. Where the specification sets no limit, an unusual value is a warning (see `orderWarnings`), and only
 * what cannot be meant is an error.
 */
export type FieldRule =
  | { readonly kind: 'project-id' }
  /** One line of text. */
  | { readonly kind: 'text'; readonly maxLength: number }
  /** The specification does not publish the full set: known values, and any other that the service has announced. */
  | { readonly kind: 'open-choice'; readonly known: readonly string[]; readonly maxLength: number }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'yes-no' }
  /** A number that is sent as text. `above` is exclusive; `min` and `max` are inclusive. */
  | {
      readonly kind: 'number'
      readonly min?: number
      readonly above?: number
      readonly max?: number
      readonly unit: string | null
    }
  /** Inches, sent as a number, or the default. */
  | { readonly kind: 'setback' }
  /** A number, or empty text, which is sent as null. */
  | { readonly kind: 'tolerance' }

export interface OrderField {
  /** Path in the payload. */
  readonly path: readonly string[]
  readonly label: string
  readonly rule: FieldRule
  /** Instruction for a required field without a value; by default made of the label. */
  readonly missing?: string
  /** Default as text; undefined if the field is required. */
  readonly default?: string
}

const inForm = (name: string) => ['form', name]
const setbackRule = { kind: 'setback' } as const
const setback = (group: string, name: SetbackName, label: string) =>
  ({ path: ['form', group, name], label, rule: setbackRule, default: defaultSetback }) as const
const inches = { kind: 'number', unit: 'in' } as const
const degrees = { kind: 'number', min: 0, max: 360, unit: '°' } as const
const yesNo = { kind: 'yes-no' } as const
const tolerance = { kind: 'tolerance' } as const

/** In the order of the form. */
export const orderFields = {
  projectId: { path: ['projectId'], label: 'Project', rule: { kind: 'project-id' }, missing: 'Choose a project' },
  homeownerName: {
    path: inForm('homeownerName'),
    label: 'Homeowner',
    rule: { kind: 'text', maxLength: 200 },
    missing: 'Enter the homeowner’s name',
  },
  projectAddress: {
    path: inForm('projectAddress'),
    label: 'Address',
    rule: { kind: 'text', maxLength: 300 },
    missing: 'Enter the project’s address',
  },
  tierLevel: {
    path: ['tierLevel'],
    label: 'Tier',
    missing: 'Choose a tier',
    rule: { kind: 'open-choice', known: ['maxFill'], maxLength: 100 },
  },
  sizedForCategory: {
    path: inForm('sizedForCategory'),
    label: 'Sized for',
    missing: 'Choose what the design is sized for',
    rule: { kind: 'open-choice', known: ['consumption', 'production', 'systemSize'], maxLength: 100 },
  },
  sizedForValue: {
    path: inForm('sizedForValue'),
    label: 'Target',
    missing: 'Enter the target of the design',
    rule: { kind: 'number', above: 0, max: 10_000_000, unit: null },
  },
  negativeTolerance: { path: inForm('negativeTolerance'), label: 'Tolerance below', rule: tolerance, default: '' },
  positiveTolerance: { path: inForm('positiveTolerance'), label: 'Tolerance above', rule: tolerance, default: '' },
  isExpedited: { path: ['isExpedited'], label: 'Expedited', rule: yesNo, default: 'no' },
  upgrade: { path: ['upgrade'], label: 'Upgrade of an earlier design', rule: yesNo, default: 'no' },
  designOneModule: {
    path: inForm('designOneModule'),
    label: 'Module',
    rule: { kind: 'text', maxLength: 200 },
    missing: 'Choose a module',
  },
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
  moduleSpacingShort: {
    path: inForm('moduleSpacingShort'),
    label: 'Spacing, short edge',
    rule: inches,
    missing: 'Enter the spacing along the short edge',
  },
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
const siteFields: ReadonlySet<string> = new Set<OrderFieldName>(['projectId', 'homeownerName', 'projectAddress'])
/**
 * Returns whether a field describes the site. Such a field belongs to one order: it is in no preset, and in no copy for
 * another project.
 */
export const isSiteField = (name: string): boolean => siteFields.has(name)

export const fieldOf = (name: OrderFieldName): OrderField => orderFields[name]

export const orderFieldNames = Object.keys(orderFields) as OrderFieldName[]

/** Values as typed, or as cells of a CSV file. A missing field takes its default. */
export type OrderTexts = Readonly<Partial<Record<OrderFieldName, string>>>

/** Returns a field's path in dotted form: `form.fireSetbacks.ridge`. */
export function fieldPath(name: OrderFieldName): string {
  return orderFields[name].path.join('.')
}

/** A problem or warning about a field, as a sentence. */
export interface FieldNote {
  readonly field: OrderFieldName
  readonly message: string
}

/** Returns what to do about a required field without a value. */
export function missingMessage({ label, missing }: OrderField): string {
  return missing ?? `Enter a value for “${label}”`
}

const knownValues: Readonly<Record<string, string>> = {
  maxFill: 'Max fill',
  consumption: 'Consumption',
  production: 'Production',
  systemSize: 'System size',
  portrait: 'Portrait',
  landscape: 'Landscape',
  yes: 'Yes',
  no: 'No',
}

/** Returns the label of a choice; an unknown value unchanged. */
export function choiceLabel(value: string): string {
  return knownValues[value] ?? value
}

/** Returns a number with its unit: `24 in`, `90°`. */
export function withUnit(text: string, unit: string | null): string {
  if (unit === null) return text
  return unit === '°' || unit === '%' ? `${text}${unit}` : `${text} ${unit}`
}

/** Normalizes a value that people may write in several words: `Max fill` for `maxFill`. */
const inOneWord = (text: string) => text.replaceAll(/[\s_-]/g, '').toLowerCase()

/** Returns the known value that a text is, regardless of case and blanks, or `undefined`. */
export function knownChoice(text: string, known: readonly string[]): string | undefined {
  return known.find((value) => inOneWord(value) === inOneWord(text))
}
