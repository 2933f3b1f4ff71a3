import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSample, samplesWith } from '../support/client-samples.ts'
import { exchange } from '../support/exchange.ts'
import { LEFT_OUT } from '../support/funds.ts'
import { serverWallet } from '../support/live-partners.ts'
import { accepted } from '../support/replies.ts'
import { until } from '../support/until.ts'

// The samples that come with the public client: those of its README that are whole. They run as
// they are, except for what they have as a literal: the address of the exchange, a market and a
// profile. Its sample programs are not in the package; public-client.test.ts, amm-client.test.ts
// and public-sockets.test.ts make the same calls.

const THEIR_ADDRESS = 'https://api.limitless.exchange'
const MARKETS = 9
// A block holds each trade at once.
const { live } = await exchange({ flags: ['--block-ms', '0'] })

for (const [slug, values] of [
  ['duration', ['hourly']],
  ['ticker', ['btc', 'eth']],
] as const) {
  const options = values.map((value) => ({ value, label: value }))
  await accepted(live.admin('/admin/property-keys', { name: slug, slug, options }), 201)
}
const page = await live.admin('/admin/market-pages', { name: 'Crypto', slug: 'crypto' })
assert.equal(page.status, 201, page.text)
for (let index = 0; index < MARKETS; index++) {
  const properties = { duration: ['hourly'], ticker: [index < 3 ? 'btc' : 'eth'] }
  await live.openMarket(`market-${index}`, { properties })
}

/** The only sample that makes this call and needs no key. */
function sampleWith(call: string): string {
  const samples = samplesWith(call).filter((code) => !/ethers|ApiKey|hmac/.test(code))
  assert.equal(samples.length, 1, `one sample with ${call}`)
  assert.ok(samples[0].includes(THEIR_ADDRESS))
  return samples[0].replaceAll(THEIR_ADDRESS, `http://127.0.0.1:${live.port}`)
}

test('the sample that lists active markets finds them, page by page', async () => {
  assert.match(await runSample(sampleWith('getActiveMarkets')), /^Found 8 of 9 markets$/m)
})

test('the sample that follows a page reads its markets by filters', async () => {
  assert.match(await runSample(sampleWith('getMarketPageByPath')), /^Total markets: 9$/m)
})

const RIGHTS = ['trading', 'delegated_signing', 'account_creation', 'withdrawal']
const UNIT = 1_000_000

test('the sample of server wallets redeems what one won, and pays it out', async () => {
  const partner = await live.trader(0, { apiToken: { scopes: RIGHTS } })
  const desk = await serverWallet(live, partner, 10 * UNIT)
  await live.openMarket('over')
  const { catalogue } = live.exchange.pipeline.clearing
  const market = catalogue.bySlug('over')
  assert(market !== undefined)
  const { conditionId } = market
  const pairs = { conditionId, amount: '5000000', onBehalfOf: desk.profileId }
  assert.equal((await live.call(partner, 'POST', '/portfolio/split', pairs)).status, 201)
  await live.admin('/admin/markets/over/resolve', { winningOutcomeIndex: 0 })
  await until(() => market.isPaidOut)
  const [sample] = samplesWith('redeemPositions')
  const code = sample
    .replaceAll(THEIR_ADDRESS, `http://127.0.0.1:${live.port}`)
    .replaceAll("'0x...'", `'${conditionId}'`)
    .replaceAll('352', String(desk.profileId))
  const { tokenId, secret } = partner
  await runSample(code, { LIMITLESS_API_TOKEN_ID: tokenId, LIMITLESS_API_TOKEN_SECRET: secret })
  // 5 were split and came back by the redemption; 5 were paid out.
  assert.equal(live.exchange.pipeline.clearing.ledger.freeRaw(desk.profileId), 5 * UNIT)
})

test('the sample of pools approves, buys and sells for a server wallet', {
  skip: LEFT_OUT.pools,
}, async () => {
  const partner = await live.trader(2000 * UNIT, { apiToken: { scopes: RIGHTS } })
  const desk = await serverWallet(live, partner, 10 * UNIT)
  await live.admin('/admin/markets', { kind: 'amm', slug: 'pool', title: 'Pool?' })
  const given = { profileId: partner.profileId, collateralRaw: 1000 * UNIT }
  await accepted(live.admin('/admin/markets/pool/liquidity', given), 201)
  const [sample] = samplesWith('ensureAllowance')
  const code = sample
    .replace('new Client({', `new Client({ baseURL: 'http://127.0.0.1:${live.port}',`)
    .replaceAll('market-slug', 'pool')
    .replaceAll('12345', String(desk.profileId))
  const { tokenId, secret } = partner
  const stated = await runSample(code, { LMTS_TOKEN_ID: tokenId, LMTS_SECRET: secret })
  assert.deepEqual(stated.trim().split('\n'), [
    'SUBMITTED 1991008 1971097',
    'SUBMITTED 1991005 2010916',
  ])
})
