import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { cookieOf, login, newWallet, withCookie } from '../../../support/live-session.ts'
import { accepted, codeOf } from '../../../support/replies.ts'

// The texts of profiles are in read.db only. They survive its loss, because a start rebuilds it
// from the journal.

const ME = '/profiles/me'
const { live } = await exchange()

async function restart({ losing }: { losing: readonly string[] }): Promise<void> {
  await live.restart({}, (dataDir) => {
    for (const name of losing) rmSync(join(dataDir, name), { recursive: true, force: true })
  })
  assert.deepEqual(live.faults, [], 'main and the follower have the same state')
}

test('a reply and the next read show an edit, also amid other edits', async () => {
  const trader = await live.trader(0)
  const path = `/admin/profiles/${trader.profileId}`
  for (let round = 0; round < 10; round++) {
    const stated = { username: `alice${round}`, bio: `round ${round}` }
    const [own, managed] = await Promise.all([
      live.call(trader, 'PATCH', ME, stated),
      live.operator('PATCH', path, { feeCapBps: 100 + round }),
    ])
    assert.equal(own.status, 200, own.text)
    assert.equal(managed.status, 200, managed.text)
    assert.equal(at(own.body, 'username'), stated.username)
    assert.equal(at(own.body, 'bio'), stated.bio)
    assert.equal(at(managed.body, 'feeCapBps'), 100 + round)
    const read = await live.call(trader, 'GET', ME)
    assert.equal(at(read.body, 'bio'), stated.bio)
    assert.equal(at(read.body, 'effectiveFeeRateBps'), 100 + round)
    // The reply to the second edit shows both.
    const ownShowsCap = at(own.body, 'effectiveFeeRateBps') === 100 + round
    assert.ok(ownShowsCap || at(managed.body, 'username') === stated.username)
  }
})

async function texts(traders: readonly Trader[], cookies: readonly string[]): Promise<string[]> {
  const signed = traders.map((trader) => live.call(trader, 'GET', ME))
  const seen = cookies.map((cookie) => withCookie(live, cookie, 'GET', ME))
  return (await Promise.all([...signed, ...seen])).map(({ status, text }) => {
    assert.equal(status, 200, text)
    return text
  })
}

test('texts, names, wallets and sessions survive a start, even one without read.db', async () => {
  const named = await live.trader(0)
  const other = await live.trader(0)
  const edit = { username: 'Zoe.of-the_9', bio: 'Rain,\nmostly.', mode: 'advanced' }
  assert.equal((await live.call(named, 'PATCH', ME, edit)).status, 200)
  const smartWallet = newWallet().address
  const wallet = newWallet()
  const cookie = cookieOf(await login(live, wallet))
  const own = await withCookie(live, cookie, 'GET', ME)
  await accepted(live.operator('PATCH', `/admin/profiles/${at(own.body, 'id')}`, { smartWallet }))
  const ended = cookieOf(await login(live, wallet))
  assert.equal((await withCookie(live, ended, 'POST', '/auth/logout', {})).status, 200)
  const before = await texts([named, other], [cookie])
  for (const losing of [[], ['read.db', 'read.db-wal', 'read.db-shm'], ['read.db', 'snapshots']]) {
    await restart({ losing })
    assert.deepEqual(await texts([named, other], [cookie]), before, losing.join(' '))
    const taken = await live.call(other, 'PATCH', ME, { username: 'zOE.OF-the_9' })
    assert.equal(codeOf(taken), 'USERNAME_TAKEN')
    assert.equal((await withCookie(live, ended, 'GET', ME)).status, 401)
    assert.equal(at((await login(live, wallet)).body, 'smartWallet'), smartWallet)
  }
})
