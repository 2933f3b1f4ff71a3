import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import type { Role } from '../../../../engine/domain/operator.ts'
import { exchange } from '../../../support/exchange.ts'
import { listening } from '../../../support/frame-story.ts'
import { at, textAt } from '../../../support/json-path.ts'
import { ADMIN_TOKEN, type Trader } from '../../../support/live-exchange.ts'
import { byIdentity, IdentityProvider } from '../../../support/live-identity.ts'
import { orderBody } from '../../../support/live-orders.ts'
import { PARTNER_RIGHTS, serverWallet, unsignedBody } from '../../../support/live-partners.ts'
import { cookieOf, login, newWallet, withCookie } from '../../../support/live-session.ts'
import { accepted, assertRefused, codeOf, orderIdOf, type Reply } from '../../../support/replies.ts'

// What operators do to profiles and to each other, over HTTP.

const FUNDS_RAW = 100_000_000
const COLD = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const provider = new IdentityProvider()
const { live, rain, slow } = await exchange({
  flags: provider.flags,
  markets: { rain: {}, slow: { takerDelayMs: 60_000 } },
})

const requested = live.operator.bind(live)

async function freeze({ profileId }: { profileId: number }, reason = 'A theft.'): Promise<Reply> {
  const reply = await accepted(requested('POST', `/admin/profiles/${profileId}/freeze`, { reason }))
  return reply
}

/** Ends a freeze, once the cancels of the freeze are done. */
async function unfreeze({ profileId }: { profileId: number }): Promise<Reply> {
  const path = `/admin/profiles/${profileId}/unfreeze`
  let reply = await requested('POST', path)
  while (codeOf(reply) === 'FREEZE_CANCELING') reply = await requested('POST', path)
  assert.equal(reply.status, 200, reply.text)
  return reply
}

/** Waits for the cancels of a freeze to reach the balances. */
async function allFree(trader: Trader): Promise<void> {
  while (live.balances(trader).reservedRaw > 0) await live.send('GET', '/health')
}

async function named(name: string, role: Role): Promise<string> {
  const made = await accepted(requested('POST', '/admin/operators', { name, role }), 201)
  return textAt(made.body, 'token')
}

test('a freeze cancels resting and held orders, and bars trade until it ends', async () => {
  const alice = await live.trader(FUNDS_RAW)
  const bob = await live.trader(FUNDS_RAW)
  await live.placed(bob, slow, { outcome: 1, ticks: 600 })
  const heldOrder = await live.place(alice, slow, { ticks: 500 })
  assert.equal(at(heldOrder.body, 'execution', 'settlementStatus'), 'DELAYED', heldOrder.text)
  const resting = await live.place(alice, rain, { ticks: 300 })
  assert.equal(resting.status, 201)
  const frozen = await freeze(alice)
  assert.equal(at(frozen.body, 'frozenReason'), 'A theft.')
  const since = textAt(frozen.body, 'frozenAt')
  await allFree(alice)
  assert.deepEqual(live.balances(alice), { freeRaw: FUNDS_RAW, reservedRaw: 0 })
  assertRefused(await live.place(alice, rain, { ticks: 300 }), 403, 'PROFILE_FROZEN')
  const batch = { orders: [orderBody(alice, rain), orderBody(alice, slow)] }
  const both = await live.call(alice, 'POST', '/orders/batch', batch)
  assert.equal(both.text.match(/PROFILE_FROZEN/g)?.length, 2, both.text)
  // A second freeze changes nothing: the first one stands.
  const again = await freeze(alice, 'Again.')
  assert.equal(at(again.body, 'frozenAt'), since)
  assert.equal(at(again.body, 'frozenReason'), 'A theft.')
  // Reads, cancels and heartbeats still work.
  assert.equal((await live.call(alice, 'GET', '/profiles/me')).status, 200)
  const cancelAt = live.nowMs() + 60_000
  assert.equal((await live.call(alice, 'POST', '/heartbeats', { cancelAt })).status, 200)
  const orderId = orderIdOf(resting)
  assertRefused(await live.call(alice, 'DELETE', `/orders/${orderId}`), 400, 'ORDER_NOT_OPEN')
  assert.equal((await live.place(bob, rain, { ticks: 200 })).status, 201, 'others trade on')
  const free = await unfreeze(alice)
  assert.equal(at(free.body, 'frozenAt'), null)
  await live.placed(alice, rain, { ticks: 300 })
  assert.equal((await unfreeze(alice)).status, 200, 'unfreeze may be repeated')
})

test('the owner gets the reason why its orders were canceled', async () => {
  const alice = await live.trader(FUNDS_RAW)
  const client = await listening(live, alice)
  await live.placed(alice, rain, { ticks: 300 })
  await freeze(alice)
  const [, gone] = await client.take('orderEvent', 2)
  assert.equal(at(gone, 'type'), 'CANCELLATION')
  assert.equal(at(gone, 'reason'), 'PROFILE_FROZEN')
  client.close()
})

test('a frozen profile may cancel its orders, but not replace them', async () => {
  const alice = await live.trader(FUNDS_RAW)
  await freeze(alice)
  const reply = await live.call(alice, 'POST', '/orders/cancel-replace', {
    cancel: { orderId: '00000000-0000-4000-8000-000000000000' },
    replacement: orderBody(alice, rain),
    mode: 'ALLOW_FAILURE',
  })
  assert.match(reply.text, /PROFILE_FROZEN/)
  assert.deepEqual(live.balances(alice), { freeRaw: FUNDS_RAW, reservedRaw: 0 })
})

test('a frozen partner trades for no account; sub-accounts are frozen one by one', async () => {
  const partner = await live.trader(FUNDS_RAW, { apiToken: { scopes: PARTNER_RIGHTS } })
  const [desk, other] = [
    await serverWallet(live, partner, FUNDS_RAW),
    await serverWallet(live, partner, FUNDS_RAW),
  ]
  const feeRain = await live.openMarket('fee-rain', { fee: true })
  const forOne = ({ profileId }: { profileId: number }) =>
    live.call(partner, 'POST', '/orders', unsignedBody(partner, profileId, feeRain))
  assert.equal((await forOne(desk)).status, 201)
  await freeze(partner)
  assertRefused(await forOne(desk), 403, 'PROFILE_FROZEN')
  const { orders } = live.exchange.pipeline.clearing
  assert.equal(orders.live.of(desk.profileId), 1, 'the order of a sub-account stays')
  // A cancel for a sub-account is not trading.
  const all = `/orders/all/fee-rain?onBehalfOf=${desk.profileId}`
  assert.equal((await live.call(partner, 'DELETE', all)).status, 200)
  await unfreeze(partner)
  await freeze(desk)
  assertRefused(await forOne(desk), 403, 'PROFILE_FROZEN')
  assert.equal((await forOne(other)).status, 201)
})

test('a frozen profile cannot list a withdrawal address or make a token', async () => {
  const wallet = newWallet()
  const cookie = cookieOf(await login(live, wallet))
  const own = await withCookie(live, cookie, 'GET', '/profiles/me')
  const profileId = Number(at(own.body, 'id'))
  const identity = await provider.token(live, wallet.address)
  const list = '/portfolio/withdrawal-addresses'
  const add = () => byIdentity(live, identity, 'POST', list, { address: COLD })
  const derive = () => withCookie(live, cookie, 'POST', '/auth/api-tokens/derive', {})
  await freeze({ profileId })
  assertRefused(await add(), 403, 'PROFILE_FROZEN')
  assertRefused(await derive(), 403, 'PROFILE_FROZEN')
  await unfreeze({ profileId })
  assert.equal((await add()).status, 201)
  assert.equal((await derive()).status, 201)
  await freeze({ profileId })
  const removed = await byIdentity(live, identity, 'DELETE', `${list}/${COLD}`)
  assert.equal(removed.status, 204, 'a frozen profile may remove an address')
})

test('an operator revokes one or all tokens, and ends the sessions, of a profile', async () => {
  const wallet = newWallet()
  const cookie = cookieOf(await login(live, wallet))
  const derive = () => withCookie(live, cookie, 'POST', '/auth/api-tokens/derive', {})
  const tokens = await Promise.all([derive(), derive(), derive()]).then((made) =>
    made.map(({ body }) => ({ tokenId: textAt(body, 'tokenId'), secret: textAt(body, 'secret') })),
  )
  const me = await live.call(tokens[0], 'GET', '/profiles/me')
  const path = `/admin/profiles/${at(me.body, 'id')}`
  const other = await live.trader(0)
  const foreign = await requested('DELETE', `${path}/tokens/${other.tokenId}`)
  assertRefused(foreign, 400, 'TOKEN_UNKNOWN')
  assert.equal((await requested('DELETE', `${path}/tokens/${tokens[0].tokenId}`)).status, 200)
  assertRefused(await live.call(tokens[0], 'GET', '/profiles/me'), 401, 'API_KEY_INVALID')
  assert.equal((await live.call(tokens[1], 'GET', '/profiles/me')).status, 200)
  const all = await requested('DELETE', `${path}/tokens`)
  assert.deepEqual(all.body, { profileId: at(me.body, 'id'), revoked: 2 })
  for (const token of tokens) {
    assertRefused(await live.call(token, 'GET', '/profiles/me'), 401, 'API_KEY_INVALID')
  }
  assert.equal(at((await requested('DELETE', `${path}/tokens`)).body, 'revoked'), 0)
  assert.equal((await withCookie(live, cookie, 'GET', '/auth/verify-auth')).status, 200)
  assert.equal((await requested('DELETE', `${path}/sessions`)).status, 200)
  const ended = await withCookie(live, cookie, 'GET', '/auth/verify-auth')
  assertRefused(ended, 401, 'SESSION_INVALID')
  for (const what of ['tokens', 'sessions']) {
    const nobody = await requested('DELETE', `/admin/profiles/99999/${what}`)
    assertRefused(nobody, 404, 'PROFILE_NOT_FOUND')
  }
  assertRefused(await requested('POST', '/admin/profiles/99999/freeze'), 404, 'PROFILE_NOT_FOUND')
  assertRefused(await requested('POST', '/admin/profiles/99999/unfreeze'), 404, 'PROFILE_NOT_FOUND')
})

test('an operator has a name and a token of its own until it is removed', async () => {
  const token = await named('ada', 'support')
  assertRefused(
    await requested('POST', '/admin/operators', { name: 'ada', role: 'read' }),
    409,
    'OPERATOR_TAKEN',
  )
  assertRefused(
    await requested('POST', '/admin/operators', { name: 'root', role: 'read' }),
    409,
    'OPERATOR_TAKEN',
  )
  for (const body of [{ name: 'Ada', role: 'read' }, { name: 'eve' }, { name: 'eve', role: 'x' }]) {
    assertRefused(await requested('POST', '/admin/operators', body), 400, 'VALIDATION')
  }
  const listed = await requested('GET', '/admin/operators', undefined, token)
  assert.deepEqual(
    [at(listed.body, 0), at(listed.body, 1, 'name'), at(listed.body, 1, 'role')],
    [{ name: 'root', role: 'root', createdAt: null }, 'ada', 'support'],
  )
  assert.ok(!listed.text.includes(token))
  assertRefused(await requested('DELETE', '/admin/operators/root'), 409, 'OPERATOR_ROOT')
  assert.equal((await requested('DELETE', '/admin/operators/ada')).status, 200)
  const after = await requested('GET', '/admin/operators', undefined, token)
  assertRefused(after, 401, 'ADMIN_TOKEN_INVALID')
  assertRefused(await requested('DELETE', '/admin/operators/ada'), 404, 'OPERATOR_NOT_FOUND')
  const next = await named('ada', 'read')
  assert.notEqual(next, token)
  assertRefused(
    await requested('GET', '/admin/operators', undefined, token),
    401,
    'ADMIN_TOKEN_INVALID',
  )
})

test('a role may do what lower roles may; some fields need more than their route', async () => {
  const [support, money] = [await named('sue', 'support'), await named('mo', 'money')]
  const alice = await live.trader(0)
  const path = `/admin/profiles/${alice.profileId}`
  const { account } = alice
  const rows: [token: string, method: string, path: string, body: object, needs: string | null][] =
    [
      [support, 'PATCH', path, { displayName: 'A' }, null],
      [support, 'PATCH', path, { rank: 'gold' }, 'money'],
      [support, 'PATCH', path, { rank: null }, 'money'],
      [support, 'PATCH', path, { feeCapBps: 1 }, 'money'],
      [support, 'PATCH', path, { scopes: [] }, 'money'],
      [support, 'POST', '/admin/profiles', { account }, null],
      [support, 'POST', '/admin/profiles', { account, rank: 1 }, 'money'],
      [support, 'POST', '/admin/profiles', { account, apiToken: {} }, 'root'],
      [support, 'POST', '/admin/balances', alice, 'money'],
      [money, 'PATCH', path, { rank: 'gold', feeCapBps: 1, scopes: ['trading'] }, null],
      [money, 'POST', '/admin/profiles', { account, rank: 1 }, null],
      [money, 'POST', '/admin/profiles', { account, apiToken: {} }, 'root'],
      [money, 'POST', '/admin/operators', { name: 'x', role: 'root' }, 'root'],
      [money, 'POST', `${path}/freeze`, {}, null],
      [support, 'POST', `${path}/unfreeze`, {}, null],
    ]
  for (const [token, method, target, body, needs] of rows) {
    const reply = await requested(method, target, body, token)
    const stated = `${method} ${target} ${JSON.stringify(body)} ${reply.text}`
    if (needs === null) {
      assert.ok(reply.status === 200 || reply.status === 201, stated)
      continue
    }
    assert.equal(codeOf(reply), 'ROLE_MISSING', stated)
    assert.match(textAt(reply.body, 'message'), new RegExp(`needs the role ${needs},`))
  }
})

async function auditWithout(secrets: readonly string[], query: string): Promise<Reply> {
  const reply = await accepted(requested('GET', `/admin/audit?${query}`))
  for (const secret of secrets) assert.ok(!reply.text.includes(secret))
  assert.doesNotMatch(reply.text, /igest|ealed/)
  return reply
}

test('the audit lists the acts of each operator, newest first and without secrets', async () => {
  const [ann, bea] = [await named('ann', 'money'), await named('bea', 'root')]
  const alice = await live.trader(0)
  const path = `/admin/profiles/${alice.profileId}`
  await requested('POST', '/admin/balances', { profileId: alice.profileId, collateralRaw: 7 }, ann)
  await requested('POST', `${path}/freeze`, { reason: 'Odd.' }, ann)
  await requested('POST', '/admin/balances', { profileId: 0 }, ann)
  await requested('POST', `${path}/unfreeze`, {}, bea)
  await requested('POST', '/admin/markets', { kind: 'clob', slug: 'seen', title: 'Seen?' }, bea)
  await requested('POST', '/admin/markets/seen/resolve', { payoutNumerators: [1, 3] }, bea)
  await requested('DELETE', `${path}/tokens/${alice.tokenId}`, undefined, bea)
  await requested('DELETE', `${path}/sessions`, undefined, bea)
  const { account, profileId } = alice
  const minted = await requested('POST', '/admin/profiles', { account, apiToken: {} }, bea)
  const secrets = [ann, bea, alice.secret, textAt(minted.body, 'secret'), ADMIN_TOKEN]
  const read = (query: string) => auditWithout(secrets, query)
  const reported = await read('operator=bea')
  const entries = at(reported.body, 'entries')
  assert.ok(Array.isArray(entries))
  const events = entries.map(({ seq: _seq, at: when, ...rest }) => {
    assert.ok(Math.abs(Date.parse(when) - live.nowMs()) < 600_000)
    return rest
  })
  const tokenId = textAt(minted.body, 'tokenId')
  const by = { operator: 'bea', profileId }
  assert.deepEqual(events, [
    // An edit shows only the fields that it changes.
    { ...by, kind: 'editProfile', account, tokenId, tokenScopes: ['trading'] },
    { ...by, kind: 'logoutEverywhere' },
    { ...by, kind: 'revokeToken', tokenId: alice.tokenId },
    { operator: 'bea', kind: 'resolveMarkets', marketSlug: 'seen', payoutNumerators: [1, 3] },
    { operator: 'bea', kind: 'createMarket', marketSlug: 'seen' },
    { ...by, kind: 'unfreezeProfile', reason: '' },
  ])
  const mine = await read('operator=ann&limit=1')
  assert.equal(at(mine.body, 'entries', 0, 'kind'), 'freezeProfile')
  const rest = await read(`operator=ann&before=${at(mine.body, 'nextBefore')}`)
  assert.deepEqual(
    [at(rest.body, 'entries', 0, 'kind'), at(rest.body, 'entries', 0, 'collateralRaw')],
    ['adjustBalance', 7],
  )
  assert.deepEqual([at(rest.body, 'entries', 1), at(rest.body, 'nextBefore')], [undefined, null])
})

test('the audit is in order of seq, and its pages have a bound', async () => {
  const all = await auditWithout([ADMIN_TOKEN], 'limit=100')
  const seqs = at(all.body, 'entries')
  assert.ok(Array.isArray(seqs))
  const order = seqs.map(({ seq }) => Number(seq))
  assert.deepEqual(
    order,
    [...order].sort((a, b) => b - a),
  )
  for (const query of ['limit=101', 'limit=0', 'before=0', 'operator=']) {
    assertRefused(await requested('GET', `/admin/audit?${query}`), 400, 'VALIDATION')
  }
})

test('the audit shows the bound on what the packs of a day may cost, as it was set', async () => {
  for (const dayLossMaxRaw of [5_000_000, null]) {
    await accepted(requested('POST', '/admin/house', { dayLossMaxRaw }))
    const audit = await requested('GET', '/admin/audit?limit=1')
    assert.equal(at(audit.body, 'entries', 0, 'dayLossMaxRaw'), dayLossMaxRaw, audit.text)
  }
})

test('acts of operators survive a restart, and the number of operators is bounded', async () => {
  const { live: other } = await exchange()
  const made = await other.admin('/admin/operators', { name: 'ada', role: 'support' })
  const token = textAt(made.body, 'token')
  const { profileId, ...alice } = await other.trader(0)
  await other.admin(`/admin/profiles/${profileId}/freeze`, {}, token)
  await other.restart()
  const shown = await other.operator('GET', `/admin/profiles/${profileId}`, undefined, token)
  assert.notEqual(at(shown.body, 'frozenAt'), null)
  const audit = await other.operator('GET', '/admin/audit?operator=ada')
  assert.equal(at(audit.body, 'entries', 0, 'kind'), 'freezeProfile')
  const market = await other.openMarket('rain')
  const trader = { ...alice, profileId }
  assertRefused(await other.place(trader, market), 403, 'PROFILE_FROZEN')
  for (let index = 1; index < LIMITS.operatorsMax; index++) {
    const reply = await other.admin('/admin/operators', {
      name: `o${index}`,
      role: 'read',
    })
    assert.equal(reply.status, 201, reply.text)
  }
  const past = await other.admin('/admin/operators', { name: 'late', role: 'read' })
  assertRefused(past, 400, 'OPERATOR_LIMIT')
})
