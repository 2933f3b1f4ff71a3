import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS, ROOMS } from '../../../../../engine/domain/limits.ts'
import { type Guest, Rooms } from '../../../../../server/edge/http/gateway/rooms.ts'

// As many addresses or profiles as filled a room when each might have its most of it leave others
// a place.

const guestOf = (address: string): Guest => ({ address, room: null, profileId: 0 })

for (const name of ROOMS) {
  const { all, address, profile } = LIMITS.rooms[name]

  test(`addresses that take all they may leave others a place in the room of ${name}`, () => {
    const rooms = new Rooms()
    for (let from = 0; from < Math.ceil(all / address); from++) {
      let taken = 0
      for (; rooms.refusal(name, `10.0.0.${from}`) === null; taken++) {
        rooms.enter(guestOf(`10.0.0.${from}`), name)
      }
      if (from === 0) assert.equal(taken, address, 'the first has its most')
    }
    assert.ok(rooms.countOf(name) < all)
    assert.equal(rooms.refusal(name, '192.0.2.1'), null)
  })

  test(`profiles that take all they may leave others a place in the room of ${name}`, () => {
    const rooms = new Rooms()
    const knows = (profileId: number) => {
      const guest = guestOf('')
      rooms.enter(guest, name)
      const refused = rooms.known(guest, profileId)
      if (refused !== null) rooms.leave(guest)
      return refused === null
    }
    for (let profileId = 1; profileId <= Math.ceil(all / profile); profileId++) {
      let taken = 0
      while (rooms.countOf(name) < all && knows(profileId)) taken++
      if (profileId === 1) assert.equal(taken, profile, 'the first has its most')
    }
    assert.ok(rooms.countOf(name) < all)
    assert.ok(knows(999))
  })
}
