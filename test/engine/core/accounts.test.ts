import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Accounts, effectiveFeeBps } from '../../../engine/core/accounts.ts'
import { LIMITS } from '../../../engine/domain/limits.ts'
import { profileFields } from '../../support/specs.ts'

const FIELDS = profileFields(1, { rank: null })
const BRONZE = { id: 1, name: 'Bronze', feeRateBps: 300 }

function withProfiles(count: number): Accounts {
  const accounts = new Accounts()
  for (let id = 1; id <= count; id++) {
    accounts.putProfile(id, profileFields(id), 1)
  }
  return accounts
}

test('the effective rate is the rank, capped by the profile, and none without a rank', () => {
  assert.equal(effectiveFeeBps(FIELDS), null)
  assert.equal(effectiveFeeBps({ ...FIELDS, feeCapBps: 100 }), null)
  assert.equal(effectiveFeeBps({ ...FIELDS, rank: BRONZE }), 300)
  assert.equal(effectiveFeeBps({ ...FIELDS, rank: BRONZE, feeCapBps: 200 }), 200)
  assert.equal(effectiveFeeBps({ ...FIELDS, rank: BRONZE, feeCapBps: 400 }), 300)
})

test('a profile has a bounded number of sessions: its oldest makes room', () => {
  const accounts = withProfiles(2)
  const open = (digest: string, profileId: number, expiresMs: number, nowMs: number) =>
    accounts.login(
      { digest, profileId, expiresMs },
      { text: `nonce ${digest}`, expiresMs: nowMs + 10 },
      nowMs,
    )
  open('other', 2, 1000, 1)
  for (let each = 0; each < LIMITS.sessionsPerProfileMax; each++) open(`own ${each}`, 1, 1000, 2)
  assert.ok(accounts.sessionByDigest('own 0'))
  open('one more', 1, 1000, 3)
  assert.equal(accounts.sessionByDigest('own 0'), undefined)
  for (const digest of ['own 1', 'one more', 'other']) assert.ok(accounts.sessionByDigest(digest))
  accounts.logout('own 1')
  open('again', 1, 3000, 4)
  assert.ok(accounts.sessionByDigest('own 2'))
  open('later', 2, 5000, 2000)
  assert.equal([...accounts.sessions()].length, 2, 'what expired is forgotten')
})

test('a logout everywhere ends all sessions of one profile and burns what was burned', () => {
  const accounts = withProfiles(2)
  for (const [digest, profileId] of [
    ['a', 1],
    ['b', 2],
    ['c', 1],
  ] as const) {
    accounts.login({ digest, profileId, expiresMs: 1000 }, { text: digest, expiresMs: 100 }, 1)
  }
  accounts.logoutEverywhere(1)
  accounts.logoutEverywhere(1)
  assert.deepEqual(
    [...accounts.sessions()].map(({ digest }) => digest),
    ['b'],
  )
  assert.ok(accounts.isNonceBurned('a') && accounts.isNonceBurned('c'))
  const [first, last] = ['d', 'e']
  for (const digest of [first, last]) {
    accounts.login({ digest, profileId: 1, expiresMs: 1000 }, { text: digest, expiresMs: 100 }, 2)
  }
  accounts.logout(first)
  assert.ok(accounts.sessionByDigest(last), 'sessions opened later stand by themselves')
})

test('a nonce stays burned until it has expired', () => {
  const accounts = withProfiles(1)
  const session = { digest: 'a', profileId: 1, expiresMs: 9000 }
  accounts.login(session, { text: 'first', expiresMs: 100 }, 50)
  accounts.login({ ...session, digest: 'b' }, { text: 'second', expiresMs: 120 }, 99)
  assert.ok(accounts.isNonceBurned('first'))
  accounts.login({ ...session, digest: 'c' }, { text: 'third', expiresMs: 200 }, 101)
  assert.ok(!accounts.isNonceBurned('first'))
  assert.ok(accounts.isNonceBurned('second'))
})

test('a revoked token keeps its id and loses its secret', () => {
  const accounts = withProfiles(1)
  const sealedSecret = new Uint8Array(8)
  accounts.addToken(1, { tokenId: 't', sealedSecret, label: null, scopes: ['trading'] }, 1)
  accounts.revokeToken('t')
  const token = accounts.tokenById('t')
  assert.equal(token?.revoked, true)
  assert.equal(token?.sealedSecret.length, 0)
  assert.deepEqual(accounts.byId(1)?.tokens, [])
})
