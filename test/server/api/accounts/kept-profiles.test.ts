import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { newFolder } from '../../../support/data-folder.ts'
import {
  ADMIN_TOKEN,
  at,
  type Reply,
  startLive,
  type Trader,
} from '../../../support/live-exchange.ts'
import { codeOf, cookieOf, login, newWallet, withCookie } from '../../../support/live-session.ts'

// The texts of profiles are in read.db only. They survive its loss, because a start rebuilds it
// from the journal.

const ME = '/profiles/me'
const dataDir = newFolder()
let live = await startLive({ dataDir })
after(async () => {
  await live.stop()
})

async function restart({ losing }: { losing: readonly string[] }): Promise<void> {
  const before = await live.stop()
  for (const name of losing) rmSync(join(dataDir, name), { recursive: true, force: true })
  live = await startLive({ dataDir })
  assert.deepEqual(live.faults, [], 'main and the follower have the same state')
  assert.equal(live.exchange.recovered.seq, before.seq)
  assert.equal(live.exchange.recovered.stateHash, before.stateHash)
}

function managing(path: string, body: object): Promise<Reply> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  return live.send('PATCH', path, { headers, body: JSON.stringify(body) })
}

test('a reply and the next read show an edit, also amid other edits', async () => {
  const trader = await live.trader(0)
  const path = `/admin/profiles/${trader.profileId}`
  for (let round = 0; round < 10; round++) {
    const stated = { username: `alice${round}`, bio: `round ${round}` }
    const [own, managed] = await Promise.all([
      live.call(trader, 'PATCH', ME, stated),
      managing(path, { feeCapBps: 100 + round }),
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
  const given = await managing(`/admin/profiles/${at(own.body, 'id')}`, { smartWallet })
  assert.equal(given.status, 200, given.text)
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
