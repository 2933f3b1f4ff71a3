import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import {
  ConnectionCounts,
  ConnectionSlot,
} from '../../../../server/edge/sockets/connection-counts.ts'
import { SOCKET_BOUNDS } from '../../../../server/edge/sockets/socket-gateway.ts'

// As many owners as once took all sockets, or all markets of subscriptions, leave others a place.

const ANONYMOUS = 0

function enters(
  connectionCounts: ConnectionCounts,
  address: string,
  profileId = ANONYMOUS,
): ConnectionSlot | null {
  if (connectionCounts.listenerFull(address) !== null) return null
  const connectionSlot = connectionCounts.connectionSlotFor({ address, profileId })
  if (!(connectionSlot instanceof ConnectionSlot) || connectionSlot.isOver) return null
  connectionSlot.entered()
  return connectionSlot
}

test('addresses that open all sockets they may leave others theirs', () => {
  const connectionCounts = new ConnectionCounts(SOCKET_BOUNDS)
  const { anonymousMax, perAddressMax } = SOCKET_BOUNDS
  for (let from = 0; from < Math.ceil(anonymousMax / perAddressMax); from++) {
    let opened = 0
    while (enters(connectionCounts, `10.0.0.${from}`) !== null) opened++
    if (from === 0) assert.equal(opened, perAddressMax, 'the first has its most')
  }
  assert.ok(connectionCounts.anonymous < anonymousMax)
  assert.notEqual(enters(connectionCounts, '192.0.2.1'), null)
})

test('profiles that open all sockets they may leave others theirs', () => {
  const connectionCounts = new ConnectionCounts(SOCKET_BOUNDS)
  const { socketsMax, perProfileMax } = SOCKET_BOUNDS
  for (let profileId = 1; profileId <= Math.ceil(socketsMax / perProfileMax); profileId++) {
    let opened = 0
    while (enters(connectionCounts, '', profileId) !== null) opened++
    if (profileId === 1) assert.equal(opened, perProfileMax, 'the first has its most')
  }
  assert.ok(connectionCounts.signed < socketsMax)
  assert.notEqual(enters(connectionCounts, '', 999), null)
})

test('addresses that subscribe to all markets they may leave others theirs', () => {
  const connectionCounts = new ConnectionCounts(SOCKET_BOUNDS)
  const { marketsPerAddressMax } = SOCKET_BOUNDS
  const some = LIMITS.socketMarketsMax
  const owners = Math.ceil(LIMITS.socketMarketsAllMax / marketsPerAddressMax) + 1
  for (let from = 0; from < owners; from++) {
    const connectionSlot = enters(connectionCounts, `10.0.0.${from}`)
    let held = 0
    while (connectionSlot?.holds({}, some) === true) held += some
    if (from === 0) assert.ok(held > marketsPerAddressMax - some)
  }
  assert.equal(enters(connectionCounts, '192.0.2.1')?.holds({}, some), true)
})
