// Pools of markets: their providers, the accounts that may trade with them, and the trades that
// wait for a block (rules §7.4, §7.5). A pool's shares are positions of the pool account; its fees
// are part of that account's collateral. Only commands change it; one thread writes.
// Invariants: `liquidityRaw` is the sum over the providers; a pool without providers has neither
// shares nor fees; `approvers` counts the approvals of each profile, `traders` its trades that are
// not in a block.

import { assert } from '../../domain/assert.ts'
import { OwnerCounts, type ShareOwnerOf } from '../../domain/fair-share.ts'
import type { MarketId, ProfileId, Seq } from '../../domain/ids.ts'
import type { PoolSide } from '../../domain/moves/move-command.ts'
import type { CollateralRaw, SizeRaw } from '../../domain/units.ts'
import { feePartRaw } from './pool-parts.ts'

export interface Provider {
  liquidityRaw: SizeRaw
  /** Fees earned before the providers last changed. */
  owedRaw: CollateralRaw
}

export interface Pool {
  readonly marketId: MarketId
  liquidityRaw: SizeRaw
  /** Fees since the providers last changed, shared by all of them. */
  sharedFeesRaw: CollateralRaw
  readonly providers: Map<ProfileId, Provider>
  /** The command that approved each side; absent = none. */
  readonly approvals: Map<ProfileId, Partial<Record<PoolSide, Seq>>>
}

export interface CapturedPools {
  readonly pools: readonly {
    readonly marketId: MarketId
    readonly sharedFeesRaw: CollateralRaw
    readonly providers: readonly (readonly [ProfileId, SizeRaw, CollateralRaw])[]
    /** Seqs of the approvals; 0 = none. */
    readonly approvals: readonly (readonly [ProfileId, buy: Seq, sell: Seq])[]
  }[]
  readonly inFlight: readonly (readonly [MarketId, ProfileId, Seq])[]
}

interface TradeInFlight {
  readonly marketId: MarketId
  readonly profileId: ProfileId
  readonly seq: Seq
}

export class Pools {
  readonly #byMarket = new Map<MarketId, Pool>()
  /** By market and account, oldest first. */
  readonly #inFlight = new Map<string, TradeInFlight>()
  readonly approvers: OwnerCounts
  readonly traders: OwnerCounts

  constructor(shareOwnerOf: ShareOwnerOf) {
    this.approvers = new OwnerCounts(shareOwnerOf)
    this.traders = new OwnerCounts(shareOwnerOf)
  }

  all(): Iterable<Pool> {
    return this.#byMarket.values()
  }

  of(marketId: MarketId): Pool | undefined {
    return this.#byMarket.get(marketId)
  }

  /** For commands on a pool that already has funds. */
  existing(marketId: MarketId): Pool {
    const pool = this.#byMarket.get(marketId)
    assert(pool !== undefined, 'a command refers to a funded pool')
    return pool
  }

  isInFlight(marketId: MarketId, profileId: ProfileId): boolean {
    return this.#inFlight.has(keyOf(marketId, profileId))
  }

  /** Fees that a provider may withdraw: its part of the shared fees, rounded down, plus its own. */
  feesOf(pool: Pool, profileId: ProfileId): CollateralRaw {
    const provider = pool.providers.get(profileId)
    if (provider === undefined) return 0
    const { liquidityRaw, owedRaw } = provider
    // The last provider takes the rounding remainders.
    if (pool.providers.size === 1) return owedRaw + pool.sharedFeesRaw
    return owedRaw + feePartRaw(pool.sharedFeesRaw, liquidityRaw, pool.liquidityRaw)
  }

  /** All fees held by a pool. */
  heldFeesRaw({ sharedFeesRaw, providers }: Pool): bigint {
    let heldRaw = BigInt(sharedFeesRaw)
    for (const { owedRaw } of providers.values()) heldRaw += BigInt(owedRaw)
    return heldRaw
  }

  funded(marketId: MarketId, profileId: ProfileId, liquidityRaw: SizeRaw): void {
    const pool = this.#byMarket.get(marketId) ?? emptyPool(marketId)
    this.#byMarket.set(marketId, pool)
    this.#share(pool)
    const provider = pool.providers.get(profileId) ?? { liquidityRaw: 0, owedRaw: 0 }
    pool.providers.set(profileId, provider)
    provider.liquidityRaw += liquidityRaw
    pool.liquidityRaw += liquidityRaw
  }

  drained(
    marketId: MarketId,
    profileId: ProfileId,
    liquidityRaw: SizeRaw,
    feesRaw: CollateralRaw,
  ): void {
    const pool = this.existing(marketId)
    const provider = pool.providers.get(profileId)
    assert(provider !== undefined, 'only a provider leaves a pool')
    assert(provider.liquidityRaw >= liquidityRaw, 'a provider takes at most its part of a pool')
    assert(this.feesOf(pool, profileId) === feesRaw, 'a provider takes all its fees')
    if (pool.providers.size === 1) pool.sharedFeesRaw = 0
    else this.#share(pool)
    provider.owedRaw = 0
    provider.liquidityRaw -= liquidityRaw
    pool.liquidityRaw -= liquidityRaw
    if (provider.liquidityRaw === 0) pool.providers.delete(profileId)
  }

  /** Credits each provider its part of the shared fees, before their parts change. */
  #share(pool: Pool): void {
    let givenRaw = 0
    for (const provider of pool.providers.values()) {
      const partRaw = feePartRaw(pool.sharedFeesRaw, provider.liquidityRaw, pool.liquidityRaw)
      provider.owedRaw += partRaw
      givenRaw += partRaw
    }
    pool.sharedFeesRaw -= givenRaw
  }

  approved(marketId: MarketId, profileId: ProfileId, side: PoolSide, seq: Seq): void {
    const { approvals } = this.existing(marketId)
    const known = approvals.get(profileId) ?? {}
    assert(known[side] === undefined, 'a side is approved once')
    approvals.set(profileId, { ...known, [side]: seq })
    this.approvers.add(profileId, 1)
  }

  traded(pool: Pool, profileId: ProfileId, feeRaw: CollateralRaw, seq: Seq): void {
    const { marketId } = pool
    pool.sharedFeesRaw += feeRaw
    const key = keyOf(marketId, profileId)
    assert(!this.#inFlight.has(key), 'an account has one trade in flight with a pool')
    this.#inFlight.set(key, { marketId, profileId, seq })
    this.traders.add(profileId, 1)
  }

  /** Blocks have all commands up to `throughSeq`. */
  mined(throughSeq: Seq): void {
    for (const [key, { profileId, seq }] of this.#inFlight) {
      if (seq > throughSeq) return
      this.#inFlight.delete(key)
      this.traders.add(profileId, -1)
    }
  }

  /** Removes the pool of a market that leaves memory. */
  forget(marketId: MarketId): void {
    const pool = this.#byMarket.get(marketId)
    if (pool === undefined) return
    assert(pool.liquidityRaw === 0, 'a removed pool has no providers')
    for (const [profileId, sides] of pool.approvals) {
      this.approvers.add(profileId, -Object.keys(sides).length)
    }
    this.#byMarket.delete(marketId)
  }

  /** The full state, for the state hash; empty before the first pool. */
  *hashedFields(): Iterable<unknown> {
    const { pools, inFlight } = this.capture()
    if (pools.length > 0) yield ['pools', pools, inFlight]
  }

  capture(): CapturedPools {
    const pools = [...this.#byMarket.values()].sort((a, b) => a.marketId - b.marketId)
    return {
      pools: pools.map(({ marketId, sharedFeesRaw, providers, approvals }) => ({
        marketId,
        sharedFeesRaw,
        providers: [...providers].map(([id, { liquidityRaw, owedRaw }]) => {
          return [id, liquidityRaw, owedRaw] as const
        }),
        approvals: [...approvals].map(([id, { BUY = 0, SELL = 0 }]) => [id, BUY, SELL] as const),
      })),
      inFlight: [...this.#inFlight.values()].map(({ marketId, profileId, seq }) => {
        return [marketId, profileId, seq] as const
      }),
    }
  }

  restore({ pools, inFlight }: CapturedPools): void {
    assert(this.#byMarket.size === 0, 'only a fresh state is restored')
    for (const { marketId, sharedFeesRaw, providers, approvals } of pools) {
      const pool = emptyPool(marketId)
      this.#byMarket.set(marketId, pool)
      for (const [profileId, liquidityRaw, owedRaw] of providers) {
        pool.providers.set(profileId, { liquidityRaw, owedRaw })
        pool.liquidityRaw += liquidityRaw
      }
      pool.sharedFeesRaw = sharedFeesRaw
      for (const [profileId, buySeq, sellSeq] of approvals) {
        if (buySeq > 0) this.approved(marketId, profileId, 'BUY', buySeq)
        if (sellSeq > 0) this.approved(marketId, profileId, 'SELL', sellSeq)
      }
    }
    for (const [marketId, profileId, seq] of inFlight) {
      this.#inFlight.set(keyOf(marketId, profileId), { marketId, profileId, seq })
      this.traders.add(profileId, 1)
    }
  }
}

function keyOf(marketId: MarketId, profileId: ProfileId): string {
  return `${marketId}:${profileId}`
}

function emptyPool(marketId: MarketId): Pool {
  return {
    marketId,
    liquidityRaw: 0,
    sharedFeesRaw: 0,
    providers: new Map(),
    approvals: new Map(),
  }
}
