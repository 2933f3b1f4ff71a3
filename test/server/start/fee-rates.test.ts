import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feeRatesRefusal } from '../../../server/start/fee-rates.ts'
import { exchange } from '../../support/exchange.ts'
import { ExchangeDriver } from '../../support/exchange-driver.ts'
import { at } from '../../support/json-path.ts'
import { startLive } from '../../support/live-exchange.ts'
import { assertRefused, type Reply } from '../../support/replies.ts'

// Makers and those who refer takers get the whole fee together at most (rules §3.2).

test('a start names the first market whose parts are more than the whole fee', () => {
  const driver = new ExchangeDriver(64)
  driver.addMarket({ slug: 'fair', rebateBps: 8000 })
  driver.addMarket({ slug: 'greedy', rebateBps: 8001 })
  const { clearing } = driver
  assert.equal(feeRatesRefusal(clearing, 1999), null)
  assert.equal(
    feeRatesRefusal(clearing, 2000),
    'Market greedy has rebateBps 8001, and --referral-bps is 2000: together they may not exceed ' +
      '10000. Start with --referral-bps 1999 or less; to give more to referrers, lower ' +
      'rebateBps first (PATCH /admin/markets/greedy).',
  )
  assert.match(feeRatesRefusal(clearing, 2001) ?? '', /^Market fair has rebateBps 8000, /)
  for (const marketId of [1, 2]) {
    const resolutions = [{ marketId, payoutNumerators: [1, 0] as const }]
    driver.control({ kind: 'resolveMarkets', resolutions })
  }
  assert.equal(feeRatesRefusal(clearing, 10_000), null, 'no trade of a resolved market comes')
})

const SERIES = {
  symbol: 'BTC',
  frequency: 'minutely',
  subFrequency: 'minutes_5',
  assetName: 'Bitcoin',
  stableSlug: 'btc-now',
  slugPrefix: 'btc-5m',
  title: 'Bitcoin up or down',
}
const ISSUE = {
  field: 'rebateBps',
  message:
    'is 8001, and --referral-bps is 2000: together they may not exceed 10000; choose 8000 or less',
}

test('admin calls refuse a rebate that leaves too little, and so does a start', async () => {
  const { live } = await exchange({ flags: ['--referral-bps', '2000'] })
  const call = (path: string, body: object) => live.admin(path, body)
  const edit = (path: string, body: object) => live.operator('PATCH', path, body)
  const child = (slug: string, more = {}) => ({ slug, title: `${slug}?`, ...more })
  const greedy = { rebateBps: 8001 }
  const rain = { kind: 'clob', ...child('rain') }
  const cup = { ...child('cup'), markets: [child('reds'), child('blues')] }
  const refused: [string, Reply][] = [
    ['a market', await call('/admin/markets', { ...rain, ...greedy })],
    ['a group', await call('/admin/groups', { ...cup, ...greedy })],
    [
      'a market of a group',
      await call('/admin/groups', { ...cup, markets: [child('reds'), child('blues', greedy)] }),
    ],
    ['a series', await call('/admin/series', { ...SERIES, ...greedy })],
  ]
  const fair = { rebateBps: 8000 }
  assert.equal((await call('/admin/markets', { ...rain, ...fair })).status, 201)
  assert.equal((await call('/admin/series', { ...SERIES, ...fair })).status, 201)
  refused.push(['an edit of a market', await edit('/admin/markets/rain', greedy)])
  refused.push(['an edit of a series', await edit('/admin/series/1', greedy)])
  for (const [what, reply] of refused) {
    assertRefused(reply, 400, 'VALIDATION', what)
    assert.deepEqual(at(reply.body, 'message'), [ISSUE], what)
  }
  assert.equal((await edit('/admin/markets/rain', { rebateBps: 0 })).status, 200)
  await live.stop()
  const late = startLive({ dataDir: live.dataDir, flags: ['--referral-bps', '2001'] })
  await assert.rejects(
    late,
    /^DataFolderError: Series btc-now has rebateBps 8000, and --referral-bps/,
  )
})
