import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BULKHEADS, LIMITS } from '../../../../../engine/domain/limits.ts'
import { Bulkheads, type Guest } from '../../../../../server/edge/http/gateway/bulkheads.ts'

// As many addresses or profiles as could fill a bulkhead, each with its maximum, leave others
// a place.

const guestOf = (address: string): Guest => ({ address, bulkhead: null, profileId: 0 })

for (const name of BULKHEADS) {
  const { all, address, profile } = LIMITS.bulkheads[name]

  test(`addresses that take all they may leave others a place in the bulkhead ${name}`, () => {
    const bulkheads = new Bulkheads()
    for (let from = 0; from < Math.ceil(all / address); from++) {
      let taken = 0
      for (; bulkheads.refusal(name, `10.0.0.${from}`) === null; taken++) {
        bulkheads.enter(guestOf(`10.0.0.${from}`), name)
      }
      if (from === 0) assert.equal(taken, address, 'the first has its most')
    }
    assert.ok(bulkheads.countOf(name) < all)
    assert.equal(bulkheads.refusal(name, '192.0.2.1'), null)
  })

  test(`profiles that take all they may leave others a place in the bulkhead ${name}`, () => {
    const bulkheads = new Bulkheads()
    const knows = (profileId: number) => {
      const guest = guestOf('')
      bulkheads.enter(guest, name)
      const refused = bulkheads.known(guest, profileId)
      if (refused !== null) bulkheads.leave(guest)
      return refused === null
    }
    for (let profileId = 1; profileId <= Math.ceil(all / profile); profileId++) {
      let taken = 0
      while (bulkheads.countOf(name) < all && knows(profileId)) taken++
      if (profileId === 1) assert.equal(taken, profile, 'the first has its most')
    }
    assert.ok(bulkheads.countOf(name) < all)
    assert.ok(knows(999))
  })
}
