import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { at, type LiveExchange, startLive } from '../../../support/live-exchange.ts'
import { codeOf, login, newWallet } from '../../../support/live-session.ts'

// Who may make a profile by a first login.

const closed = await startLive({ flags: ['--registration', 'closed'] })
const bounded = await startLive({ flags: ['--registrations-per-day', '2'] })
const all: readonly LiveExchange[] = [closed, bounded]
after(async () => {
  for (const live of all) await live.stop()
})
afterEach(() => {
  for (const live of all) assert.deepEqual(live.faults, [])
})

test('when registration is closed, only profiles that the operator made can log in', async () => {
  const wallet = newWallet()
  const before = closed.exchange.pipeline.clearing.accounts.count
  const refused = await login(closed, wallet)
  assert.equal(refused.status, 403, refused.text)
  assert.equal(codeOf(refused), 'REGISTRATION_CLOSED')
  assert.match(String(at(refused.body, 'message')), /only the operator creates profiles/)
  assert.equal(closed.exchange.pipeline.clearing.accounts.count, before, 'no profile is made')
  const made = await closed.admin('/admin/profiles', { account: wallet.address })
  assert.equal(made.status, 201, made.text)
  const reply = await login(closed, wallet)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(at(reply.body, 'account'), wallet.address)
})

test('beyond the daily bound of an address only existing profiles can log in', async () => {
  const [first, second, third] = [newWallet(), newWallet(), newWallet()]
  for (const wallet of [first, second]) assert.equal((await login(bounded, wallet)).status, 200)
  const refused = await login(bounded, third)
  assert.equal(refused.status, 429, refused.text)
  assert.equal(codeOf(refused), 'REGISTRATION_LIMIT')
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal((await login(bounded, first)).status, 200)
  const made = await bounded.admin('/admin/profiles', { account: third.address })
  assert.equal(made.status, 201, made.text)
  assert.equal((await login(bounded, third)).status, 200)
})
