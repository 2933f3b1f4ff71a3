// Trades as calls of the exchange contract, and what its receipts say of them.

import type { Abi, Address, Hex } from 'viem'
import type { Seq } from '../../../../engine/domain/ids.ts'
import type { TradedMarket } from '../../../../persistence/query/read/markets/traded-market.ts'
import type { SignedTrade } from '../../../../persistence/query/read/orders/signed-trades.ts'
import type { SignedOrderRow } from '../../../../persistence/query/read/orders/user-orders.ts'
import { signedFields } from '../../../exchange/read-model/views.ts'
import type { Setback } from '../../../exchange/settlement/settlement-port.ts'
import {
  callOf,
  errorNameOf,
  eventsOf,
  hexOf,
  type Payload,
  type Receipt,
} from '../chain-client.ts'

/** For a taker and for each maker: a wallet that burns more fails its own trade only. */
const GAS_EACH = 400_000n
/** Of a trade beside its orders: the end of its call and the event of a failure. */
const GAS_OF_TRADE = 40_000n
/** Of a transaction: its base, and what surrounds the trades. */
const GAS_OF_CALL = 60_000n
const GAS_OF_BYTE = 16n
/** Words of an order, its signature and its place in the call. */
const BYTES_OF_ORDER = 24n * 32n
const SEQ_BITS = 64n
const SEQ_MASK = (1n << SEQ_BITS) - 1n
/**
 * Trades that the contract refuses for ever: nothing that changes later lets them pass. A token
 * that it does not know is none of these, because a registration that reverted is sent again.
 */
const FOR_EVER: ReadonlySet<string> = new Set([
  'SaltInvalid',
  'TakerInvalid',
  'NonceInvalid',
  'OrderExpired',
  'FeeRateInvalid',
  'SideInvalid',
  'AmountsInvalid',
  'SignatureInvalid',
  'MarketResolved',
  'NotCrossing',
  'SelfTrade',
  'Overfilled',
  'NothingFilled',
  'FeeTooHigh',
])
/** An earlier transaction settled the trade: its id is used once. */
const KNOWN = 'TradeKnown'

/** The most gas that the contract may need for a trade. */
export function gasOf({ makers }: SignedTrade): bigint {
  const orders = BigInt(makers.length + 1)
  const inside = orders * GAS_EACH
  return inside + inside / 63n + GAS_OF_TRADE + orders * BYTES_OF_ORDER * GAS_OF_BYTE
}

/** The most gas that a call with these trades may need. */
export function gasOfCall(trades: readonly SignedTrade[]): bigint {
  return trades.reduce((sum, trade) => sum + gasOf(trade), GAS_OF_CALL)
}

function tupleOf(order: SignedOrderRow, market: TradedMarket) {
  const fields = signedFields(order, market)
  const { salt, maker, signer, taker, tokenId, signature } = fields
  return {
    salt: BigInt(salt ?? 0),
    maker,
    signer,
    taker,
    tokenId: BigInt(tokenId),
    makerAmount: BigInt(fields.makerAmount),
    takerAmount: BigInt(fields.takerAmount),
    expiration: BigInt(fields.expiration),
    nonce: BigInt(fields.nonce),
    feeRateBps: BigInt(fields.feeRateBps),
    side: fields.side,
    signatureType: fields.signatureType,
    signature,
  }
}

/** The call that settles these trades; `tag` makes their ids those of this exchange. */
export function matchCall(
  abi: Abi,
  exchange: Address,
  trades: readonly SignedTrade[],
  tag: bigint,
): Payload {
  const all = trades.map(({ tradeSeq, feeRaw, taker, makers, market }) => ({
    id: idOf(tradeSeq, tag),
    taker: tupleOf(taker, market),
    makers: makers.map(({ order, sharesRaw }) => {
      return { order: tupleOf(order, market), shares: BigInt(sharesRaw) }
    }),
    fee: BigInt(feeRaw),
  }))
  const data = callOf(abi, 'matchTrades', [all, GAS_EACH])
  return { to: exchange, data, gas: gasOfCall(trades) }
}

/** The id of a trade or a move of the exchange with this tag. */
export function idOf(tradeSeq: Seq, tag: bigint): bigint {
  return (tag << SEQ_BITS) | BigInt(tradeSeq)
}

/** The trade or the move of an id; null when it is one of another exchange. */
export function seqOf(tradeId: bigint, tag: bigint): Seq | null {
  return tradeId >> SEQ_BITS === tag ? Number(tradeId & SEQ_MASK) : null
}

/** Why a trade was not settled. */
export type Outcome = 'SETTLED' | Setback

/** What a receipt says of each of its trades. */
export function outcomesIn(abi: Abi, exchange: Address, receipt: Receipt): Map<Seq, Outcome> {
  const outcomes = new Map<Seq, Outcome>()
  for (const { eventName, args } of eventsOf(abi, exchange, receipt)) {
    if (eventName !== 'TradeSettled' && eventName !== 'TradeFailed') continue
    const { id, reason } = fieldsOf(args)
    if (id !== null) outcomes.set(Number(id & SEQ_MASK), outcomeOf(abi, eventName, reason))
  }
  return outcomes
}

function fieldsOf(args: unknown): { id: bigint | null; reason: Hex } {
  const fields: { id?: unknown; reason?: unknown } = args ?? {}
  const { id, reason } = fields
  return { id: typeof id === 'bigint' ? id : null, reason: hexOf(String(reason)) ?? '0x' }
}

function outcomeOf(abi: Abi, eventName: string, reason: Hex): Outcome {
  if (eventName === 'TradeSettled') return 'SETTLED'
  const name = errorNameOf(abi, reason)
  if (name === KNOWN) return 'SETTLED'
  return name !== null && FOR_EVER.has(name) ? 'FAILED' : 'RETRYING'
}
