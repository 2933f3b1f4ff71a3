import assert from 'node:assert/strict'
import { ORDER_GROUP_LIMITS } from '../../../engine/domain/order-group-limits.ts'
import { PACK_LIMITS } from '../../../engine/domain/packs/pack-limits.ts'
import { SOCIAL_LIMITS } from '../../../engine/domain/social/social-limits.ts'
import {
  type ExchangeClient,
  SHARE,
  send,
  type TestMarket,
  type Trader,
} from '../../support/exchange-client.ts'
import { at } from '../../support/json-path.ts'
import { ADMIN_TOKEN } from '../../support/server-process.ts'

// What attacks on everything around the market find: a public list of bookmarks at its bound, a
// profile that many follow, one that follows others, a house with money, a pack, order groups at
// their bound, a market page, a property, a series and a match.

const HOUSE_RAW = 1_000_000_000_000
/** Both outcomes of a leg are for sale at 0.6. */
const LEG = { ticks: 400, sizeRaw: 1000 * SHARE } as const

export interface Around {
  readonly attacker: Trader
  readonly famous: Trader
  readonly fans: readonly Trader[]
  readonly followed: readonly Trader[]
  /** Two markets that packs can be made of. */
  readonly legs: readonly TestMarket[]
  /** Of markets; as many are bookmarked as a profile may have. */
  readonly slugs: readonly string[]
}

/** Names of things that reads ask for. */
export interface Things {
  readonly pageId: string
  readonly keyId: string
  readonly stableSlug: string
  /** A market of the series. */
  readonly slotSlug: string
  readonly matchSlug: string
  readonly packId: string
  /** One of as many packs as the list of operators holds. */
  readonly curatedId: string
  /** One of as many order groups as the attacker may have. */
  readonly orderGroupId: string
}

export async function prepareAround(client: ExchangeClient, around: Around): Promise<Things> {
  const { attacker, famous, fans, followed, slugs } = around
  const requested = async (trader: Trader, method: string, path: string, body = '') => {
    const reply = await client.call(trader, method, path, body)
    assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply.body)}`)
  }
  await client.admin('/admin/house', { collateralRaw: HOUSE_RAW })
  for (const slug of slugs.slice(0, SOCIAL_LIMITS.bookmarksPerProfileMax)) {
    await requested(attacker, 'PUT', `/market-bookmarks/clob/${slug}`)
  }
  await requested(attacker, 'PATCH', '/market-bookmarks/visibility', '{"isPublic":true}')
  for (const fan of fans) await requested(fan, 'PUT', `/profiles/${famous.account}/follow`)
  for (const { account } of followed)
    await requested(attacker, 'PUT', `/profiles/${account}/follow`)
  return {
    ...(await madeByOperator(client, slugs[0])),
    packId: await madePack(client, around),
    curatedId: await fillCurated(client, around),
    orderGroupId: await fillGroups(client, around),
  }
}

/** Creates as many order groups as a profile may have; gives the id of one. */
async function fillGroups(client: ExchangeClient, { attacker }: Around): Promise<string> {
  let id = ''
  for (let count = 0; count < ORDER_GROUP_LIMITS.groupsOfProfileMax; count++) {
    const made = await client.call(attacker, 'POST', '/order-groups', '{"maxFillRaw":1000}')
    id = String(at(made.body, 'orderGroupId'))
  }
  return id
}

async function madeByOperator(
  client: ExchangeClient,
  marketSlug: string,
): Promise<Omit<Things, 'packId' | 'curatedId' | 'orderGroupId'>> {
  const page = await client.admin('/admin/market-pages', { slug: 'all', name: 'All markets' })
  const key = { name: 'Length', slug: 'length', type: 'multi-select' }
  const property = await client.admin('/admin/property-keys', key)
  await client.admin('/admin/series', {
    symbol: 'BTC',
    frequency: 'daily',
    slotsAhead: 1,
    strikePrice: '95000',
    stableSlug: 'btc-now',
    slugPrefix: 'btc-day',
    title: 'Up or down',
    assetName: 'Bitcoin',
  })
  const slot = at(await client.get('/markets/stable/btc-now'), 'slug')
  const match = {
    title: 'Reds v Blues',
    sportType: 'football',
    startsAt: 0,
    fixtureId: 1,
    home: { name: 'Reds' },
    away: { name: 'Blues' },
    markets: [{ slug: marketSlug }],
  }
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const put = { headers, body: JSON.stringify(match) }
  const made = await send(client.baseUrl, 'PUT', '/admin/sports/matches/reds-blues', put)
  assert.ok(made.status < 300, JSON.stringify(made.body))
  return {
    pageId: String(at(page, 'id')),
    keyId: String(at(property, 'id')),
    slotSlug: String(slot),
    stableSlug: 'btc-now',
    matchSlug: 'reds-blues',
  }
}

/** Fills the list of curated packs; gives the id of one. */
async function fillCurated(client: ExchangeClient, { legs }: Around): Promise<string> {
  const named = legs.map(({ slug }) => ({ marketSlug: slug, outcomeIndex: 0 }))
  let id = ''
  for (let count = 0; count < PACK_LIMITS.curatedMax; count++) {
    const made = await client.admin('/admin/packs', { name: `Pack ${count}`, legs: named })
    id = String(at(made, 'id'))
  }
  return id
}

/** One maker offers a pack, and another profile accepts it. */
async function madePack(client: ExchangeClient, around: Around): Promise<string> {
  const { attacker, famous } = around
  for (const [index, market] of around.legs.entries()) {
    for (const outcome of ['yes', 'no'] as const) {
      const wanted = {
        isBuy: true,
        outcome,
        ...LEG,
        type: 'GTC',
        salt: Date.now() + index,
      } as const
      await client.placed(famous, market, wanted)
    }
  }
  const legs = around.legs.map(({ slug }) => ({ marketSlug: slug, outcomeIndex: 0 }))
  const offer = JSON.stringify({ legs, stakeMax: '2000000', payout: '6000000' })
  const offered = await client.call(famous, 'POST', '/parlay/offers', offer)
  assert.equal(offered.status, 201, JSON.stringify(offered.body))
  const path = `/parlay/offers/${at(offered.body, 'id')}/accept`
  const made = await client.call(attacker, 'POST', path, JSON.stringify({ stake: '2000000' }))
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return String(at(made.body, 'id'))
}
