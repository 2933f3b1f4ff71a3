import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { PROFILES_RESERVED } from '../../../engine/domain/shared-tables.ts'
import { type RegistrationRules, Registrations } from '../../../server/auth/registrations.ts'

type Rules = Partial<RegistrationRules>

function withRules(rules: Rules, profileCount = 0) {
  const all = { isOpen: true, perAddressMax: 200, inAllMax: 20_000, ...rules }
  const registrations = new Registrations(all)
  return {
    take: (address: string, nowMs: number) => registrations.take(address, profileCount, nowMs),
  }
}

const HOUR_MS = 3_600_000
const NOON_MS = Date.UTC(2026, 10, 21, 12)

test('an address may make a bounded number of profiles each day', () => {
  const registrations = withRules({ perAddressMax: 3 })
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
  const registrations = withRules({ perAddressMax: 1 })
  const address = (subnet: string, host: string) =>
    `2001:0db8:0000:${subnet}:0000:0000:0000:${host}`
  assert.equal(registrations.take(address('0001', '0001'), NOON_MS), null)
  assert.notEqual(registrations.take(address('0001', 'ffff'), NOON_MS), null)
  assert.equal(registrations.take(address('0002', '0001'), NOON_MS), null)
})

test('nobody registers where registration is closed', () => {
  const registrations = withRules({ isOpen: false, perAddressMax: 3 })
  const refused = registrations.take('10.0.0.1', NOON_MS)
  assert.equal(refused?.name, 'REGISTRATION_CLOSED')
  assert.equal(refused?.status, 403)
})

test('a flood of addresses locks nobody out: the count of the oldest is forgotten', () => {
  const registrations = withRules({ perAddressMax: 1, inAllMax: Number.POSITIVE_INFINITY })
  for (let each = 0; each <= LIMITS.registrationAddressesMax; each++) {
    assert.equal(registrations.take(`address ${each}`, NOON_MS), null)
  }
  assert.equal(registrations.take('address 0', NOON_MS), null)
  assert.notEqual(registrations.take(`address ${LIMITS.registrationAddressesMax}`, NOON_MS), null)
})

/** An address of 2001:db8::/32 by its /48, its subnet of 16 bits, and a host. */
function v6(site: number, subnet: number, host = 1): string {
  const words = [0x2001, 0xdb8, site, subnet, 0, 0, 0, host]
  return words.map((word) => word.toString(16).padStart(4, '0')).join(':')
}

test('a network of IPv6 makes few profiles, however many of its subnets ask', () => {
  const registrations = withRules({})
  let made = 0
  for (let subnet = 0; subnet < 0x10000; subnet++) {
    if (registrations.take(v6(1, subnet), NOON_MS) === null) made++
  }
  assert.equal(made, 800, 'a /48 makes as many as four addresses')
  const ofPart = withRules({})
  made = 0
  for (let subnet = 0; subnet < 0x100; subnet++) {
    for (let host = 0; host < 10; host++) {
      if (ofPart.take(v6(1, subnet, host), NOON_MS) === null) made++
    }
  }
  assert.equal(made, 400, 'a /56 makes as many as two')
})

test('many networks together leave an address its profile', () => {
  const registrations = withRules({})
  let made = 0
  for (let site = 0; site < 500; site++) {
    for (let subnet = 0; subnet < 0x10000; subnet += 0x20) {
      if (registrations.take(v6(site, subnet), NOON_MS) === null) made++
    }
  }
  assert.ok(made < 20_000, `500 networks of /48 made ${made}`)
  assert.equal(registrations.take('192.0.2.1', NOON_MS), null)
})

test('all addresses together make a bounded number of profiles each day', () => {
  const registrations = withRules({ perAddressMax: 200, inAllMax: 100 })
  let made = 0
  for (let host = 0; host < 250; host++) {
    if (registrations.take(`10.0.0.${host}`, NOON_MS) === null) made++
  }
  assert.equal(made, 100)
  const refused = registrations.take('192.0.2.1', NOON_MS)
  assert.equal(refused?.name, 'REGISTRATION_LIMIT')
  assert.equal(refused?.retryAfterSec, (12 * HOUR_MS) / 1000)
  assert.equal(registrations.take('192.0.2.1', NOON_MS + 12 * HOUR_MS), null)
})

test('first logins leave profiles to operators and partners', () => {
  const free = LIMITS.profilesMax - PROFILES_RESERVED
  assert.equal(withRules({}, free - 1).take('10.0.0.1', NOON_MS), null)
  const full = withRules({ perAddressMax: Number.POSITIVE_INFINITY }, free)
  assert.equal(full.take('10.0.0.1', NOON_MS)?.name, 'PROFILE_LIMIT')
})
