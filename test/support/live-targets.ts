import assert from 'node:assert/strict'
import type { LiveExchange } from './live-exchange.ts'

const POOL_RAW = 1_000_000_000

/** Opens the group `cup` and the market `pool`, whose pool is funded: targets of bookmarks. */
export async function openGroupAndPool(live: LiveExchange): Promise<void> {
  const markets = ['reds', 'blues'].map((name) => ({ slug: `cup-${name}`, title: name }))
  const cup = await live.admin('/admin/groups', { slug: 'cup', title: 'Who wins?', markets })
  assert.equal(cup.status, 201, cup.text)
  const pool = await live.admin('/admin/markets', { kind: 'amm', slug: 'pool', title: 'Pool?' })
  assert.equal(pool.status, 201, pool.text)
  const funder = await live.trader(POOL_RAW)
  const given = { profileId: funder.profileId, collateralRaw: POOL_RAW, hints: [50, 50] }
  const funded = await live.admin('/admin/markets/pool/liquidity', given)
  assert.ok(funded.status < 300, funded.text)
}
