import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SEVERAL_FORMS, SEVERAL_LETTERS } from '../support/field-forms.ts'
import { fieldUses } from '../support/field-table.ts'

// One form for one name: over all replies of the routes and all frames of the sockets.

const uses = fieldUses()

/** The values of a field of each use, by the name of the field. */
function byName(of: (use: (typeof uses)[number]) => readonly string[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const use of uses) {
    const values = found.get(use.name) ?? new Set()
    for (const value of of(use)) values.add(value)
    found.set(use.name, values)
  }
  return found
}

test('a field has one form under one name, but where a client or a reason fixes others', () => {
  const forms = byName(({ form }) => [form])
  assert.ok(forms.size > 600 && uses.length > 3000, 'fields are found')
  const several = [...forms].filter(([, values]) => values.size > 1)
  assert.deepEqual(
    Object.fromEntries(several.map(([name, values]) => [name, [...values].sort()])),
    Object.fromEntries(
      Object.entries(SEVERAL_FORMS).map(([name, [, ...known]]) => [name, [...known].sort()]),
    ),
  )
})

test('words of one field are written alike', () => {
  const unlike = [...byName(({ words }) => words)].filter(([, words]) => {
    return new Set([...words].map((word) => word.toLowerCase())).size < words.size
  })
  assert.deepEqual(unlike.map(([name]) => name).sort(), Object.keys(SEVERAL_LETTERS))
})

test('a side of an order is BUY or SELL, or the signed number', () => {
  const others = uses.filter(({ name, words }) => {
    return name === 'side' && words.some((word) => word !== 'BUY' && word !== 'SELL')
  })
  // The board says which outcome is held, a proof where the neighbour stands.
  const known = /biggest-positions|solvency\/proof/
  assert.deepEqual(
    others.filter(({ at }) => !known.test(at)),
    [],
  )
})

test('an order has the same fields and forms wherever it is shown', () => {
  const places = {
    one: 'GET /orders/:orderId order',
    list: 'GET /orders data',
    placed: 'POST /orders order',
    status: 'POST /orders/status/batch results data order',
    replaced: 'POST /orders/cancel-replace replacement data order',
    ofMarket: 'GET /markets/:slug/user-orders',
    live: 'GET /portfolio/positions clob orders liveOrders',
  }
  const formsAt = (place: string) => {
    const own = uses.filter(({ at }) => at === place)
    return Object.fromEntries(own.map(({ name, form }) => [name, form]))
  }
  const { side, ...order } = formsAt(places.one)
  assert.ok(side === 'integer' && Object.keys(order).length > 25)
  for (const place of Object.values(places)) {
    const { side: _side, ...shown } = formsAt(place)
    assert.deepEqual(shown, order, place)
  }
})
