import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { Registrations } from '../../../server/auth/registrations.ts'

const HOUR_MS = 3_600_000
const NOON_MS = Date.UTC(2026, 10, 21, 12)

test('an address may make a bounded number of profiles each day', () => {
  const registrations = new Registrations({ isOpen: true, perAddressMax: 3 })
  for (let each = 0; each < 3; each++) assert.equal(registrations.take('10.0.0.1', NOON_MS), null)
  const refused = registrations.take('10.0.0.1', NOON_MS)
  assert.equal(refused?.name, 'REGISTRATION_LIMIT')
  assert.equal(refused?.status, 429)
  assert.equal(refused?.retryAfterSec, (12 * HOUR_MS) / 1000)
  assert.equal(registrations.take('10.0.0.2', NOON_MS), null)
  assert.notEqual(registrations.take('10.0.0.1', NOON_MS + 12 * HOUR_MS - 1), null)
  assert.equal(registrations.take('10.0.0.1', NOON_MS + 12 * HOUR_MS), null)
})

test('the first 64 bits of an IPv6 address count as one caller', () => {
  const registrations = new Registrations({ isOpen: true, perAddressMax: 1 })
  const address = (subnet: string, host: string) =>
    `2001:0db8:0000:${subnet}:0000:0000:0000:${host}`
  assert.equal(registrations.take(address('0001', '0001'), NOON_MS), null)
  assert.notEqual(registrations.take(address('0001', 'ffff'), NOON_MS), null)
  assert.equal(registrations.take(address('0002', '0001'), NOON_MS), null)
})

test('nobody registers where registration is closed', () => {
  const registrations = new Registrations({ isOpen: false, perAddressMax: 3 })
  const refused = registrations.take('10.0.0.1', NOON_MS)
  assert.equal(refused?.name, 'REGISTRATION_CLOSED')
  assert.equal(refused?.status, 403)
})

test('a flood of addresses locks nobody out: the count of the oldest is forgotten', () => {
  const registrations = new Registrations({ isOpen: true, perAddressMax: 1 })
  for (let each = 0; each <= LIMITS.registrationAddressesMax; each++) {
    assert.equal(registrations.take(`address ${each}`, NOON_MS), null)
  }
  assert.equal(registrations.take('address 0', NOON_MS), null)
  assert.notEqual(registrations.take(`address ${LIMITS.registrationAddressesMax}`, NOON_MS), null)
})
