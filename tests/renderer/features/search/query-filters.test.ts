import { expect, test } from 'vitest'
import {
  filteredKinds,
  filterValue,
  hasFilters,
  isMissingOnly,
  withFilter,
  withoutFilters,
  withProject,
} from '../../../../renderer/features/search/query-filters.ts'

test('filters are read from a query, and are written before its words, the last of which is being typed', () => {
  const query = 'kind:Photos,report project:"Delgado house" main "not kind:x" -status:draft pan'
  expect(filteredKinds(query)).toEqual(['photo', 'report'])
  expect(filterValue(query, 'project')).toBe('Delgado house')
  expect(filterValue(query, 'status')).toBeNull()
  expect(withFilter(query, 'kind', 'answer')).toBe(
    'project:"Delgado house" kind:answer main "not kind:x" -status:draft pan',
  )
  expect(withoutFilters(query)).toBe('main "not kind:x" -status:draft pan')
})

test('a project is named, or has its ID if its name has what no value can have', () => {
  const named = (name: string) => withProject('project:other pan', { id: '64b5f0c2', name })
  expect(named('Maple')).toBe('project:Maple pan')
  expect(named('O’Brien lot 7')).toBe('project:"O’Brien lot 7" pan')
  expect(named('O’Brien "lot 7"')).toBe('project:64b5f0c2 pan')
  expect(named('“Maple”')).toBe('project:64b5f0c2 pan')
  expect(named('Núñez  garage')).toBe('project:"Núñez  garage" pan')
  // The search reads these as spaces, or without spaces at the ends.
  for (const name of [' Maple', 'Maple ', 'Maple\tlot', 'Maple\u0007', 'Maple \uE000', 'Maple \uD800', ' '])
    expect(named(name)).toBe('project:64b5f0c2 pan')
})

test('"missing" is a filter unless it is in quotes or excluded', () => {
  expect(isMissingOnly('Missing roof')).toBe(true)
  expect(isMissingOnly('"missing" roof')).toBe(false)
  expect(hasFilters('-missing roof')).toBe(false)
  expect(withFilter('roof', 'missing', '')).toBe('missing roof')
  expect(withFilter('missing roof', 'missing', null)).toBe('roof')
})
