import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { orderFieldNames, type OrderFieldName } from '../../shared/order/order-fields.ts'
import { isExampleText, orderTemplateCsv } from '../../shared/order/order-template.ts'
import { readOrder } from '../../shared/order/order-payload.ts'

describe('the template of a list of orders', () => {
  const [header = [], example = [], ...more] = parse(orderTemplateCsv())
  const texts = Object.fromEntries(header.map((name, column) => [name, example[column] ?? '']))

  it('names every field, and has one example in which every field is right', () => {
    expect(header).toEqual(orderFieldNames)
    expect(more).toEqual([])
    expect(readOrder(texts)).toMatchObject({ ok: true, warnings: [] })
  })

  it('marks the values of a site as examples', () => {
    const marked = header.filter((name) => isExampleText(name as OrderFieldName, texts[name] ?? ''))
    expect(marked).toEqual(['projectId', 'homeownerName', 'projectAddress'])
  })
})
