import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMatcher, isPattern } from '../../shared/match-labels.ts'
import { builtInTemplateIds } from '../../shared/packet-names.ts'
import { builtInTemplates } from '../../shared/packet-templates.ts'
import { packetTemplateSchema } from '../../shared/packets.ts'
import { checklistTemplates } from '../../electron/sample-service/site/checklist-templates.ts'
import { expectLinear } from '../support/expect-linear.ts'

const matches = (patterns: string | string[], question: string, section = '') =>
  createMatcher([patterns].flat())({ section, question })

test('a pattern is words in any order, whatever their case and accents, with asterisks and excluded words', () => {
  expect(matches('panel cover off', 'Main service panel, cover OFF')).toBe(true)
  expect(matches('panel cover off', 'Main panel, cover on')).toBe(false)
  expect(matches('attic rafter*', 'Rafters and sheathing', 'Attic')).toBe(true)
  expect(matches('meter', 'Parameter')).toBe(false)
  expect(matches('*meter', 'Parameter')).toBe(true)
  expect(matches('meter -gas', 'Gas meter')).toBe(false)
  expect(matches('meter -gas', 'Electric meter')).toBe(true)
  expect(matches('close-up', 'Close up of the label')).toBe(true)
  expect(matches('grosse', 'Größe')).toBe(false)
  expect(matches('GRÖSSE', 'Grosse der Sicherung')).toBe(true)
  expect(matches('счётчик*', 'Счетчики', 'Электрика')).toBe(true)
  expect(matches('a*b*c', 'axxbyyc')).toBe(true)
  expect(matches('a*a', 'a')).toBe(false)
  expect(matches(['one', 'two'], 'two')).toBe(true)
  expect(matches([], 'anything')).toBe(false)
})

test.for(['', '*', '-roof', '** -a', ' , '])('%j is no pattern: it would match everything', (text) => {
  expect(isPattern(text)).toBe(false)
  expect(matches(text, 'Roof')).toBe(false)
})

const word = fc.stringMatching(/^[a-z0-9]{1,8}$/)

test('a label matches the pattern of its own words, in any order, with parts of them left out', () => {
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(7), { maxLength: 8 }),
      fc.constantFrom(' ', ', ', ' / ', '-'),
      (words, cuts, space) => {
        const label = words.join(space).toUpperCase()
        const pattern = words
          .map((text, index) => (cuts[index] === undefined ? text : `${text.slice(0, cuts[index] + 1)}*`))
          .reverse()
          .join(' ')
        expect(matches(pattern, label)).toBe(true)
        expect(matches(`${pattern} -${words[0]}`, label)).toBe(false)
        expect(matches(`${pattern} ${'x'.repeat(9)}`, label)).toBe(false)
      },
    ),
  )
})

test('a word with asterisks matches as the regular expression of its parts does', () => {
  const parts = fc.array(fc.stringMatching(/^[ab]{0,3}$/), { minLength: 2, maxLength: 4 })
  fc.assert(
    fc.property(parts, fc.stringMatching(/^[ab]{1,8}$/), (pieces, text) => {
      fc.pre(pieces.some((piece) => piece !== ''))
      expect(matches(pieces.join('*'), text)).toBe(new RegExp(`^${pieces.join('.*')}$`).test(text))
    }),
  )
})

test('hostile labels and patterns take no time', () => {
  const pattern = `${'*a'.repeat(48)}b`
  expectLinear(
    (length) => matches(Array<string>(20).fill(pattern), 'a'.repeat(length), '\u202e'.repeat(length)),
    50_000,
  )
})

test('each built-in template has a known name, and matches the questions of survey checklists that it means', () => {
  expect(builtInTemplates.map(({ id }) => id)).toEqual(builtInTemplateIds)
  for (const template of builtInTemplates) expect(packetTemplateSchema.parse(template)).toEqual(template)
  const labels = checklistTemplates.flatMap(({ sections }) =>
    sections.flatMap(({ label: section, questions }) =>
      questions.filter(({ kind }) => kind === 'photo').map(({ label: question }) => ({ section, question })),
    ),
  )
  const filled = (templateId: string) =>
    Object.fromEntries(
      (builtInTemplates.find(({ id }) => id === templateId)?.slots ?? []).map(({ id, patterns }) => [
        id,
        labels.filter(createMatcher(patterns)).map(({ question }) => question),
      ]),
    )
  expect(filled('financing-site-survey')).toMatchObject({
    'house-front': ['House from the street'],
    'roof-planes': ['Roof planes to be used', 'Every roof plane'],
    'attic-framing': ['Rafters and sheathing', 'No daylight at lag bolts', 'Water stains'],
    'main-panel': ['Main service panel, cover off', 'Existing panel and directory'],
    'main-breaker': ['Main breaker rating'],
    'panel-label': ['Existing panel and directory'],
    'utility-meter': ['Utility meter', 'Meter and disconnect', 'Meter and riser'],
    shading: ['Trees and shading'],
    'site-plan': [],
  })
  expect(filled('permit-photos')).toMatchObject({
    obstructions: ['Obstructions and vents'],
    grounding: ['Grounding electrode'],
    inverter: ['Inverter location', 'Inverter commissioned'],
  })
  expect(filled('warranty-claim')).toMatchObject({
    defect: ['Damage and repairs'],
    array: ['Finished array'],
    flashing: ['Attachment layout marked', 'Flashing and penetrations'],
    leaks: ['No daylight at lag bolts', 'Water stains'],
  })
  expect(filled('interconnection')).toMatchObject({
    'ac-disconnect': ['Meter and disconnect'],
    'backfeed-breaker': ['Breaker space for the backfeed'],
    'warning-labels': ['Warning labels in place'],
  })
  for (const question of ['Main panel - dead front removed', 'MSP: Deadfront OFF', 'Main electrical panel (open)']) {
    expect(createMatcher(builtInTemplates[0]?.slots[4]?.patterns ?? [])({ section: 'Electrical', question })).toBe(true)
  }
})

test('a template is refused if it is not one', () => {
  const slot = { id: 'a', title: 'A', patterns: ['roof'] }
  const template = { id: 'ours', title: 'Ours', slots: [slot] }
  expect(packetTemplateSchema.safeParse(template).success).toBe(true)
  for (const wrong of [
    { ...template, slots: [] },
    { ...template, id: '../ours' },
    { ...template, id: 'Ours' },
    { ...template, title: ' ' },
    { ...template, more: 1 },
    { ...template, slots: [slot, slot] },
    { ...template, slots: Array.from({ length: 61 }, (_, index) => ({ ...slot, id: `s${index}` })) },
    { ...template, slots: [{ ...slot, patterns: ['*'] }] },
    { ...template, slots: [{ ...slot, patterns: ['a'.repeat(101)] }] },
    { ...template, slots: [{ ...slot, minPhotos: 3, maxPhotos: 2 }] },
    { ...template, slots: [{ ...slot, minPhotos: 0 }] },
    { ...template, slots: [{ ...slot, notPartOfSurvey: true }] },
    { ...template, slots: [{ id: 'a', title: 'A', notPartOfSurvey: true }] },
    { ...template, slots: [{ ...slot, instructions: 'a'.repeat(1001) }] },
  ]) {
    expect(packetTemplateSchema.safeParse(wrong).success).toBe(false)
  }
})
