// Settles trades on an EVM chain in the order in which it gets them, many in a transaction. It
// runs in a thread of its own (chain.worker.ts).
// Invariants: answers come in the order of the trades. A trade is in one transaction at a time. A
// transaction that was sent is answered however often the chain does not answer.

import type { Abi, Address, Hex } from 'viem'
import type { SentTransaction } from '../../../../engine/core/money/chain-transactions.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import type { MarketTerms } from '../../../../persistence/query/read/markets/traded-market.ts'
import type { SignedTrade } from '../../../../persistence/query/read/orders/signed-trades.ts'
import type { ControlBody } from '../../../exchange/sequencer/sequencer.ts'
import type { ChainAnswer, Setback } from '../../../exchange/settlement/settlement-port.ts'
import {
  abiOf,
  attemptOf,
  type ChainClient,
  callOf,
  type Payload,
  questionOf,
  type Receipt,
  textBytes,
} from '../chain-client.ts'
import { ChainTrouble } from '../chain-trouble.ts'
import type { ChainKey } from '../key/chain-key.ts'
import { type Attempt, Submitter } from '../submitter.ts'
import type { Paid, WalletJob } from './chain-messages.ts'
import { gasOf, gasOfCall, matchCall, outcomesIn } from './trade-calls.ts'
import type { WalletMoves } from './wallet-moves.ts'

/** Orders in a transaction, so that its record stays far below its bound. */
const ORDERS_MAX = 40
/** Of a single trade, which cannot be split. */
const ORDERS_OF_TRADE_MAX = 250
/** A transaction takes at most this part of a block's gas. */
const GAS_SHARE = 2n
/** Nodes keep at least so many of one account. */
const PENDING_MAX = 64
/** Markets that are remembered; at the limit all are dropped and looked up again. */
const REGISTERED_MAX = 10_000
/** Of the registration of a child, of whose tokens the contract computes the ids. */
const REGISTRATION_GAS = 1_000_000n
/** Times that a trade is tried which fails for a reason that may pass. */
const TRIES_MAX = 4

export interface SettlerParts {
  readonly chain: ChainClient
  readonly key: ChainKey
  readonly exchange: Address
  readonly abi: Abi
  readonly conditionalTokens: Address
  /** Of groups. */
  readonly adapter: Address
  readonly adapterAbi: Abi
  readonly confirmations: number
  /** Until a transaction in no block is sent again. */
  readonly repeatMs: number
  /** The most for a unit of gas. */
  readonly maxFeeWei: bigint
  /** Makes the ids of trades those of this exchange. */
  readonly tag: bigint
  /** Whether the chain was followed up to the block of a receipt. */
  readonly hasFollowed: (receipt: Receipt) => boolean
  /** Resolves when the command is durable. */
  readonly keep: (body: ControlBody) => Promise<void>
  readonly onAnswer: (answer: ChainAnswer) => void
  /** The approvals of a server wallet happened. */
  readonly onApproved: (profileId: ProfileId) => void
  /** Receives a sentence for the log. */
  readonly onWarning: (sentence: string) => void
  readonly moves: WalletMoves
  /** Undefined while the tables do not have the market. */
  readonly termsOf: (marketId: MarketId) => MarketTerms | undefined
}

const PAYOUT_ABI = abiOf('function payoutDenominator(bytes32) view returns (uint256)')

/** What a transaction does. */
type Content = Pick<SentTransaction, 'trades' | 'markets' | 'moves'>

interface Registration {
  readonly payload: Payload
  readonly markets: readonly MarketId[]
}

/** The content of the transaction that is being submitted, until its first attempt is kept. */
interface Sending {
  content: Content | null
}

export class Settler {
  readonly #parts: SettlerParts
  readonly #submitter: Submitter
  readonly #queue: SignedTrade[] = []
  /** Markets whose tokens the contract has. */
  readonly #registered = new Set<number>()
  /** Markets and groups with a transaction that has not happened. */
  readonly #sentMarkets = new Set<number>()
  /** Contracts of which the key is no resolver. */
  readonly #unresolved = new Set<Address>()
  /** Failures of trades that are tried again. */
  readonly #tries = new Map<Seq, number>()
  readonly #sending: Sending
  /** Ends with the newest answer. */
  #answered: Promise<void> = Promise.resolve()

  private constructor(parts: SettlerParts, submitter: Submitter, sending: Sending) {
    this.#parts = parts
    this.#submitter = submitter
    this.#sending = sending
  }

  /** Goes on with the transactions that were sent before, and answers for them first. */
  static async open(
    parts: SettlerParts,
    before: { readonly sent: readonly SentTransaction[]; readonly nextNonce: number },
    nowMs: TimeMs,
  ): Promise<Settler> {
    const { chain, key, confirmations, repeatMs, maxFeeWei, hasFollowed, keep } = parts
    const sending: Sending = { content: null }
    const kept = before.sent.flatMap(({ attempts }) =>
      attempts.map(({ txHash, rawTx }) => attemptOf(txHash, rawTx)),
    )
    const submitter = await Submitter.open(
      {
        chain,
        key,
        confirmations,
        maxFeeWei,
        hasFollowed,
        pendingMax: PENDING_MAX,
        repeatMs,
        kept,
        nonceMin: before.nextNonce,
        keep: (attempt) => {
          const content = sending.content
          sending.content = null
          return keep(commandOf(key.address, attempt, content))
        },
      },
      nowMs,
    )
    const settler = new Settler(parts, submitter, sending)
    const outcomes = submitter.outcomes()
    for (const { nonce, ...content } of before.sent) {
      const done = outcomes.get(nonce)
      assert(done !== undefined, 'a transaction that was kept waits')
      settler.#follow(content, nonce, done)
    }
    return settler
  }

  settle(trades: readonly SignedTrade[]): void {
    this.#queue.push(...trades)
  }

  /** Whether trades wait here that no transaction has. */
  get isBehind(): boolean {
    return this.#queue.length > 0
  }

  /** Looks for receipts, and submits what waits. One call at a time; rejects as the submitter. */
  async work(nowMs: TimeMs): Promise<void> {
    await this.#submitter.tick(nowMs)
    if (this.#queue.length > 0) await this.#submitTrades(nowMs)
    await this.#submitMoves(nowMs)
  }

  async #submitMoves(nowMs: TimeMs): Promise<void> {
    const { moves, key } = this.#parts
    for (const job of moves.due(nowMs)) {
      if (this.#submitter.isFull) return
      if (!(await this.#isMarketThere(job, nowMs))) continue
      const payload = await moves.payloadOf(job, key.address, nowMs)
      if (payload === null) continue
      await this.#submit(payload, { trades: [], markets: [], moves: [job.seq] }, nowMs)
      moves.sent(job)
    }
  }

  /** False until the market of a move is registered. */
  async #isMarketThere({ work }: WalletJob, nowMs: TimeMs): Promise<boolean> {
    const marketId = work.kind === 'move' ? work.move.marketId : 0
    if (marketId === 0) return true
    const terms = this.#parts.termsOf(marketId)
    if (terms === undefined || this.#isBeingSent(terms)) return false
    if (await this.#isRegistered(terms)) return true
    const { payload, markets } = await this.#registration(terms)
    await this.#submit(payload, { trades: [], markets }, nowMs)
    return false
  }

  #isBeingSent({ marketId, group }: MarketTerms): boolean {
    return this.#sentMarkets.has(marketId) || this.#sentMarkets.has(group?.groupId ?? 0)
  }

  async #submitTrades(nowMs: TimeMs): Promise<void> {
    const { chain, exchange, abi } = this.#parts
    const { gasMax } = await chain.block()
    await this.#requireOpen(exchange, abi)
    while (this.#queue.length > 0 && !this.#submitter.isFull) await this.#submitSome(gasMax, nowMs)
  }

  /** Posts payouts, and takes those that need nothing more from the list. */
  async payOut(unpaid: Paid[], nowMs: TimeMs): Promise<void> {
    for (const { kind, address, abi } of this.#resolved()) {
      const own = unpaid.filter((paid) => paid.kind === kind)
      if (own.length === 0 || !(await this.#isResolver(address, abi))) continue
      for (const paid of own) {
        if (this.#submitter.isFull) return
        const { marketId } = paid
        if (this.#sentMarkets.has(marketId) || this.#isNeeded(paid)) continue
        if (await this.#isPayable(paid)) {
          const payload = { to: address, data: this.#payoutOf(paid) }
          await this.#submit(payload, { trades: [], markets: [marketId] }, nowMs)
        }
        unpaid.splice(unpaid.indexOf(paid), 1)
      }
    }
  }

  /** A move that waits may need its market on the chain, before its payout. */
  #isNeeded(paid: Paid): boolean {
    return paid.kind === 'market' && this.#parts.moves.needsMarket(paid.marketId)
  }

  /** Where payouts are posted. */
  #resolved() {
    const { exchange, abi, adapter, adapterAbi } = this.#parts
    return [
      { kind: 'market', address: exchange, abi },
      { kind: 'group', address: adapter, abi: adapterAbi },
    ] as const
  }

  /** It is logged when payouts begin to wait. */
  async #isResolver(contract: Address, abi: Abi): Promise<boolean> {
    const { chain, key, onWarning } = this.#parts
    if ((await chain.read(contract, abi, 'isResolver', [key.address])) === true) {
      this.#unresolved.delete(contract)
      return true
    }
    if (this.#unresolved.has(contract)) return false
    this.#unresolved.add(contract)
    onWarning(
      `Payouts wait: ${key.address} is no resolver of ${contract}; its owner can make it one ` +
        'with setResolver, or resolvers post them themselves.',
    )
    return false
  }

  #payoutOf(paid: Paid): Hex {
    const { abi, adapterAbi } = this.#parts
    if (paid.kind === 'market') {
      return callOf(abi, 'reportPayouts', [questionOf(paid.slug), ...paid.payouts.map(BigInt)])
    }
    return callOf(adapterAbi, 'resolveGroup', [paid.negRiskId, BigInt(paid.winner)])
  }

  /** Nobody holds tokens that the contracts do not have. */
  async #isPayable(paid: Paid): Promise<boolean> {
    const { chain, conditionalTokens: tokens } = this.#parts
    if (paid.kind === 'group') {
      const { children, isResolved } = await this.#groupOf(paid.negRiskId)
      return children > 0n && !isResolved
    }
    if (!(await this.#isToken(paid.yesTokenId))) return false
    return (await chain.read(tokens, PAYOUT_ABI, 'payoutDenominator', [paid.conditionId])) === 0n
  }

  /** A group that the adapter does not have has no children. */
  async #groupOf(negRiskId: string): Promise<{ children: bigint; isResolved: boolean }> {
    const { chain, adapter, adapterAbi } = this.#parts
    const found = await chain.read(adapter, adapterAbi, 'groups', [negRiskId])
    const [, children, isResolved]: unknown[] = Array.isArray(found) ? found : []
    assert(typeof children === 'bigint', 'an adapter has groups')
    return { children, isResolved: isResolved === true }
  }

  /** Says why calls would revert: nothing else notices when their gas is not estimated. */
  async #requireOpen(contract: Address, abi: Abi): Promise<void> {
    const { chain, key } = this.#parts
    const [isPaused, isOperator] = await Promise.all([
      chain.read(contract, abi, 'isPaused'),
      chain.read(contract, abi, 'isOperator', [key.address]),
    ])
    if (isPaused === true) {
      throw new ChainTrouble(`${contract} is paused; its owner can unpause it`)
    }
    if (isOperator !== true) {
      throw new ChainTrouble(
        `${key.address} is no operator of ${contract}; its owner can make it one with setOperator`,
      )
    }
  }

  async #submitSome(gasMax: bigint, nowMs: TimeMs): Promise<void> {
    const { exchange, abi, tag } = this.#parts
    if (this.#isTooLarge(this.#queue[0], gasMax)) {
      this.#refuse(this.#queue[0])
      return
    }
    const batch = this.#batchOf(gasMax / GAS_SHARE)
    for (const trade of batch) {
      if (await this.#isRegistered(trade)) continue
      const { payload, markets } = await this.#registration(trade)
      await this.#submit(payload, { trades: [], markets }, nowMs)
      return
    }
    const trades = batch.map(({ tradeSeq }) => tradeSeq)
    await this.#submit(matchCall(abi, exchange, batch, tag), { trades, markets: [] }, nowMs)
    this.#queue.splice(0, batch.length)
  }

  #isTooLarge(trade: SignedTrade, gasMax: bigint): boolean {
    return trade.makers.length >= ORDERS_OF_TRADE_MAX || gasOfCall([trade]) > gasMax
  }

  /** No block can hold the trade. */
  #refuse({ tradeSeq }: SignedTrade): void {
    this.#queue.shift()
    const setbacks = new Map([[tradeSeq, 'FAILED' as const]])
    this.#answer(async () => ({ tradeSeqs: [tradeSeq], setbacks, txHash: null, end: null }))
  }

  /** The next trades that fit a transaction; one at least. */
  #batchOf(gasMax: bigint): SignedTrade[] {
    const batch: SignedTrade[] = []
    let orders = 0
    let gas = gasOfCall([])
    for (const trade of this.#queue) {
      orders += trade.makers.length + 1
      gas += gasOf(trade)
      if (batch.length > 0 && (orders > ORDERS_MAX || gas > gasMax)) break
      batch.push(trade)
    }
    return batch
  }

  /** The contract refuses trades of the children of another adapter. */
  async #isRegistered({ marketId, market }: MarketTerms): Promise<boolean> {
    if (this.#sentMarkets.has(marketId) || this.#registered.has(marketId)) return true
    const { groupId, adapterAddress } = market
    if (groupId !== null && adapterAddress !== this.#parts.adapter) return true
    const isThere = await this.#isToken(market.yesTokenId)
    if (this.#registered.size >= REGISTERED_MAX) this.#registered.clear()
    if (isThere) this.#registered.add(marketId)
    return isThere
  }

  async #isToken(tokenId: string): Promise<boolean> {
    const { chain, exchange, abi } = this.#parts
    const found = await chain.read(exchange, abi, 'tokens', [BigInt(tokenId)])
    return Array.isArray(found) && found[1] !== 0n
  }

  /** The next call that the first trade of a market needs: of a child, that of its group first. */
  async #registration({ marketId, market, group }: MarketTerms): Promise<Registration> {
    const { exchange, abi, adapter, adapterAbi } = this.#parts
    if (group === null) {
      const data = callOf(abi, 'prepareMarket', [questionOf(market.slug)])
      return { payload: { to: exchange, data }, markets: [marketId] }
    }
    const { groupId, slug, negRiskId, convertFeeBps, children } = group
    if (!this.#sentMarkets.has(groupId) && (await this.#groupOf(negRiskId)).children === 0n) {
      await this.#requireOpen(adapter, adapterAbi)
      const terms = [BigInt(convertFeeBps ?? 0), textBytes(slug), BigInt(children)]
      const data = callOf(adapterAbi, 'prepareGroup', terms)
      return { payload: { to: adapter, data }, markets: [groupId] }
    }
    const data = callOf(abi, 'registerChild', [market.conditionId])
    // An estimate would fail while the group is in no block yet.
    return { payload: { to: exchange, data, gas: REGISTRATION_GAS }, markets: [marketId] }
  }

  async #submit(payload: Payload, content: Content, nowMs: TimeMs): Promise<void> {
    this.#sending.content = content
    try {
      const { nonce, done } = await this.#submitter.submit(payload, nowMs)
      this.#follow(content, nonce, done)
    } finally {
      this.#sending.content = null
    }
  }

  #follow({ trades, markets, moves }: Content, nonce: number, done: Promise<Receipt>): void {
    for (const marketId of markets) this.#sentMarkets.add(marketId)
    this.#answer(async () => {
      const receipt = await done
      for (const marketId of markets) this.#sentMarkets.delete(marketId)
      if (receipt.isReverted && markets.length > 0) {
        this.#parts.onWarning(
          `Transaction ${receipt.hash} of markets ${markets.join(' ')} reverted.`,
        )
      }
      const answer = this.#answerOf(trades, nonce, receipt)
      return moves === undefined ? answer : this.#movesAnswer(moves, receipt, answer)
    })
  }

  async #movesAnswer(
    seqs: readonly Seq[],
    { isReverted, hash }: Receipt,
    answer: ChainAnswer,
  ): Promise<ChainAnswer> {
    const { moves, onApproved, onWarning } = this.#parts
    const left: Seq[] = []
    for (const seq of seqs) {
      const work = moves.workOf(seq)
      const isDone = await moves.happened(seq, isReverted)
      if (isDone && work?.kind === 'approve') onApproved(work.profileId)
      if (!isDone) left.push(seq)
    }
    if (left.length === 0 || answer.end === null) return answer
    onWarning(`Transaction ${hash} of moves ${left.join(' ')} reverted; it is tried again.`)
    return { ...answer, end: { ...answer.end, left } }
  }

  /** After all that was answered for before. */
  #answer(answerOf: () => Promise<ChainAnswer>): void {
    this.#answered = this.#answered.then(async () => this.#parts.onAnswer(await answerOf()))
  }

  #answerOf(tradeSeqs: readonly Seq[], nonce: number, receipt: Receipt): ChainAnswer {
    const { abi, exchange, key } = this.#parts
    const { hash, isReverted } = receipt
    const outcomes = outcomesIn(abi, exchange, receipt)
    const setbacks = new Map<Seq, Setback>()
    for (const seq of tradeSeqs) {
      // What the receipt does not name is tried again: the contract settles a trade once.
      const outcome = isReverted ? 'RETRYING' : (outcomes.get(seq) ?? 'RETRYING')
      if (outcome === 'SETTLED') this.#tries.delete(seq)
      else setbacks.set(seq, isReverted ? outcome : this.#setbackOf(seq, outcome))
    }
    const account = key.address
    const end = { kind: 'endTransaction' as const, account, nonce, txHash: hash, isReverted }
    return { tradeSeqs, setbacks, txHash: isReverted ? null : hash, end }
  }

  #setbackOf(seq: Seq, outcome: Setback): Setback {
    const tries = (this.#tries.get(seq) ?? 0) + 1
    const isOver = outcome === 'FAILED' || tries >= TRIES_MAX
    if (isOver) this.#tries.delete(seq)
    else this.#tries.set(seq, tries)
    return isOver ? 'FAILED' : 'RETRYING'
  }
}

/** The command that keeps an attempt; the first one says what the transaction does. */
function commandOf(
  account: Address,
  { hash, raw, terms }: Attempt,
  content: Content | null,
): ControlBody {
  const rawTx = Buffer.from(raw.slice(2), 'hex')
  const attempt = { account, nonce: terms.nonce, txHash: hash, rawTx }
  return { kind: 'submitTransaction', ...attempt, ...(content ?? {}) }
}
