import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { login, newWallet } from '../../../support/live-session.ts'
import { accepted, assertRefused } from '../../../support/replies.ts'

// Who may make a profile by a first login.

const { live: closed } = await exchange({ flags: ['--registration', 'closed'] })
const { live: bounded } = await exchange({ flags: ['--registrations-per-day', '2'] })

test('when registration is closed, only profiles that the operator made can log in', async () => {
  const wallet = newWallet()
  const before = closed.exchange.pipeline.clearing.accounts.count
  const refused = await login(closed, wallet)
  assertRefused(refused, 403, 'REGISTRATION_CLOSED')
  assert.match(String(at(refused.body, 'message')), /only the operator creates profiles/)
  assert.equal(closed.exchange.pipeline.clearing.accounts.count, before, 'no profile is made')
  await accepted(closed.admin('/admin/profiles', { account: wallet.address }), 201)
  const reply = await accepted(login(closed, wallet))
  assert.equal(at(reply.body, 'account'), wallet.address)
})

test('beyond the daily bound of an address only existing profiles can log in', async () => {
  const [first, second, third] = [newWallet(), newWallet(), newWallet()]
  for (const wallet of [first, second]) assert.equal((await login(bounded, wallet)).status, 200)
  const refused = await login(bounded, third)
  assertRefused(refused, 429, 'REGISTRATION_LIMIT')
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal((await login(bounded, first)).status, 200)
  await accepted(bounded.admin('/admin/profiles', { account: third.address }), 201)
  assert.equal((await login(bounded, third)).status, 200)
})
