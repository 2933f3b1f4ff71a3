import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../../../server/api/routes.ts'
import { ON_BEHALF_HEADER } from '../../../../server/edge/http/access/on-behalf.ts'
import { exchange } from '../../../support/exchange.ts'
import type { Trader } from '../../../support/live-exchange.ts'
import { PARTNER_RIGHTS, serverWallet, tokenOf } from '../../../support/live-partners.ts'
import { codeOf, type Reply } from '../../../support/replies.ts'

// The account whose money a call moves (rules §12.1): header, query and body name it alike.

const FUNDS_RAW = 100_000_000
const NO_PACK = '706f7369-0000-8000-8000-000000000001'
const { live } = await exchange()
/** Tokens of the partner that may move money, and may not act for others. */

const rights = [...PARTNER_RIGHTS, 'withdrawal']
const partner = await live.trader(FUNDS_RAW, { apiToken: { scopes: rights } })
const alone = await tokenOf(live, partner, ['trading', 'withdrawal'])
const other = await live.trader(FUNDS_RAW, { apiToken: { scopes: rights } })
const desk = await serverWallet(live, partner, FUNDS_RAW)
const foreign = await serverWallet(live, other, FUNDS_RAW)
await live.openMarket('rain')
const conditionId = live.exchange.pipeline.clearing.catalogue.bySlug('rain')?.conditionId ?? ''

/** The body of each call, and its answer for the desk, which holds nothing but collateral. */
const CALLS: Readonly<Record<string, { body: () => object; answer: string }>> = {
  '/portfolio/split': { body: () => ({ conditionId, amount: '1000' }), answer: '201' },
  '/portfolio/merge': { body: () => ({ conditionId, amount: '1000' }), answer: '201' },
  '/portfolio/convert': {
    body: () => ({ conditionIds: [conditionId], amount: '1' }),
    answer: '400 MARKET_NOT_GROUP',
  },
  '/portfolio/redeem': { body: () => ({ conditionId }), answer: '400 MARKET_NOT_RESOLVED' },
  '/amm/buy': {
    body: () => ({ market: 'rain', outcomeIndex: 0, collateralAmount: '1' }),
    answer: '400 MARKET_NOT_POOL',
  },
  '/amm/sell': {
    body: () => ({ market: 'rain', outcomeIndex: 0, collateralReturnAmount: '1' }),
    answer: '400 MARKET_NOT_POOL',
  },
  '/amm/allowances/check': {
    body: () => ({ market: 'rain', side: 'BUY' }),
    answer: '400 MARKET_NOT_POOL',
  },
  '/amm/allowances/approve': {
    body: () => ({ market: 'rain', side: 'SELL' }),
    answer: '400 MARKET_NOT_POOL',
  },
  '/portfolio/withdraw': { body: () => ({ amount: '1000' }), answer: '201' },
  '/parlay/partner/quote': {
    body: () => ({ packId: NO_PACK, stakeAmount: '1000000' }),
    answer: '404 PACK_NOT_FOUND',
  },
  '/parlay/partner/buy': {
    body: () => ({
      packId: NO_PACK,
      stakeAmount: '1000000',
      minPayoutAmount: '1000000',
      deadline: String(Math.floor(live.nowMs() / 1000) + 60),
      idempotencyKey: 'a',
    }),
    answer: '404 PACK_NOT_FOUND',
  },
  '/parlay/partner/positions/:id/claim': {
    body: () => ({}),
    answer: '404 PACK_NOT_FOUND',
  },
  '/parlay/partner/positions/:id/claim/confirm': {
    body: () => ({ txHash: `0x${'1'.repeat(64)}` }),
    answer: '404 PACK_NOT_FOUND',
  },
}

test('the table has a row for each call that moves money and takes the header', () => {
  const [header] = Object.keys(ON_BEHALF_HEADER)
  const routes = api.filter(({ headers, path, method }) => {
    return (
      headers[header] !== undefined && /^\/(portfolio|amm|parlay)\//.test(path) && method === 'POST'
    )
  })
  assert.deepEqual(routes.map(({ path }) => path).sort(), Object.keys(CALLS).sort())
})

interface Naming {
  readonly header?: string
  readonly query?: unknown
  readonly given?: unknown
}

function send(caller: Trader, path: string, body: object, naming: Naming): Promise<Reply> {
  const { header, query, given } = naming
  const headers = header === undefined ? {} : { headers: { 'x-on-behalf-of': header } }
  const named = path.replace(':id', NO_PACK)
  const target = query === undefined ? named : `${named}?onBehalfOf=${query}`
  const whole = given === undefined ? body : { ...body, onBehalfOf: given }
  return live.call(caller, 'POST', target, whole, headers)
}

const reported = (reply: Reply) =>
  reply.status === 201 ? '201' : `${reply.status} ${codeOf(reply)}`

for (const [path, { body, answer }] of Object.entries(CALLS)) {
  test(`POST ${path} is for the account that header, query or body names`, async () => {
    const id = desk.profileId
    const report = async (naming: Naming, caller = partner) =>
      reported(await send(caller, path, body(), naming))
    for (const header of ['0', '-1', 'x', '1.5', '2147483648', '']) {
      assert.equal(await report({ header }), '400 VALIDATION')
    }
    for (const given of [0, -1, 1.5, 2 ** 31, '1']) {
      assert.equal(await report({ given }), '400 VALIDATION')
    }
    for (const naming of [
      { header: String(id), given: foreign.profileId },
      { header: String(foreign.profileId), query: id },
      { query: foreign.profileId, given: id },
    ]) {
      assert.equal(await report(naming), '400 VALIDATION')
    }
    for (const target of [foreign.profileId, partner.profileId, 999_999]) {
      assert.equal(await report({ header: String(target) }), '403 NOT_SUB_ACCOUNT')
      assert.equal(await report({ given: target }), '403 NOT_SUB_ACCOUNT')
    }
    assert.equal(await report({ given: id }, other), '403 NOT_SUB_ACCOUNT')
    assert.equal(await report({ given: id }, alone), '403 SCOPE_MISSING')
    for (const naming of [{ header: String(id) }, { query: id }, { given: id }]) {
      assert.equal(await report(naming), answer, JSON.stringify(naming))
    }
    assert.deepEqual(live.balances(partner), { freeRaw: FUNDS_RAW, reservedRaw: 0 })
  })
}
