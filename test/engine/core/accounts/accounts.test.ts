import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Accounts,
  effectiveFeeBps,
  NO_FEE_RATE,
} from '../../../../engine/core/accounts/accounts.ts'
import { decideLogin } from '../../../../engine/core/decide/profiles.ts'
import type { ProfileChange, ProfileFields } from '../../../../engine/domain/command.ts'
import { shareRule } from '../../../../engine/domain/fair-share.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { REJECT } from '../../../../engine/domain/reject-precedence.ts'
import { digestOf } from '../../../../server/auth/session.ts'
import { freshSeed, Random } from '../../../support/random.ts'
import { profileFields } from '../../../support/specs.ts'

const FIELDS = profileFields(1, { rank: null })
const BRONZE = { id: 1, name: 'Bronze', feeRateBps: 300 }

function withProfiles(count: number): Accounts {
  const accounts = new Accounts()
  for (let id = 1; id <= count; id++) {
    accounts.createProfile(id, profileFields(id), 1)
  }
  return accounts
}

function restored(from: Accounts): Accounts {
  const accounts = new Accounts()
  accounts.restore(from.capture(), from.captureProfiles())
  return accounts
}

test('the effective rate is the rank, capped by the profile, and none without a rank', () => {
  assert.equal(effectiveFeeBps(FIELDS), null)
  assert.equal(effectiveFeeBps({ ...FIELDS, feeCapBps: 100 }), null)
  assert.equal(effectiveFeeBps({ ...FIELDS, rank: BRONZE }), 300)
  assert.equal(effectiveFeeBps({ ...FIELDS, rank: BRONZE, feeCapBps: 200 }), 200)
  assert.equal(effectiveFeeBps({ ...FIELDS, rank: BRONZE, feeCapBps: 400 }), 300)
})

function logIn(accounts: Accounts, name: string, profileId: number, expiresMs = 1000): void {
  const nonce = { text: name, expiresMs: 100 }
  accounts.login({ digest: digestOf(name), profileId, expiresMs }, nonce)
}

test('a profile has a bounded number of sessions: a new one ends the oldest', () => {
  const accounts = withProfiles(2)
  const isOpen = (name: string) => accounts.sessionByDigest(digestOf(name)) !== undefined
  logIn(accounts, 'other', 2)
  for (let each = 0; each < LIMITS.sessionsPerProfileMax; each++) logIn(accounts, `own ${each}`, 1)
  assert.ok(isOpen('own 0'))
  logIn(accounts, 'one more', 1)
  assert.ok(!isOpen('own 0'))
  for (const name of ['own 1', 'one more', 'other']) assert.ok(isOpen(name), name)
  accounts.logout(digestOf('own 1'))
  logIn(accounts, 'again', 1)
  assert.ok(isOpen('own 2'))
  assert.equal(accounts.sessionByDigest('no digest'), undefined)
})

test('a logout everywhere ends every session of a profile, and its nonces stay burned', () => {
  const accounts = withProfiles(2)
  for (const [name, profileId] of [
    ['a', 1],
    ['b', 2],
    ['c', 1],
  ] as const) {
    logIn(accounts, name, profileId)
  }
  accounts.logoutEverywhere(1)
  accounts.logoutEverywhere(1)
  assert.deepEqual(
    [...accounts.sessions()].map(({ digest }) => digest),
    [digestOf('b')],
  )
  assert.ok(accounts.isNonceBurned('a') && accounts.isNonceBurned('c'))
  for (const name of ['d', 'e']) logIn(accounts, name, 1)
  accounts.logout(digestOf('d'))
  assert.ok(accounts.sessionByDigest(digestOf('e')), 'each later session ends alone')
})

test('any command forgets expired sessions and nonces, a part at a time', () => {
  const accounts = withProfiles(100)
  for (let id = 1; id <= 100; id++) logIn(accounts, `of ${id}`, id, 1000 + id)
  accounts.expire(99)
  assert.deepEqual([accounts.sessionCount, accounts.isNonceBurned('of 1')], [100, true])
  accounts.expire(1000)
  assert.deepEqual([accounts.sessionCount, accounts.isNonceBurned('of 1')], [100, false])
  accounts.expire(1003)
  assert.equal(accounts.sessionCount, 97)
  for (let each = 0; each < 100 / 16; each++) accounts.expire(5000)
  assert.equal(accounts.sessionCount, 0)
  for (let id = 1; id <= 100; id++) assert.ok(!accounts.isNonceBurned(`of ${id}`))
})

test('a full table of sessions takes a login as soon as its oldest has expired', () => {
  const accounts = withProfiles(2)
  logIn(accounts, 'a', 1, 1000)
  logIn(accounts, 'b', 2, 2000)
  const decide = (profileId: number, nowMs: number, capacity: number) =>
    decideLogin({ accounts }, profileId, nowMs, shareRule(capacity, 2, 1))
  assert.equal(decide(0, 999, 2), REJECT.SESSION_LIMIT)
  assert.equal(decide(0, 999, 3), false)
  assert.equal(decide(0, 1000, 2), false)
  assert.equal(decide(2, 999, 2), true, 'an own session makes place in a full table')
  accounts.expire(1000)
  assert.equal(accounts.sessionCount, 1)
})

test('a profile has fewer sessions of a table that fills, and its oldest one makes place', () => {
  const accounts = withProfiles(40)
  const rule = shareRule(64, 32, 1)
  const logInAs = (profileId: number, name: string) => {
    const endsOldest = decideLogin({ accounts }, profileId, 0, rule)
    assert.ok(typeof endsOldest === 'boolean', `${name} finds a place`)
    const session = { digest: digestOf(name), profileId, expiresMs: 9 }
    accounts.login(session, { text: name, expiresMs: 9 }, endsOldest)
  }
  for (let profileId = 1; profileId <= 15; profileId++) {
    for (let each = 0; each < 32; each++) logInAs(profileId, `${profileId} ${each}`)
  }
  assert.ok(accounts.sessionCount < 64, 'fifteen profiles do not fill it, and two did')
  const count = accounts.sessionCountOf(1)
  logInAs(1, 'one more')
  assert.equal(accounts.sessionCountOf(1), count)
  assert.ok(accounts.sessionByDigest(digestOf('one more')) !== undefined)
  logInAs(40, 'the first of a newcomer')
})

test('sessions equal a plain list through random logins and logouts', () => {
  const random = new Random(freshSeed())
  let accounts = withProfiles(9)
  let open: { name: string; profileId: number; expiresMs: number }[] = []
  for (let step = 0; step < 3000; step++) {
    const profileId = random.between(1, 9)
    const act = random.between(1, 100)
    if (act <= 60) {
      const own = open.filter((each) => each.profileId === profileId)
      if (own.length === LIMITS.sessionsPerProfileMax) open = open.filter((each) => each !== own[0])
      logIn(accounts, `step ${step}`, profileId, step + 200)
      open.push({ name: `step ${step}`, profileId, expiresMs: step + 200 })
    } else if (act <= 95 && open.length > 0) {
      const gone = random.pick(open)
      accounts.logout(digestOf(gone.name))
      open = open.filter((each) => each !== gone)
    } else if (act <= 97) {
      accounts.logoutEverywhere(profileId)
      open = open.filter((each) => each.profileId !== profileId)
    } else if (act <= 98) {
      accounts = restored(accounts)
    }
    accounts.expire(step)
    open = open.filter(({ expiresMs }) => expiresMs > step)
    if (step % 50 !== 0) continue
    assert.deepEqual(
      [...accounts.sessions()],
      open.map(({ name, ...rest }) => ({ digest: digestOf(name), ...rest })),
    )
  }
})

test('a revoked token leaves nothing behind', () => {
  const accounts = withProfiles(1)
  const sealedSecret = new Uint8Array(8)
  accounts.addToken(1, { tokenId: 't', sealedSecret, label: null, scopes: ['trading'] }, 1)
  assert.equal(accounts.tokensOf(1).length, 1)
  accounts.revokeToken('t')
  assert.equal(accounts.tokenById('t'), undefined)
  assert.deepEqual([accounts.tokensOf(1), accounts.tokenOwners.all], [[], 0])
})

test('profiles equal a plain table through random edits', () => {
  const random = new Random(freshSeed())
  const ranks = [
    null,
    { id: 1, name: 'Bronze', feeRateBps: 300 },
    { id: 2, name: 'x', feeRateBps: 1 },
  ]
  const names = ['Alice', 'aLICE', 'Bob', 'Zoë', 'ZOË', null]
  let accounts = new Accounts()
  const table: ProfileFields[] = []
  for (let step = 0; step < 4000; step++) {
    const profileId =
      table.length < 10 || random.chance(0.3) ? table.length + 1 : random.between(1, table.length)
    const change: ProfileChange = {
      ...(random.chance(0.5) ? { username: freeName(random.pick(names), profileId) } : {}),
      ...(random.chance(0.3) ? { rank: random.pick(ranks) } : {}),
      ...(random.chance(0.3) ? { feeCapBps: random.pick([null, 0, 1000]) } : {}),
      ...(random.chance(0.3)
        ? { scopes: random.pick([[], ['trading', 'withdrawal']] as const) }
        : {}),
      ...(random.chance(0.1) ? { smartWallet: addressOf(random) } : {}),
    }
    if (profileId > table.length) {
      table.push({ ...profileFields(profileId), account: addressOf(random), ...change })
      accounts.createProfile(profileId, table[profileId - 1], step)
    } else {
      table[profileId - 1] = { ...table[profileId - 1], ...change }
      accounts.editProfile(profileId, change)
    }
    if (step % 400 !== 399) continue
    const before = accounts
    accounts = restored(before)
    assert.deepEqual(accounts.capture(), before.capture())
    assert.deepEqual(accounts.captureProfiles(), before.captureProfiles())
    compare(accounts, table)
  }

  function freeName(name: string | null, profileId: number): string | null {
    const isTaken = table.some((each, index) => {
      return index + 1 !== profileId && each.username?.toLowerCase() === name?.toLowerCase()
    })
    return isTaken ? null : name
  }
})

function addressOf(random: Random): string {
  const digits = Array.from({ length: 40 }, () => random.pick([...'0123456789abcdefABCDEF']))
  return `0x${digits.join('')}`
}

function compare(accounts: Accounts, table: readonly ProfileFields[]): void {
  assert.equal(accounts.count, table.length)
  for (const [index, fields] of table.entries()) {
    const { account, rank, feeCapBps, scopes } = fields
    const smartWallet = fields.smartWallet?.toLowerCase() ?? null
    const expected = { profileId: index + 1, account, smartWallet, rank, feeCapBps, scopes }
    assert.deepEqual(accounts.byId(index + 1), expected)
    assert.deepEqual(accounts.byAddress(account.toUpperCase().replace('0X', '0x')), expected)
    assert.equal(accounts.accountOf(index + 1), account)
    assert.equal(accounts.feeBpsOf(index + 1), effectiveFeeBps(fields) ?? NO_FEE_RATE)
    if (fields.username === null) continue
    assert.equal(accounts.byUsername(fields.username.toUpperCase())?.profileId, index + 1)
  }
  assert.equal(accounts.byId(table.length + 1), undefined)
  assert.equal(accounts.byAddress(`0x${'7'.repeat(40)}`), undefined)
  assert.equal(accounts.byUsername('nobody'), undefined)
}
