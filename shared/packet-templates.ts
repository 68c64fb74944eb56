import type { PacketSlot, PacketTemplate } from './packets.ts'

type Slot = readonly [
  id: string,
  title: string,
  instructions: string,
  patterns: readonly string[],
  options?: { readonly required?: boolean; readonly minPhotos?: number; readonly maxPhotos?: number },
]

const houseFront: Slot = [
  'house-front',
  'House from the street',
  'The whole front of the house, with its number if it can be read.',
  ['house street', 'home street', 'front house', 'front home', 'front elevation', 'street view', 'house number'],
]
const roofPlanes: Slot = [
  'roof-planes',
  'Each roof plane',
  'One photo of every plane that gets modules, taken from a corner so that ridge and eave are visible.',
  ['roof plane*', 'roof face*', 'roof surface*', 'roof overview', 'array area*', 'array plane*'],
]
const attic: Slot = [
  'attic-framing',
  'Attic and framing',
  'Rafters or trusses with a tape measure for size and spacing, and the sheathing.',
  ['attic', 'rafter*', 'truss*', 'framing', 'sheathing', 'roof structure'],
]
const mainPanel: Slot = [
  'main-panel',
  'Main panel with cover off',
  'The whole panel with its cover removed: bus bars, main breaker, and all branch breakers.',
  [
    'panel cover off',
    'panel cover removed',
    'panel open*',
    'panel without cover',
    'dead front off',
    'dead front removed',
    'deadfront',
    'existing panel',
    'main panel inside',
  ],
]
const mainBreaker: Slot = [
  'main-breaker',
  'Main breaker label',
  'Close enough to read the amp rating on the breaker handle.',
  ['main breaker', 'breaker rating', 'main disconnect rating', 'main rating', 'breaker amp*'],
]
const panelLabel: Slot = [
  'panel-label',
  'Panel label and directory',
  'The label with bus rating and manufacturer, and the list of circuits.',
  ['panel label', 'panel directory', 'bus* rating', 'panel schedule', 'panel rating', 'circuit directory'],
  { required: false },
]
const meter: Slot = [
  'utility-meter',
  'Utility meter',
  'The meter with its number readable, and the service entrance above it.',
  ['meter -gas -water', 'service entrance', 'meter base'],
]
const grounding: Slot = [
  'grounding',
  'Grounding',
  'The ground rod or water pipe clamp, and the conductor to it.',
  ['ground* electrode', 'ground* rod', 'grounding', 'ground* conductor', 'water pipe bond*'],
  { required: false },
]
const inverter: Slot = [
  'inverter',
  'Inverter and its location',
  'The wall for the inverter with its surroundings, or the inverter with its label if it is there already.',
  ['inverter', 'equipment location', 'equipment wall', 'gateway location'],
]
const array: Slot = [
  'array',
  'Finished array',
  'The whole array, from as many sides as needed to count all modules.',
  [
    'finished array',
    'array complete*',
    'array overview',
    'installed array',
    'modules installed',
    'final array',
    'array after',
  ],
]
const outside: readonly (readonly [id: string, title: string, instructions: string])[] = [
  ['site-plan', 'Site plan', 'The drawing with house, array, equipment, and property lines.'],
  ['utility-bill', 'Utility bill', 'A bill from the last three months that shows the name, address, and meter number.'],
  ['plan-set', 'Plan set', 'The stamped drawings and calculations.'],
  ['single-line-diagram', 'Single-line diagram', 'The electrical diagram from the array to the meter.'],
  ['purchase-record', 'Proof of purchase', 'The invoice with the serial numbers.'],
  ['production-data', 'Production data', 'The monitoring report from before and after the fault.'],
  ['application', 'Interconnection application', "The utility's form, signed."],
]

const defaults = { instructions: '', minPhotos: 1, maxPhotos: null, required: true, notPartOfSurvey: false }

function notPartOfSurvey(...ids: readonly string[]): PacketSlot[] {
  return outside
    .filter(([id]) => ids.includes(id))
    .map(([id, title, instructions]) => ({
      ...defaults,
      id,
      title,
      instructions,
      patterns: [],
      required: false,
      notPartOfSurvey: true,
    }))
}

function slot([id, title, instructions, patterns, options = {}]: Slot): PacketSlot {
  return { ...defaults, id, title, instructions, patterns: [...patterns], ...options }
}

/** Templates that come with Solarchive. They cannot be changed, but copied. */
export const builtInTemplates: readonly PacketTemplate[] = [
  {
    id: 'financing-site-survey',
    title: 'Financing site survey',
    slots: [
      slot(houseFront),
      slot(roofPlanes),
      slot([
        'roof-condition',
        'Roof condition',
        'Close-ups of the roof covering, with any damage and earlier repairs.',
        [
          'shingle*',
          'roof condition',
          'roof covering',
          'roof damage*',
          'roof repair*',
          'tile condition',
          'roof material',
        ],
      ]),
      slot(attic),
      slot(mainPanel),
      slot(mainBreaker),
      slot(panelLabel),
      slot(meter),
      slot([
        'shading',
        'Trees and shading',
        'What shades the roof, from each side.',
        ['shad*', 'tree*', 'horizon'],
        { required: false },
      ]),
      ...notPartOfSurvey('site-plan', 'utility-bill'),
    ],
  },
  {
    id: 'permit-photos',
    title: 'Permit photos',
    slots: [
      slot(houseFront),
      slot(roofPlanes),
      slot([
        'obstructions',
        'Roof obstructions',
        'Vents, chimneys, and skylights, with their distance from the array.',
        ['obstruction*', 'vent*', 'chimney*', 'skylight*'],
        { required: false },
      ]),
      slot(attic),
      slot(mainPanel),
      slot(mainBreaker),
      slot(meter),
      slot(grounding),
      slot(inverter),
      ...notPartOfSurvey('site-plan', 'plan-set'),
    ],
  },
  {
    id: 'warranty-claim',
    title: 'Warranty claim',
    slots: [
      slot([
        'defect',
        'Defect or damage',
        'The defect from close by, and from far enough to see where it is.',
        ['damage*', 'defect*', 'fault*', 'crack*', 'broken', 'fail*', 'hot spot*'],
      ]),
      slot([
        'serial-numbers',
        'Serial numbers and nameplates',
        'Readable labels of the equipment in the claim.',
        ['serial*', 'nameplate*', 'name plate*', 'module label*', 'equipment label*', 'labels -warning'],
      ]),
      slot(array),
      slot(inverter),
      slot([
        'flashing',
        'Flashing and penetrations',
        'The roof attachments near the defect.',
        ['flashing*', 'penetration*', 'attachment*'],
        { required: false },
      ]),
      slot([
        'leaks',
        'Leaks from inside',
        'Stains, daylight, or moisture below the array.',
        ['stain*', 'leak*', 'daylight', 'moisture'],
        { required: false },
      ]),
      ...notPartOfSurvey('purchase-record', 'production-data'),
    ],
  },
  {
    id: 'interconnection',
    title: 'Interconnection',
    slots: [
      slot(meter),
      slot([
        'ac-disconnect',
        'AC disconnect',
        'The disconnect with its label, and its distance from the meter.',
        ['disconnect* -rating', 'ac switch'],
      ]),
      slot([
        'backfeed-breaker',
        'Backfeed breaker',
        'The solar breaker in the panel, or the space for it.',
        ['backfeed*', 'back fed', 'solar breaker', 'breaker space', 'pv breaker', 'point interconnection'],
      ]),
      { ...slot(mainPanel), required: false },
      slot(inverter),
      slot([
        'warning-labels',
        'Warning labels',
        'All placards at meter, panel, disconnect, and inverter.',
        ['warning label*', 'placard*', 'safety label*', 'labels place'],
      ]),
      slot(array),
      ...notPartOfSurvey('single-line-diagram', 'application'),
    ],
  },
]
