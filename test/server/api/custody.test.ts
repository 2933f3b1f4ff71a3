import assert from 'node:assert/strict'
import { test } from 'node:test'
import { privateKeyToAccount } from 'viem/accounts'
import { api } from '../../../server/api/routes.ts'
import { ON_BEHALF_HEADER } from '../../../server/edge/http/access/on-behalf.ts'
import { exchange } from '../../support/exchange.ts'
import { at } from '../../support/json-path.ts'
import type { Trader } from '../../support/live-exchange.ts'
import { putMatch } from '../../support/live-matches.ts'
import { orderBody } from '../../support/live-orders.ts'
import {
  ownWallet,
  PARTNER_RIGHTS,
  serverWallet,
  unsignedBody,
} from '../../support/live-partners.ts'
import { cookieOf, login, newWallet, withCookie } from '../../support/live-session.ts'
import { accepted, codeOf, orderIdOf, type Reply } from '../../support/replies.ts'

// Who may act for whom (rules §12.1): every call that a partner can make for a sub-account, against
// every kind of sub-account. Money moves for server wallets alone; a sub-account that signs for
// itself keeps its money to itself, and can leave.

const FUNDS_RAW = 100_000_000
const [HEADER] = Object.keys(ON_BEHALF_HEADER)

/** Kinds of sub-accounts, as the partner sees them. */
const KINDS = ['wallet', 'own', 'foreign', 'left', 'frozen'] as const
type Kind = (typeof KINDS)[number]

const { live, rain: market } = await exchange({ markets: ['rain'] })
const children = new Map<Kind, number>()

/** The owner of a self-custodial sub-account, logged in as with a browser. */
async function cookieFor({ key }: Trader): Promise<string> {
  const wallet = privateKeyToAccount(`0x${Buffer.from(key).toString('hex')}`)
  return cookieOf(await login(live, wallet))
}

async function leave(child: Trader): Promise<Reply> {
  return withCookie(live, await cookieFor(child), 'DELETE', '/profiles/me/partner')
}

await putMatch(live, 'final', 1, ['rain'])
await live.admin('/admin/markets', { kind: 'amm', slug: 'pool', title: 'A pool' })
const { catalogue } = live.exchange.pipeline.clearing
const conditionId = catalogue.bySlug('rain')?.conditionId ?? ''
const made = await live.admin('/admin/groups', {
  slug: 'who',
  title: 'Who?',
  markets: ['a', 'b', 'c'].map((slug) => ({ slug, title: slug })),
})
assert.equal(made.status, 201, made.text)
const group = ['a', 'b'].map((slug) => catalogue.bySlug(slug)?.conditionId ?? '')
const rights = { apiToken: { scopes: [...PARTNER_RIGHTS, 'withdrawal'] } }
const partner = await live.trader(FUNDS_RAW, rights)
const other = await live.trader(FUNDS_RAW, rights)
const own = await ownWallet(live, partner, FUNDS_RAW)
const left = await ownWallet(live, partner, FUNDS_RAW)
const frozen = await serverWallet(live, partner, FUNDS_RAW)
children.set('wallet', (await serverWallet(live, partner, FUNDS_RAW)).profileId)
children.set('own', own.profileId)
children.set('foreign', (await serverWallet(live, other, FUNDS_RAW)).profileId)
children.set('left', left.profileId)
children.set('frozen', frozen.profileId)
await accepted(leave(left))
await live.admin(`/admin/profiles/${frozen.profileId}/freeze`, { reason: 'A test.' })
assert.equal(await live.exchange.solvency.count(), true)

interface Row {
  /**
   * `reads` and `frees` are for every sub-account, `orders` are signed by a server wallet, `moves`
   * move the money of a server wallet.
   */
  readonly act: 'reads' | 'frees' | 'orders' | 'moves'
  readonly path?: (profileId: number) => string
  readonly body?: (profileId: number) => object
  /** Where the code of a refusal stands in a reply of status 200. */
  readonly inner?: readonly (string | number)[]
}

const cancelOf = { orderId: '7c9e6679-7425-40de-944b-e07fc1f90ae7' }
const unsigned = (profileId: number) => {
  const { onBehalfOf: _none, ...body } = unsignedBody(partner, profileId, market)
  return body
}
const replacing = (profileId: number) => {
  const { ownerId: _none, ...replacement } = unsigned(profileId)
  return { cancel: cancelOf, replacement, mode: 'ALLOW_FAILURE' }
}
const amending = (profileId: number) => ({ replacement: replacing(profileId).replacement })
const pair = () => ({ conditionId, amount: '1000' })
const inPool = { market: 'pool', outcomeIndex: 0 }
const NO_PACK = '706f7369-0000-8000-8000-000000000001'
const POSITION = `/parlay/partner/positions/${NO_PACK}`
const inPack = { packId: NO_PACK, stakeAmount: '1000000' }
const reads = (path?: string): Row =>
  path === undefined ? { act: 'reads' } : { act: 'reads', path: () => path }

const ROWS: Readonly<Record<string, Row>> = {
  'GET /portfolio/balance': reads(),
  'GET /portfolio/trading/allowance': reads(),
  'GET /markets/:slug/locked-balance': reads('/markets/rain/locked-balance'),
  'GET /portfolio/positions': reads(),
  'GET /portfolio/trades': reads(),
  'GET /portfolio/fills': reads(),
  'GET /portfolio/pnl-chart': reads(),
  'GET /portfolio/history': reads('/portfolio/history?limit=5'),
  'GET /parlay/partner/positions': reads(),
  'GET /parlay/partner/positions/:id': reads(POSITION),
  'POST /parlay/partner/quote': { act: 'reads', body: () => inPack },
  'POST /parlay/partner/positions/:id/claim': {
    act: 'reads',
    path: () => `${POSITION}/claim`,
    body: () => ({}),
  },
  'POST /parlay/partner/positions/:id/claim/confirm': {
    act: 'reads',
    path: () => `${POSITION}/claim/confirm`,
    body: () => ({ txHash: `0x${'1'.repeat(64)}` }),
  },
  'POST /parlay/partner/buy': {
    act: 'moves',
    body: (profileId) => ({
      ...inPack,
      minPayoutAmount: '1000000',
      idempotencyKey: `${profileId}`,
      deadline: String(Math.floor(live.nowMs() / 1000) + 60),
    }),
  },
  'GET /solvency/proof': reads(),
  'GET /orders': reads(),
  'GET /orders/:orderId': reads(`/orders/${cancelOf.orderId}`),
  'GET /orders/:orderId/queue': reads(`/orders/${cancelOf.orderId}/queue`),
  'GET /orders/queue': reads('/orders/queue?market=rain'),
  'GET /order-groups': reads(),
  'GET /order-groups/:orderGroupId': reads('/order-groups/1'),
  'GET /markets/:slug/user-orders': reads('/markets/rain/user-orders'),
  'GET /sports-markets/:slug/user-orders': reads('/sports-markets/final/user-orders'),
  'POST /orders/status/batch': { act: 'reads', body: () => ({ items: [cancelOf] }) },
  'POST /amm/allowances/check': {
    act: 'reads',
    body: () => ({ market: 'pool', side: 'BUY' }),
  },
  'POST /mcp': {
    act: 'reads',
    body: () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get_my_orders' },
    }),
  },
  'DELETE /orders/:orderId': { act: 'frees', path: () => `/orders/${cancelOf.orderId}` },
  'DELETE /orders/all': { act: 'frees' },
  'DELETE /orders/all/:slug': { act: 'frees', path: () => '/orders/all/rain' },
  'DELETE /sports-markets/:slug/user-orders': {
    act: 'frees',
    path: () => '/sports-markets/final/user-orders',
  },
  'POST /orders/cancel': { act: 'frees', body: () => cancelOf },
  'POST /orders/batch-cancel': { act: 'frees', body: () => ({ orderIds: [cancelOf.orderId] }) },
  'POST /orders/cancel-batch': { act: 'frees', body: () => ({ orderIds: [cancelOf.orderId] }) },
  'POST /heartbeats': { act: 'frees', body: () => ({ cancelAt: live.nowMs() + 60_000 }) },
  'POST /order-groups': { act: 'frees', body: () => ({ maxFillRaw: 1 }) },
  'POST /order-groups/:orderGroupId/reset': { act: 'frees', path: () => '/order-groups/1/reset' },
  'DELETE /order-groups/:orderGroupId': { act: 'frees', path: () => '/order-groups/1' },
  'POST /orders': { act: 'orders', body: unsigned },
  'POST /orders/batch': {
    act: 'orders',
    body: (profileId) => ({ orders: [unsigned(profileId)] }),
    inner: ['results', 0, 'code'],
  },
  'POST /orders/cancel-replace': {
    act: 'orders',
    body: replacing,
    inner: ['replacement', 'error', 'code'],
  },
  'POST /orders/cancel-replace/batch': {
    act: 'orders',
    body: (profileId) => ({ operations: [replacing(profileId)] }),
    inner: ['results', 0],
  },
  'POST /orders/:orderId/amend': {
    act: 'orders',
    path: () => `/orders/${cancelOf.orderId}/amend`,
    body: amending,
  },
  'POST /orders/amend/batch': {
    act: 'orders',
    body: (profileId) => ({ operations: [{ order: cancelOf, ...amending(profileId) }] }),
    inner: ['results', 0, 'code'],
  },
  'POST /portfolio/split': { act: 'moves', body: pair },
  'POST /portfolio/merge': { act: 'moves', body: pair },
  'POST /portfolio/convert': {
    act: 'moves',
    body: () => ({ conditionIds: group, amount: '1000' }),
  },
  'POST /portfolio/redeem': { act: 'moves', body: () => ({ conditionId }) },
  'POST /portfolio/withdraw': { act: 'moves', body: () => ({ amount: '1000' }) },
  'POST /amm/buy': { act: 'moves', body: () => ({ ...inPool, collateralAmount: '1000' }) },
  'POST /amm/sell': { act: 'moves', body: () => ({ ...inPool, collateralReturnAmount: '1000' }) },
  'POST /amm/allowances/approve': {
    act: 'moves',
    body: () => ({ market: 'pool', side: 'SELL' }),
  },
  'GET /profiles/partner-accounts/:profileId/allowances': {
    act: 'reads',
    path: (profileId) => `/profiles/partner-accounts/${profileId}/allowances`,
  },
  'POST /profiles/partner-accounts/:profileId/allowances/retry': {
    act: 'moves',
    path: (profileId) => `/profiles/partner-accounts/${profileId}/allowances/retry`,
    body: () => ({}),
  },
}

/** Each call that names a sub-account: by the header, or in its path. */
const onBehalf = () =>
  api.filter(({ headers, rejects }) => {
    return headers[HEADER] !== undefined || rejects.includes('NOT_SUB_ACCOUNT')
  })
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

test('every call that can be for a sub-account has a row, and no other call', () => {
  assert.deepEqual(Object.keys(ROWS).sort(), onBehalf().map(nameOf).sort())
})

/** Refusals that are about who acts for whom. */
const ABOUT_CUSTODY = ['NOT_SUB_ACCOUNT', 'NO_SERVER_WALLET', 'PROFILE_FROZEN', 'SCOPE_MISSING']

const EXPECTED: Readonly<Record<Row['act'], Readonly<Record<Kind, string>>>> = {
  reads: { wallet: '', own: '', foreign: 'NOT_SUB_ACCOUNT', left: 'NOT_SUB_ACCOUNT', frozen: '' },
  frees: { wallet: '', own: '', foreign: 'NOT_SUB_ACCOUNT', left: 'NOT_SUB_ACCOUNT', frozen: '' },
  orders: {
    wallet: '',
    own: 'NO_SERVER_WALLET',
    foreign: 'NOT_SUB_ACCOUNT',
    left: 'NOT_SUB_ACCOUNT',
    frozen: 'PROFILE_FROZEN',
  },
  moves: {
    wallet: '',
    own: 'NO_SERVER_WALLET',
    foreign: 'NOT_SUB_ACCOUNT',
    left: 'NOT_SUB_ACCOUNT',
    frozen: 'PROFILE_FROZEN',
  },
}
/** Approvals exist for server wallets alone. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'GET /profiles/partner-accounts/:profileId/allowances own': 'NO_SERVER_WALLET',
}

/** The refusal about custody that a reply gives, its status included; '' without one. */
function custodyOf(row: Row, reply: Reply): string {
  const { status, text } = reply
  const found = ABOUT_CUSTODY.find((code) => text.includes(`"${code}"`)) ?? ''
  if (found === '' || row.inner === undefined || status === 403) {
    if (found !== '') assert.equal(status, 403, text)
    assert.ok(found !== '' || status < 403 || [404, 409, 422].includes(status), text)
    return found
  }
  assert.ok(status === 200 || status === 409, text)
  assert.ok(JSON.stringify(at(reply.body, ...row.inner)).includes(found), text)
  return found
}

for (const kind of KINDS) {
  test(`what a partner may do for a sub-account of the kind ${kind}`, async () => {
    const profileId = children.get(kind) ?? 0
    for (const route of onBehalf()) {
      const name = nameOf(route)
      const { [name]: row } = ROWS
      const path = row.path?.(profileId) ?? route.path
      const headers: Record<string, string> =
        route.headers[HEADER] === undefined ? {} : { [HEADER]: String(profileId) }
      const reply = await live.call(partner, route.method, path, row.body?.(profileId), { headers })
      const expected = EXCEPTIONS[`${name} ${kind}`] ?? EXPECTED[row.act][kind]
      assert.equal(custodyOf(row, reply), expected, `${name}: ${reply.text}`)
    }
  })
}

const fundsOf = (profileId: number) => {
  const { ledger } = live.exchange.pipeline.clearing
  return ledger.collateralFreeRaw[profileId] + ledger.collateralReservedRaw[profileId]
}

test('a sub-account that signs for itself keeps its money, and may order', async () => {
  const headers = { [HEADER]: String(own.profileId) }
  const taken = await live.call(
    ...([partner, 'POST', '/portfolio/withdraw', { amount: '1000' }] as const),
    { headers },
  )
  assert.equal(`${taken.status} ${codeOf(taken)}`, '403 NO_SERVER_WALLET')
  assert.equal(fundsOf(own.profileId), FUNDS_RAW)
  const signed = { ...orderBody(own, market, { ticks: 100 }), ownerId: own.profileId }
  const placed = await accepted(live.call(partner, 'POST', '/orders', signed, { headers }), 201)
  const orderId = orderIdOf(placed)
  for (const mode of ['STOP_ON_FAILURE', 'ALLOW_FAILURE']) {
    const body = { ...replacing(own.profileId), cancel: { orderId }, mode }
    const one = await live.call(partner, 'POST', '/orders/cancel-replace', body, { headers })
    assert.equal(`${one.status} ${codeOf(one)}`, '403 NO_SERVER_WALLET')
    const path = '/orders/cancel-replace/batch'
    const many = await live.call(partner, 'POST', path, { operations: [body] }, { headers })
    assert.equal(at(many.body, 'results', 0, 'cancel', 'error', 'code'), 'NO_SERVER_WALLET')
  }
  const found = await live.call(partner, 'GET', `/orders/${orderId}`, undefined, { headers })
  assert.equal(at(found.body, 'order', 'status'), 'LIVE', 'nothing was canceled')
  await accepted(live.call(partner, 'DELETE', `/orders/${orderId}`, undefined, { headers }))
})

test('no call of another kind takes the header, and none acts for its caller then', async () => {
  const headers = { [HEADER]: String(children.get('wallet')) }
  const others = api.filter((route) => route.headers[HEADER] === undefined)
  assert.ok(others.length > 100)
  for (const { method, path, example } of others) {
    const params = Object.entries(Object(example.params ?? {}))
    const target = params.reduce(
      (text, [name, value]) => text.replace(`:${name}`, `${value}`),
      path,
    )
    const { body } = example
    const signed = await live.call(partner, method, target, body, { headers })
    // Calls of other proofs are refused for their proof first.
    if ([401, 403].includes(signed.status) && !target.startsWith('/profiles/partner')) continue
    assert.equal(`${signed.status} ${codeOf(signed)}`, '400 VALIDATION', `${method} ${path}`)
    assert.equal(at(signed.body, 'message', 0, 'field'), HEADER, signed.text)
    assert.equal(signed.headers.get('cache-control')?.includes('no-store'), true, path)
  }
})

test('a sub-account sees its partner, and leaves it', async () => {
  const child = await ownWallet(live, partner, FUNDS_RAW)
  const cookie = await cookieFor(child)
  const me = () => withCookie(live, cookie, 'GET', '/profiles/me')
  const shown = await live.call(partner, 'GET', '/profiles/me')
  assert.deepEqual(at((await me()).body, 'partner'), {
    id: partner.profileId,
    displayName: at(shown.body, 'displayName'),
  })
  assert.equal(at(shown.body, 'partner'), null)
  const headers = { [HEADER]: String(child.profileId) }
  const read = () => live.call(partner, 'GET', '/portfolio/balance', undefined, { headers })
  assert.equal((await read()).status, 200)
  const list = () => live.call(partner, 'GET', '/profiles/partner-accounts')
  assert.ok((await list()).text.includes(child.account))
  const before = live.exchange.pipeline.clearing.lastSeq
  await accepted(leave(child))
  assert.ok(live.exchange.pipeline.clearing.lastSeq > before, 'a command says so')
  assert.equal(at((await me()).body, 'partner'), null)
  assert.equal(codeOf(await read()), 'NOT_SUB_ACCOUNT')
  assert.ok(!(await list()).text.includes(child.account))
  const signed = { ...orderBody(child, market, { ticks: 100 }), ownerId: child.profileId }
  const restricted = await live.call(partner, 'POST', '/orders', signed, { headers })
  assert.equal(`${restricted.status} ${codeOf(restricted)}`, '403 NOT_SUB_ACCOUNT')
  await accepted(live.call(child, 'POST', '/orders', signed), 201)
  const again = await leave(child)
  assert.equal(`${again.status} ${codeOf(again)}`, '404 NO_PARTNER')
})

test('nobody but a sub-account has a partner to leave', async () => {
  const wallet = newWallet()
  const cookie = cookieOf(await login(live, wallet))
  const reply = await withCookie(live, cookie, 'DELETE', '/profiles/me/partner')
  assert.equal(`${reply.status} ${codeOf(reply)}`, '404 NO_PARTNER')
  assert.equal(codeOf(await live.send('DELETE', '/profiles/me/partner')), 'COOKIE_REQUIRED')
})

test('a frozen partner makes no sub-account and submits no approval', async () => {
  const rights = { apiToken: { scopes: PARTNER_RIGHTS } }
  const cold = await live.trader(0, rights)
  const desk = await serverWallet(live, cold, 0)
  await live.admin(`/admin/profiles/${cold.profileId}/freeze`, { reason: 'A test.' })
  const path = '/profiles/partner-accounts'
  const made = await live.call(cold, 'POST', path, { createServerWallet: true })
  assert.equal(`${made.status} ${codeOf(made)}`, '403 PROFILE_FROZEN')
  const retry = await live.call(cold, 'POST', `${path}/${desk.profileId}/allowances/retry`, {})
  assert.equal(`${retry.status} ${codeOf(retry)}`, '403 PROFILE_FROZEN')
})
