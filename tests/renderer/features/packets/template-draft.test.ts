import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  emptySlot,
  freeId,
  freeTitle,
  importProblem,
  slotProblems,
  titleProblem,
  toDraft,
  toTemplate,
} from '../../../../renderer/features/packets/template-draft.ts'
import { builtInTemplates } from '../../../../shared/packet-templates.ts'
import { packetTemplateSchema } from '../../../../shared/packets.ts'

test('a template that is edited and not changed stays the same', () => {
  for (const template of builtInTemplates) expect(toTemplate(toDraft(template), template.id)).toEqual(template)
})

test('whatever is typed, a draft has a problem or becomes a template that the schema accepts', () => {
  const digits = fc.oneof(fc.constant(''), fc.integer({ min: -1, max: 600 }).map(String), fc.string({ maxLength: 4 }))
  const words = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('meter* -gas', '-gas', '*', 'panel\n\ncover'))
  const slot = fc.record({
    title: fc.oneof(fc.string({ maxLength: 130, unit: 'grapheme' }), fc.constantFrom('Roof', 'roof', 'Dach über')),
    instructions: fc.string({ maxLength: 1_010 }),
    minPhotos: digits,
    maxPhotos: digits,
    required: fc.boolean(),
    notPartOfSurvey: fc.boolean(),
    patterns: fc.array(words, { maxLength: 22 }).map((lines) => lines.join('\n')),
  })
  fc.assert(
    fc.property(fc.string(), fc.array(slot, { minLength: 1, maxLength: 4 }), (title, typed) => {
      const slots = typed.map((fields) => ({ ...emptySlot(), ...fields })).filter((one) => isFine(one))
      const draft = { title, slots: slots.length === 0 ? [{ ...emptySlot(), title: 'Roof' }] : slots }
      if (titleProblem(draft) !== null) return
      const template = toTemplate(draft, freeId(title, new Set()))
      expect(packetTemplateSchema.parse(template)).toEqual(template)
    }),
  )
})

const isFine = (slot: Parameters<typeof slotProblems>[0]) => Object.keys(slotProblems(slot)).length === 0

test('an ID is made of the title, and is a free one', () => {
  expect(freeId('Größe & Maß der Tür', new Set())).toBe('gro-e-ma-der-tur')
  expect(freeId('屋根', new Set())).toBe('slot')
  expect(freeId('Main panel', new Set(['main-panel', 'main-panel-2']))).toBe('main-panel-3')
})

test('an imported template keeps its title or gets a free one, and a refused one says where it is wrong', () => {
  const titles = ['Permit photos', 'permit photos (2)', 'x'.repeat(120)].map((title) => ({ title }))
  expect(freeTitle('County', titles)).toBe('County')
  expect(freeTitle(' PERMIT photos ', titles)).toBe('PERMIT photos (3)')
  expect(freeTitle('x'.repeat(120), titles)).toBe(`${'x'.repeat(116)} (2)`)
  const issues = [{ path: ['template', 'slots', 0, 'title'], problem: 'Too small' }]
  expect(importProblem('a.json', { issues })).toMatch(/^a\.json is not a template at slots\.0\.title: Too small\./)
  for (const details of [undefined, {}, { issues: [] }, { issues: [{ path: 'x', problem: 1 }] }]) {
    expect(importProblem('a.json', details)).toBeNull()
  }
})
