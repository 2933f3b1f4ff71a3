import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { exchange } from '../../../support/exchange.ts'
import { at } from '../../../support/json-path.ts'
import { byIdentity, IdentityProvider } from '../../../support/live-identity.ts'
import { cookieOf, login, newWallet, withCookie } from '../../../support/live-session.ts'
import { accepted, assertRefused } from '../../../support/replies.ts'

// The list of addresses to which a profile may withdraw (rules §12.1).

const PATH = '/portfolio/withdrawal-addresses'
const COLD = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const provider = new IdentityProvider()
const wallet = newWallet()
const { live } = await exchange({ flags: provider.flags })
let own: string
before(async () => {
  assert.equal((await login(live, wallet)).status, 200)
  own = await provider.token(live, wallet.address)
})

const add = (body: unknown, token = own) => byIdentity(live, token, 'POST', PATH, body)
const remove = (address: string, token = own) =>
  byIdentity(live, token, 'DELETE', `${PATH}/${address}`)

test('an owner lists an address once, removes it and may list it again', async () => {
  const added = await accepted(add({ address: COLD.toLowerCase(), label: 'Cold' }), 201)
  const id = String(at(added.body, 'id'))
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(added.body, {
    id,
    profileId: live.exchange.pipeline.clearing.accounts.byAddress(wallet.address)?.profileId,
    destinationAddress: COLD,
    label: 'Cold',
    createdAt: new Date(String(at(added.body, 'createdAt'))).toISOString(),
    deletedAt: null,
  })
  assertRefused(await add({ address: COLD }), 409, 'WITHDRAWAL_ADDRESS_LISTED')
  const removed = await remove(COLD.toLowerCase())
  assert.deepEqual([removed.status, removed.text], [204, ''])
  assertRefused(await remove(COLD), 404, 'WITHDRAWAL_ADDRESS_UNKNOWN')
  const again = await add({ address: COLD })
  assert.equal(again.status, 201)
  assert.equal(at(again.body, 'label'), '')
  assert.notEqual(at(again.body, 'id'), id)
})

test('an invalid address, or the zero address, is refused with a sentence', async () => {
  for (const body of [
    {},
    { address: '0x12' },
    { address: COLD.replace('E7E3', 'e7E3') },
    { address: `0x${'0'.repeat(40)}` },
    { address: COLD, label: 7 },
    { address: COLD, label: 'x'.repeat(LIMITS.withdrawalLabelCharactersMax + 1) },
    { address: COLD, profileId: 2 },
  ]) {
    assertRefused(await add(body), 400, 'VALIDATION')
  }
  assertRefused(await remove('0x12'), 400, 'VALIDATION')
})

test('only an identity token of the owner opens the list; no other proof does', async () => {
  const trader = await live.trader(0, { apiToken: { scopes: ['trading', 'withdrawal'] } })
  assertRefused(await live.call(trader, 'POST', PATH, { address: COLD }), 401, 'UNAUTHENTICATED')
  assertRefused(await live.call(trader, 'DELETE', `${PATH}/${COLD}`), 401, 'UNAUTHENTICATED')
  const cookie = cookieOf(await login(live, wallet))
  const browser = await withCookie(live, cookie, 'POST', PATH, { address: COLD })
  assertRefused(browser, 401, 'UNAUTHENTICATED')
  assertRefused(await add({ address: COLD }, 'forged'), 401, 'IDENTITY_INVALID')
  const other = newWallet()
  assertRefused(await remove(COLD, await provider.token(live, other.address)), 403, 'FORBIDDEN')
  await login(live, other)
  const stranger = await provider.token(live, other.address)
  assertRefused(await remove(COLD, stranger), 404, 'WITHDRAWAL_ADDRESS_UNKNOWN')
  assertRefused(await add({ address: COLD }), 409, 'WITHDRAWAL_ADDRESS_LISTED')
})

test('a list is bounded, and survives a restart', async () => {
  const numbered = (each: number) => `0x${each.toString(16).padStart(40, '0')}`
  for (let each = 1; each < LIMITS.withdrawalAddressesPerProfileMax; each++) {
    assert.equal((await add({ address: numbered(each) })).status, 201)
  }
  assertRefused(await add({ address: numbered(0xfff) }), 400, 'WITHDRAWAL_ADDRESS_LIMIT')
  assert.equal((await remove(numbered(3))).status, 204)
  await live.restart()
  assert.ok(live.exchange.recovered.snapshotSeq > 0)
  assertRefused(await add({ address: COLD }), 409, 'WITHDRAWAL_ADDRESS_LISTED')
  assert.equal((await add({ address: numbered(3) })).status, 201)
})
