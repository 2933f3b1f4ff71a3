// The exchange before the first order of a workload: profiles with tokens and money, markets, and
// shares of both outcomes for everyone, because a third of the orders sell.

import type { Exchange } from '../../engine/core/exchange.ts'
import type {
  Command,
  ControlCommand,
  PlaceOrder,
  TokenFields,
} from '../../engine/domain/command.ts'
import { OUTCOME, SIDE } from '../../engine/domain/order.ts'
import { blankPlace } from '../../engine/wire/place-codec.ts'
import { type Seal, tokenSecretOf } from '../../persistence/seal.ts'
import { marketSpec, profileFields } from '../../test/support/specs.ts'
import { GTC } from './workload.ts'

export const START_MS = 1_700_000_000_000
export const FEE_BPS = 300
export const DEPOSIT_RAW = 100_000_000_000_000
/** Shares of each outcome in each market for each account: more than the widest swing of a run. */
const SHARES_RAW = 100_000_000_000

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

/** Each profile gets one token, by rising id, and no other tokens are made. */
export function tokenNoOf(account: number): number {
  return account
}

type Body<T> = T extends ControlCommand ? Omit<T, 'seq' | 'nowMs'> : never

/** The token of a profile. A server can start on it only when the seal of its folder is given. */
export function tokenOf(profileId: number, seal?: Seal): TokenFields {
  const tokenId = tokenIdOf(profileId)
  const owner = tokenSecretOf(tokenId, profileId)
  const sealedSecret = seal?.seal(new Uint8Array(32), owner) ?? new Uint8Array(4)
  return { tokenId, sealedSecret, label: null, scopes: ['trading'] }
}

/** Calls `apply` with every command of the setting; it must apply each to `exchange` too. */
export function setUp(
  { accounts, markets, takerDelayMs = 0 }: Setting,
  exchange: Exchange,
  apply: (command: Command) => void,
  seal?: Seal,
): void {
  const control = (body: Body<ControlCommand>) => {
    apply({ ...body, seq: exchange.clearing.lastSeq + 1, nowMs: START_MS })
  }
  control({ kind: 'rules', version: 1 })
  for (let profileId = 1; profileId <= accounts; profileId++) {
    const token = tokenOf(profileId, seal)
    control({ kind: 'createProfile', profileId, profile: profileFields(profileId), token })
    control({ kind: 'adjustBalance', profileId, collateralRaw: DEPOSIT_RAW })
  }
  for (let marketId = 1; marketId <= markets; marketId++) {
    // Every market takes fees: the most expensive path of a fill.
    const delays = takerDelayMs > 0 && marketId % 2 === 1 ? { takerDelayMs } : {}
    const market = marketSpec(marketId, { feeEnabled: true, ...delays })
    control({ kind: 'createMarket', marketId, book: marketId, market })
    const buy = (accountId: number, outcome: number) => {
      apply(openingBuy(exchange, { marketId, accountId, outcome }))
    }
    // Two buyers of opposite outcomes make shares. Each pair of accounts does it both ways.
    for (let account = 1; account < accounts; account += 2) {
      buy(account, OUTCOME.YES)
      buy(account + 1, OUTCOME.NO)
      buy(account + 1, OUTCOME.YES)
      buy(account, OUTCOME.NO)
    }
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
