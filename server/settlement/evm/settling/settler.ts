// Settles trades on an EVM chain in the order in which it gets them, many in a transaction. It
// runs in a thread of its own (chain.worker.ts).
// Invariants: answers come in the order of the trades. A trade is in one transaction at a time. A
// transaction that was sent is answered however often the chain does not answer. Transactions of
// the same wallet or market are executed in the order in which they are sent (operators.ts).

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
import { type Attempt, type Submitted, Submitter } from '../submitter.ts'
import type { Nonces, Paid, SentBefore, WalletJob } from './chain-messages.ts'
import { type Operator, Operators } from './operators.ts'
import { nameOf, type Touches, touchesOf, touchesOfJob } from './touches.ts'
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
  /** Of the accounts that send, side by side. */
  readonly keys: readonly ChainKey[]
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

interface Transaction {
  readonly payload: Payload
  readonly content: Content
  readonly touches: Touches
}

/** The content of the transaction that is being submitted, until its first attempt is kept. */
interface Sending {
  content: Content | null
}

export class Settler {
  readonly #parts: SettlerParts
  readonly #operators: Operators
  readonly #queue: SignedTrade[] = []
  /** Markets whose tokens the contract has. */
  readonly #registered = new Set<number>()
  /** Markets and groups with a transaction that has not happened. */
  readonly #sentMarkets = new Set<number>()
  /** Contracts of which no key is a resolver. */
  readonly #unresolved = new Set<Address>()
  /** Failures of trades that are tried again. */
  readonly #tries = new Map<Seq, number>()
  readonly #sending: Sending
  /** Ends with the newest answer. */
  #answered: Promise<void> = Promise.resolve()

  private constructor(parts: SettlerParts, operators: Operators, sending: Sending) {
    this.#parts = parts
    this.#operators = operators
    this.#sending = sending
  }

  /** Goes on with the transactions that were sent before, and answers for them first. */
  static async open(
    parts: SettlerParts,
    { sent, nonces }: { readonly sent: readonly SentBefore[]; readonly nonces: Nonces },
    nowMs: TimeMs,
  ): Promise<Settler> {
    const sending: Sending = { content: null }
    const submitters: Submitter[] = []
    for (const key of parts.keys) {
      const own = sent.filter(({ account }) => account === key.address)
      const nonceMin = nonces.get(key.address) ?? 0
      submitters.push(await openSubmitter(parts, { key, own, nonceMin, sending }, nowMs))
    }
    const operators = new Operators(submitters)
    const settler = new Settler(parts, operators, sending)
    for (const { account, nonce, ...content } of sent) {
      const submitter = submitters.find(({ address }) => address === account)
      const done = submitter?.outcomes().get(nonce)
      assert(done !== undefined, 'a transaction that was kept waits')
      settler.#follow(content, { account, nonce, done })
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
    await this.#operators.tick(nowMs)
    if (this.#queue.length > 0) await this.#submitTrades(nowMs)
    await this.#submitMoves(nowMs)
  }

  async #submitMoves(nowMs: TimeMs): Promise<void> {
    const { moves } = this.#parts
    for (const job of moves.due(nowMs)) {
      if (!(await this.#isMarketThere(job, nowMs))) continue
      const touches = touchesOfJob(job)
      const isSent = await this.#send(touches, this.#operators.all, nowMs, async ({ address }) => {
        const payload = await moves.payloadOf(job, address, nowMs)
        if (payload === null) return null
        return { payload, touches, content: { trades: [], markets: [], moves: [job.seq] } }
      })
      if (isSent) moves.sent(job)
    }
  }

  /** False until the market of a move is registered. */
  async #isMarketThere({ work }: WalletJob, nowMs: TimeMs): Promise<boolean> {
    const marketId = work.kind === 'move' ? work.move.marketId : 0
    if (marketId === 0) return true
    const terms = this.#parts.termsOf(marketId)
    if (terms === undefined || this.#isBeingSent(terms)) return false
    if (await this.#isRegistered(terms)) return true
    await this.#register(terms, nowMs)
    return false
  }

  #isBeingSent({ marketId, group }: MarketTerms): boolean {
    return this.#sentMarkets.has(marketId) || this.#sentMarkets.has(group?.groupId ?? 0)
  }

  async #submitTrades(nowMs: TimeMs): Promise<void> {
    const { chain, exchange, abi } = this.#parts
    const { gasMax } = await chain.block()
    const able = await this.#operatorsOf(exchange, abi)
    while (this.#queue.length > 0 && (await this.#submitSome(gasMax, able, nowMs)));
  }

  /** Posts payouts, and takes those that need nothing more from the list. */
  async payOut(unpaid: Paid[], nowMs: TimeMs): Promise<void> {
    // The contract settles no trade of a market after its payout.
    if (this.#queue.length > 0) return
    for (const { kind, address, abi } of this.#resolved()) {
      const own = unpaid.filter((paid) => paid.kind === kind)
      if (own.length === 0) continue
      const able = await this.#resolversOf(address, abi)
      for (const paid of own) {
        const { marketId } = paid
        if (able.length === 0 || this.#sentMarkets.has(marketId) || this.#isNeeded(paid)) continue
        if (await this.#isPayable(paid)) {
          const payload = { to: address, data: this.#payoutOf(paid) }
          const changes = [paid.kind === 'group' ? paid.negRiskId : nameOf(marketId)]
          const touches = { changes, uses: [] }
          const content = { trades: [], markets: [marketId] }
          const isSent = await this.#send(touches, able, nowMs, () => {
            return { payload, touches, content }
          })
          if (!isSent) continue
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
  async #resolversOf(contract: Address, abi: Abi): Promise<readonly Operator[]> {
    const able = await this.#inRole(contract, abi, 'isResolver')
    if (able.length > 0) this.#unresolved.delete(contract)
    else if (!this.#unresolved.has(contract)) {
      this.#unresolved.add(contract)
      this.#parts.onWarning(
        `Payouts wait: ${this.#noneIs('resolver')} of ${contract}; its owner can make it one ` +
          'with setResolver, or resolvers post them themselves.',
      )
    }
    return able
  }

  async #inRole(contract: Address, abi: Abi, name: string): Promise<readonly Operator[]> {
    const { all } = this.#operators
    const reads = all.map(({ address }) => this.#parts.chain.read(contract, abi, name, [address]))
    const answers = await Promise.all(reads)
    return all.filter((_, index) => answers[index] === true)
  }

  #noneIs(role: 'operator' | 'resolver'): string {
    return this.#operators.all.map(({ address }) => `${address} is no ${role}`).join(', ')
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
  async #operatorsOf(contract: Address, abi: Abi): Promise<readonly Operator[]> {
    const [isPaused, able] = await Promise.all([
      this.#parts.chain.read(contract, abi, 'isPaused'),
      this.#inRole(contract, abi, 'isOperator'),
    ])
    if (isPaused === true) {
      throw new ChainTrouble(`${contract} is paused; its owner can unpause it`)
    }
    if (able.length > 0) return able
    throw new ChainTrouble(
      `${this.#noneIs('operator')} of ${contract}; its owner can make it one with setOperator`,
    )
  }

  /** False when the next trade must wait. */
  async #submitSome(gasMax: bigint, able: readonly Operator[], nowMs: TimeMs): Promise<boolean> {
    const [first] = this.#queue
    if (this.#isTooLarge(first, gasMax)) {
      this.#refuse(first)
      return true
    }
    const { exchange, abi, tag } = this.#parts
    const batch = this.#batchOf(gasMax / GAS_SHARE)
    for (const trade of batch) {
      if (!(await this.#isRegistered(trade))) return this.#register(trade, nowMs)
    }
    let count = 0
    const isSent = await this.#send(touchesOf([first]), able, nowMs, (operator) => {
      const other = batch.findIndex((each) => !this.#operators.maySend(operator, touchesOf([each])))
      const own = other < 0 ? batch : batch.slice(0, other)
      count = own.length
      const content = { trades: own.map(({ tradeSeq }) => tradeSeq), markets: [] }
      return { payload: matchCall(abi, exchange, own, tag), touches: touchesOf(own), content }
    })
    if (isSent) this.#queue.splice(0, count)
    return isSent
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

  /** Sends the next call that the first trade of a market needs: of a child, its group's first. */
  async #register({ marketId, market, group }: MarketTerms, nowMs: TimeMs): Promise<boolean> {
    const { exchange, abi, adapter, adapterAbi } = this.#parts
    const send = (able: readonly Operator[], payload: Payload, touches: Touches, id = marketId) => {
      const content = { trades: [], markets: [id] }
      return this.#send(touches, able, nowMs, () => ({ payload, touches, content }))
    }
    const changes = [nameOf(marketId)]
    if (group === null) {
      const able = await this.#inRole(exchange, abi, 'isOperator')
      const data = callOf(abi, 'prepareMarket', [questionOf(market.slug)])
      return send(able, { to: exchange, data }, { changes, uses: [] })
    }
    const { groupId, slug, negRiskId, convertFeeBps, children } = group
    if (!this.#sentMarkets.has(groupId) && (await this.#groupOf(negRiskId)).children === 0n) {
      const able = await this.#operatorsOf(adapter, adapterAbi)
      const terms = [BigInt(convertFeeBps ?? 0), textBytes(slug), BigInt(children)]
      const payload = { to: adapter, data: callOf(adapterAbi, 'prepareGroup', terms) }
      return send(able, payload, { changes: [negRiskId], uses: [] }, groupId)
    }
    const able = await this.#inRole(exchange, abi, 'isOperator')
    const data = callOf(abi, 'registerChild', [market.conditionId])
    // An estimate would fail while the group is in no block yet.
    return send(able, { to: exchange, data, gas: REGISTRATION_GAS }, { changes, uses: [negRiskId] })
  }

  /**
   * Sends what `transactionOf` gives for one of `able`; false when nothing was sent, because it
   * gave null or what touches the same must happen first.
   */
  async #send(
    first: Touches,
    able: readonly Operator[],
    nowMs: TimeMs,
    transactionOf: (operator: Operator) => Promise<Transaction | null> | Transaction | null,
  ): Promise<boolean> {
    for (;;) {
      const operator = this.#operators.pick(first, able)
      const transaction = operator === null ? null : await transactionOf(operator)
      if (operator === null || transaction === null) return false
      const { payload, touches, content } = transaction
      this.#sending.content = content
      try {
        const sent = await this.#operators.submit(operator, payload, touches, nowMs)
        if (sent === null) continue
        this.#follow(content, { account: operator.address, ...sent })
        return true
      } finally {
        this.#sending.content = null
      }
    }
  }

  #follow(
    { trades, markets, moves }: Content,
    { account, nonce, done }: Pick<Submitted, 'nonce' | 'done'> & { readonly account: string },
  ): void {
    for (const marketId of markets) this.#sentMarkets.add(marketId)
    this.#answer(async () => {
      const receipt = await done
      for (const marketId of markets) this.#sentMarkets.delete(marketId)
      if (receipt.isReverted && markets.length > 0) {
        this.#parts.onWarning(
          `Transaction ${receipt.hash} of markets ${markets.join(' ')} reverted.`,
        )
      }
      const answer = this.#answerOf(trades, { account, nonce }, receipt)
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

  #answerOf(
    tradeSeqs: readonly Seq[],
    by: { readonly account: string; readonly nonce: number },
    receipt: Receipt,
  ): ChainAnswer {
    const { abi, exchange } = this.#parts
    const { hash, isReverted } = receipt
    const outcomes = outcomesIn(abi, exchange, receipt)
    const setbacks = new Map<Seq, Setback>()
    for (const seq of tradeSeqs) {
      // What the receipt does not name is tried again: the contract settles a trade once.
      const outcome = isReverted ? 'RETRYING' : (outcomes.get(seq) ?? 'RETRYING')
      if (outcome === 'SETTLED') this.#tries.delete(seq)
      else setbacks.set(seq, isReverted ? outcome : this.#setbackOf(seq, outcome))
    }
    const end = { kind: 'endTransaction' as const, ...by, txHash: hash, isReverted }
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

/** Of an account, with what it sent before. */
function openSubmitter(
  { chain, confirmations, repeatMs, maxFeeWei, hasFollowed, keep }: SettlerParts,
  account: {
    readonly key: ChainKey
    readonly own: readonly SentBefore[]
    readonly nonceMin: number
    readonly sending: Sending
  },
  nowMs: TimeMs,
): Promise<Submitter> {
  const { key, own, nonceMin, sending } = account
  const kept = own.flatMap(({ attempts }) =>
    attempts.map(({ txHash, rawTx }) => attemptOf(txHash, rawTx)),
  )
  const keepAttempt = (attempt: Attempt) => {
    const { content } = sending
    sending.content = null
    return keep(commandOf(key.address, attempt, content))
  }
  const bounds = { confirmations, repeatMs, maxFeeWei, pendingMax: PENDING_MAX, nonceMin }
  return Submitter.open({ chain, key, ...bounds, hasFollowed, kept, keep: keepAttempt }, nowMs)
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
