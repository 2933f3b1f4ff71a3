import assert from 'node:assert/strict'
import type { ExchangeClient, Trader } from '../support/exchange-client.ts'
import { at } from '../support/json-path.ts'

// What the actors hold besides collateral: pairs of shares in open and resolved markets and in the
// children of a group, parts of a pool, and approvals of that pool. Nobody resolves the group or
// the pools, so these holdings change by calls of their holders alone.

/** The values of the marks that name holdings. */
export interface Holdings {
  /** Condition ids of open markets, of the children of one group and of resolved markets. */
  readonly conditions: readonly string[]
  readonly childconditions: readonly string[]
  readonly paidconditions: readonly string[]
  /** Slugs of funded pools: the holders approved the first kind, nobody approved the second. */
  readonly poolmarkets: readonly string[]
  readonly barepools: readonly string[]
  /** Slugs of pools without liquidity. */
  readonly draftpools: readonly string[]
}

/** A profile and the trader who signs for it. */
export interface Holder {
  readonly trader: Trader
  readonly profileId: number
  /** Whether the token of the trader opens calls on pools. */
  readonly tradesPools: boolean
}

interface Plan {
  readonly holders: readonly Holder[]
  /** Slugs of open markets, and of open markets that are resolved once there are shares. */
  readonly open: readonly string[]
  readonly ending: readonly { readonly slug: string; readonly payoutNumerators: number[] }[]
}

const SHARE = 1_000_000
const FUNDS_RAW = 1_000 * SHARE
const PAIRS_RAW = 20 * SHARE
const SPENT_RAW = 10 * SHARE
const GROUP = 'fuzz-group'
const CHILDREN = ['a', 'b', 'c'].map((name) => `${GROUP}-${name}`)
const CONVERT_FEE_BPS = 100
const POOL = 'fuzz-pool'
const BARE_POOL = 'fuzz-pool-bare'
const DRAFT_POOLS = ['fuzz-draft-a', 'fuzz-draft-b']
const CONFIRMED_MS = 10_000

export async function holdingsOf(
  client: ExchangeClient,
  { holders, open, ending }: Plan,
): Promise<Holdings> {
  const markets = CHILDREN.map((slug) => ({ slug, title: slug }))
  const group = { slug: GROUP, title: 'Which of them?', convertFeeBps: CONVERT_FEE_BPS, markets }
  await client.admin('/admin/groups', group)
  const conditionsOf = (slugs: readonly string[]) =>
    Promise.all(slugs.map((slug) => conditionOf(client, slug)))
  const conditions = await conditionsOf(open)
  const childconditions = await conditionsOf(CHILDREN)
  const paidconditions = await conditionsOf(ending.map(({ slug }) => slug))
  const all = [...conditions, ...childconditions, ...paidconditions]
  await Promise.all(
    holders.flatMap((holder) =>
      all.map((conditionId) =>
        done(client, holder, '/portfolio/split', { conditionId, amount: `${PAIRS_RAW}` }),
      ),
    ),
  )
  for (const { slug, payoutNumerators } of ending) {
    await client.admin(`/admin/markets/${slug}/resolve`, { payoutNumerators })
  }
  await makePools(client, holders)
  const pools = { poolmarkets: [POOL], barepools: [BARE_POOL], draftpools: DRAFT_POOLS }
  return { conditions, childconditions, paidconditions, ...pools }
}

async function conditionOf(client: ExchangeClient, slug: string): Promise<string> {
  const conditionId = at(await client.get(`/markets/${slug}`), 'conditionId')
  assert.ok(typeof conditionId === 'string', `${slug} has a condition`)
  return conditionId
}

/** Makes a call of the holder that must succeed. */
async function done(
  client: ExchangeClient,
  { trader, profileId }: Holder,
  path: string,
  fields: object,
): Promise<unknown> {
  const onBehalf = profileId === trader.profileId ? {} : { onBehalfOf: profileId }
  const body = JSON.stringify({ ...fields, ...onBehalf })
  const reply = await client.call(trader, 'POST', path, body)
  assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply.body)}`)
  return reply.body
}

/** Makes the pools. Each holder provides to the first; most may trade with it and have shares. */
async function makePools(client: ExchangeClient, holders: readonly Holder[]): Promise<void> {
  for (const slug of [POOL, BARE_POOL, ...DRAFT_POOLS]) {
    await client.admin('/admin/markets', { kind: 'amm', slug, title: slug })
  }
  const provider = await client.makeTrader('fuzz provider', 2 * FUNDS_RAW)
  for (const slug of [POOL, BARE_POOL]) await fund(client, slug, provider.profileId, FUNDS_RAW)
  for (const { profileId } of holders) await fund(client, POOL, profileId, SPENT_RAW)
  const traders = holders.filter(({ tradesPools }) => tradesPools)
  await Promise.all(traders.map((holder) => admit(client, holder)))
}

async function fund(
  client: ExchangeClient,
  slug: string,
  profileId: number,
  collateralRaw: number,
): Promise<void> {
  await client.admin(`/admin/markets/${slug}/liquidity`, { profileId, collateralRaw })
}

/** Approves both sides of the pool, waits for the block that confirms them, and buys. */
async function admit(client: ExchangeClient, holder: Holder): Promise<void> {
  const endMs = performance.now() + CONFIRMED_MS
  for (const side of ['BUY', 'SELL']) {
    const approve = { market: POOL, side }
    await done(client, holder, '/amm/allowances/approve', approve)
    while (at(await done(client, holder, '/amm/allowances/check', approve), 'confirmed') !== true) {
      assert.ok(performance.now() < endMs, 'a block confirms an approval')
    }
  }
  const trade = { market: POOL, outcomeIndex: 0, collateralAmount: `${SPENT_RAW}` }
  await done(client, holder, '/amm/buy', trade)
}
