// What a workload needs before its first order: profiles with tokens and money, markets, and shares
// of both outcomes for everyone, because a third of the orders sell.

import type { Exchange } from '../../engine/core/exchange.ts'
import type {
  Command,
  ControlCommand,
  PlaceOrder,
  ProfileFields,
} from '../../engine/domain/command.ts'
import type { MarketSpec } from '../../engine/domain/markets/market.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import { marketSpec, profileFields } from '../../test/support/specs.ts'

export const START_MS = 1_700_000_000_000
export const FEE_BPS = 300
export const DEPOSIT_RAW = 100_000_000_000_000
/** Shares of each outcome in each market for each account: more than the widest swing of a run. */
const SHARES_RAW = 100_000_000_000
const GTC = 0

export interface Setting {
  /** An even number, because accounts make shares in pairs. */
  readonly accounts: number
  readonly markets: number
  /** The taker delay of every second market; absent = no market delays takers. */
  readonly takerDelayMs?: number
}

export function tokenIdOf(account: number): string {
  return `token-${account}`
}

/** Profiles are made with a token each, by rising id, and no other tokens are made. */
export function tokenNoOf(account: number): number {
  return account
}

export function profileOf(account: number): ProfileFields {
  return profileFields(account, { rank: { id: 1, name: 'Bronze', feeRateBps: FEE_BPS } })
}

/** Every market takes fees: the most expensive path of a fill. */
export function marketOf(marketId: number): MarketSpec {
  return marketSpec(marketId, { feeEnabled: true })
}

type Body<T> = T extends ControlCommand ? Omit<T, 'seq' | 'nowMs'> : never

/** Gives every command of the setting to `apply`, which must apply it to `exchange` too. */
export function setUp(
  { accounts, markets, takerDelayMs = 0 }: Setting,
  exchange: Exchange,
  apply: (command: Command) => void,
): void {
  const control = (body: Body<ControlCommand>) => {
    apply({ ...body, seq: exchange.clearing.lastSeq + 1, nowMs: START_MS })
  }
  control({ kind: 'rules', version: 1 })
  for (let profileId = 1; profileId <= accounts; profileId++) {
    const sealedSecret = new Uint8Array(4)
    const tokenId = tokenIdOf(profileId)
    const token = { tokenId, sealedSecret, label: null, scopes: ['trading' as const] }
    control({ kind: 'createProfile', profileId, profile: profileOf(profileId), token })
    control({ kind: 'adjustBalance', profileId, collateralRaw: DEPOSIT_RAW })
  }
  for (let marketId = 1; marketId <= markets; marketId++) {
    const market = marketOf(marketId)
    const delays = takerDelayMs > 0 && marketId % 2 === 1 ? { takerDelayMs } : {}
    control({ kind: 'createMarket', marketId, book: marketId, market: { ...market, ...delays } })
    shareOut(marketId, accounts, exchange, apply)
  }
}

/** Two buyers of opposite outcomes make shares. Each pair of accounts does it both ways. */
function shareOut(
  marketId: number,
  accounts: number,
  exchange: Exchange,
  apply: (command: Command) => void,
): void {
  const buy = (accountId: number, outcome: number) => {
    apply(openingBuy(exchange, { marketId, accountId, outcome }))
  }
  for (let account = 1; account < accounts; account += 2) {
    buy(account, OUTCOME.YES)
    buy(account + 1, OUTCOME.NO)
    buy(account + 1, OUTCOME.YES)
    buy(account, OUTCOME.NO)
  }
}

function openingBuy(
  exchange: Exchange,
  who: Pick<PlaceOrder, 'marketId' | 'accountId' | 'outcome'>,
): PlaceOrder {
  const { orders, lastSeq, catalogue } = exchange.clearing
  const { book } = catalogue.existing(who.marketId)
  const slot = orders.freeSlot(book)
  return {
    ...blankPlace(),
    ...who,
    book,
    seq: lastSeq + 1,
    nowMs: START_MS,
    slot,
    generation: orders.generationOf(slot) + 1,
    side: SIDE.BUY,
    orderType: GTC,
    priceTicks: 500,
    sizeRaw: SHARES_RAW,
    reserveRaw: SHARES_RAW / 2,
    feeBps: FEE_BPS,
    hashHigh: 0xffffffff,
    hashLow: lastSeq,
  }
}
