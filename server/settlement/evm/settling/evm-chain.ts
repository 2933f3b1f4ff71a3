// Main's side of the thread of the chain: the settlement port of an exchange whose trades settle on
// an EVM chain.

import type { Worker } from 'node:worker_threads'
import type { Address } from 'viem'
import { decideFollow } from '../../../../engine/core/decide/money/chain-moves.ts'
import type { Market } from '../../../../engine/core/markets/catalogue.ts'
import type { CapturedTransactions } from '../../../../engine/core/money/chain-transactions.ts'
import { assert } from '../../../../engine/domain/assert.ts'
import type { ControlCommand } from '../../../../engine/domain/command.ts'
import { reasonOf } from '../../../../engine/domain/error-code.ts'
import type { MarketId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import { LIMITS } from '../../../../engine/domain/limits.ts'
import { kindOf } from '../../../../engine/domain/markets/market.ts'
import type { TimeMs } from '../../../../engine/domain/units.ts'
import { spawn } from '../../../../engine/thread/spawn.ts'
import type { CollateralContracts } from '../../../../persistence/solvency/solvency-format.ts'
import type { ControlBody, FollowedChain } from '../../../exchange/sequencer/sequencer.ts'
import type {
  Setback,
  SettlementPort,
  SettlingExchange,
} from '../../../exchange/settlement/settlement-port.ts'
import type { WalletAnswer, WalletCode, WalletQuery } from '../../../messages/wallet-signature.ts'
import type {
  ChainMessage,
  ChainRequest,
  ChainThreadData,
  GroupContracts,
  PaidMarket,
  SentBefore,
  WalletJob,
  WatchedBlocks,
} from './chain-messages.ts'
import { FollowedWallets } from './followed-wallets.ts'
import { ServerWallets } from './server-wallets.ts'

/** Trades without an answer at a time. */
const TRADES_MAX = 2000

export interface EvmChainParts {
  /** Receives a sentence; the process must stop. */
  readonly onFault: (sentence: string) => void
  /** Receives a sentence for the log. */
  readonly onWarning: (sentence: string) => void
}

/** What it reads of the read tables. */
export interface ChainTables {
  /** Resolves when they have these trades. */
  readonly whenWritten: (tradeSeqs: readonly Seq[]) => Promise<void>
  /** Resolves when they have all up to this command. */
  readonly whenApplied: (seq: Seq) => Promise<void>
  /** The key of a server wallet. */
  readonly walletKeyOf: (profileId: ProfileId) => Uint8Array
  /** The children of a group that left memory; undefined when the tables are late. */
  readonly archivedOf: (groupId: MarketId) => Promise<readonly Market[] | undefined>
}

export class EvmChain implements SettlementPort {
  readonly chainId: number
  readonly answersAtOnce = false
  readonly retryMs: number
  readonly faults = null
  /** Why nothing settles at present; null when nothing is wrong. */
  trouble: string | null = null
  readonly followed: FollowedChain = this
  groupAddresses: GroupContracts | null = null
  conditionalTokens: string | null = null
  followedBlock: number | null = null
  readonly #coins = new Map<Address, number>()
  /** Null until the chain has answered. */
  collateral: CollateralContracts | null = null
  readonly #data: ChainThreadData
  /** The time of the newest block that was seen. */
  #blockMs: TimeMs = 0
  readonly #parts: EvmChainParts
  readonly #worker: Worker
  #exchange: SettlingExchange | null = null
  #wallets: FollowedWallets | null = null
  #servers: ServerWallets | null = null
  /** Callers that wait until the transaction of a move is sent. */
  readonly #sends = new Map<Seq, Sending>()
  #tables: ChainTables | null = null
  #unanswered = 0
  /** Null until the chain has answered. */
  walletCode: WalletCode | null = null
  #onWalletCode: (code: WalletCode | null) => void = () => {}
  /** Queries of wallets without an answer, by their numbers. */
  readonly #queries = new Map<number, (answer: WalletAnswer) => void>()
  #lastQuery = 0
  /** Ends when all earlier trades were given to the thread. */
  #given: Promise<void> = Promise.resolve()
  #isOver = false

  private constructor(data: ChainThreadData, parts: EvmChainParts) {
    this.chainId = data.chainId
    this.retryMs = data.retryMs
    this.#data = data
    this.#parts = parts
    const entry = new URL('./chain.worker.ts', import.meta.url)
    this.#worker = spawn(entry, { name: 'chain', workerData: data })
  }

  /**
   * Resolves when the chain was looked at. Rejects with a sentence when these settings can never
   * work; a chain that does not answer is waited for.
   */
  static async start(data: ChainThreadData, parts: EvmChainParts): Promise<EvmChain> {
    const port = new EvmChain(data, parts)
    const refusal = await port.#firstLook()
    if (refusal === null) return port
    await port.stop()
    throw new Error(refusal)
  }

  #firstLook(): Promise<string | null> {
    return new Promise((resolve) => {
      let isFirst = true
      this.#worker.on('message', (message: ChainMessage) => {
        if (message.kind === 'refused' && isFirst) return resolve(message.sentence)
        isFirst = false
        this.#receive(message)
        resolve(null)
      })
      let reason = ''
      this.#worker.on('error', (error) => {
        reason = reasonOf(error)
      })
      this.#worker.on('exit', () => {
        if (!this.#isOver) this.#parts.onFault(`The thread of the chain ended: ${reason}`)
        resolve(null)
      })
    })
  }

  connect(tables: ChainTables): void {
    this.#tables = tables
  }

  /** Calls the listener when the code of wallets becomes known. */
  onWalletCode(listener: (code: WalletCode | null) => void): void {
    this.#onWalletCode = listener
  }

  /** Whether a wallet accepts a signature; never rejects. */
  queryWallet(query: WalletQuery): Promise<WalletAnswer> {
    if (this.#isOver) return Promise.resolve('silent')
    const number = ++this.#lastQuery
    this.#say({ kind: 'query wallet', number, ...query })
    return new Promise((resolve) => this.#queries.set(number, resolve))
  }

  get freeCount(): number {
    return Math.max(0, TRADES_MAX - this.#unanswered)
  }

  resume(exchange: SettlingExchange): readonly Seq[] {
    this.#exchange = exchange
    const { clearing } = exchange
    const wallets = new FollowedWallets(clearing)
    this.#wallets = wallets
    const senders = clearing.transactions.capture()
    const nonces = new Map(senders.map(({ account, nextNonce }) => [account, nextNonce]))
    const sent = inAnswerOrder(senders, (seq) => clearing.blocks.isAside(seq))
    const { place } = clearing.chainFunds
    assert(this.#tables !== null, 'a chain that decides has its tables')
    this.#servers = new ServerWallets(clearing, this.#tables.walletKeyOf)
    this.#make(this.#servers.waiting())
    const [counted, uncounted] = [wallets.counted(), wallets.uncounted()]
    // The thread reads what these transactions move.
    this.#whenApplied(clearing.lastSeq, () => {
      this.#say({ kind: 'resume', sent, nonces, place, wallets: counted })
      this.#say({ kind: 'watch', wallets: uncounted })
    })
    const tradeSeqs = sent.flatMap(({ trades }) => trades)
    this.#unanswered += tradeSeqs.length
    return tradeSeqs
  }

  submit(tradeSeqs: readonly Seq[]): void {
    this.#unanswered += tradeSeqs.length
    this.#given = this.#given.then(async () => {
      await this.#tables?.whenWritten(tradeSeqs)
      if (!this.#isOver) this.#say({ kind: 'settle', tradeSeqs })
    })
  }

  applied(command: ControlCommand): void {
    const wallets = this.#wallets?.applied(command) ?? []
    if (wallets.length > 0) this.#say({ kind: 'watch', wallets })
    const job = this.#servers?.applied(command) ?? null
    if (job !== null) this.#make([job])
  }

  /** After the trades before them: what a wallet moves may come from these. */
  #make(jobs: readonly WalletJob[]): void {
    const lastSeq = jobs.reduce((most, { seq }) => Math.max(most, seq), 0)
    if (jobs.length > 0) this.#whenApplied(lastSeq, () => this.#say({ kind: 'make', jobs }))
  }

  /** After all that was given before. */
  #whenApplied(seq: Seq, run: () => void): void {
    this.#given = this.#given.then(async () => {
      await this.#tables?.whenApplied(seq)
      if (!this.#isOver) run()
    })
  }

  async sentHash(seq: Seq): Promise<string | undefined> {
    const sent = () => {
      const all = this.#exchange?.clearing.transactions.capture() ?? []
      return all.flatMap((each) => each.sent).find(({ moves = [] }) => moves.includes(seq))
    }
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, LIMITS.sentHashDeadlineMs).unref()
    })
    const kept = this.#sends.get(seq) ?? sendingOf()
    this.#sends.set(seq, kept)
    if (sent() === undefined) await Promise.race([kept.promise, late])
    this.#sends.delete(seq)
    return sent()?.attempts.at(-1)?.txHash
  }

  /** Orders are refused when the newest block is too old, or none was seen. */
  isBehind(nowMs: TimeMs): boolean {
    const { behindMs } = this.#data
    return behindMs > 0 && nowMs - this.#blockMs > behindMs
  }

  /** Pools are on no chain, and children of groups are paid with their group. */
  paidOut(all: readonly Market[]): void {
    const kind = 'market'
    const paid = all.flatMap((market): PaidMarket[] => {
      const { marketId, slug, conditionId, yesTokenId, payoutNumerators: payouts } = market
      const isOwn = kindOf(market) === 'clob' && market.groupId === undefined
      if (!isOwn || payouts === null) return []
      return [{ kind, marketId, slug, conditionId, yesTokenId, payouts }]
    })
    if (paid.length > 0) this.#say({ kind: 'pay', paid })
    void this.#payGroups(new Set(all.flatMap(({ groupId }) => groupId ?? [])))
  }

  async #payGroups(groupIds: ReadonlySet<MarketId>): Promise<void> {
    for (const groupId of groupIds) await this.#payGroup(groupId)
  }

  /** Its children are paid on the chain at once, so the last one decides when. */
  async #payGroup(groupId: MarketId): Promise<void> {
    const catalogue = this.#exchange?.clearing.catalogue
    const { slug, negRiskId } = catalogue?.byId(groupId) ?? {}
    const children = catalogue?.childrenOf(groupId) ?? []
    // A child that left memory is paid out.
    if (negRiskId === undefined || !children.every(({ isPaidOut }) => isPaidOut)) return
    const archived = children.some(isWinner) ? [] : await this.#tables?.archivedOf(groupId)
    if (this.#isOver) return
    const winner = archived === undefined ? undefined : winnerOf([...children, ...archived])
    if (winner !== undefined) {
      this.#say({ kind: 'pay', paid: [{ kind: 'group', marketId: groupId, negRiskId, winner }] })
      return
    }
    this.#parts.onWarning(
      archived === undefined
        ? `The payout of group ${slug} waits for the next start: the read tables are late.`
        : `The payout of group ${slug} waits for resolvers: not exactly one of its markets won.`,
    )
  }

  /** Wallets approve on the chain themselves. */
  approve(): Setback | null {
    return null
  }

  #receive(message: ChainMessage): void {
    if (this.#isOver) return
    switch (message.kind) {
      case 'checked':
        this.groupAddresses = message.groups
        this.conditionalTokens = message.conditionalTokens
        this.collateral = contractsOf(this.#data, message.conditionalTokens)
        this.walletCode = message.wallets
        this.#onWalletCode(message.wallets)
        return
      case 'wallet answer':
        this.#queries.get(message.number)?.(message.answer)
        this.#queries.delete(message.number)
        return
      case 'refused':
        this.#parts.onFault(`Trades cannot settle: ${message.sentence}`)
        return
      case 'trouble':
        this.trouble = message.sentence
        this.#parts.onWarning(
          message.sentence === null
            ? 'Trades settle again.'
            : `No trade settles at present: ${message.sentence}`,
        )
        return
      case 'warning':
        this.#parts.onWarning(message.sentence)
        return
      case 'keep':
        void this.#keep(message.number, () => message.body)
        return
      case 'watched':
        void this.#keep(message.number, () => this.#followed(message.blocks))
        return
      case 'coin':
        this.#counted(message)
        return
      case 'seen':
        this.#blockMs = message.blockMs
        this.followedBlock = message.followedBlock
        return
      case 'approved':
        this.#exchange?.onApproved(message.profileId)
        return
      case 'answer':
        this.#unanswered -= message.answer.tradeSeqs.length
        this.#exchange?.onAnswer(message.answer)
        return
      default:
        message satisfies never
    }
  }

  get coin(): number | null {
    return this.#coins.size === 0 ? null : Math.min(...this.#coins.values())
  }

  /** The log says when the coins get few, and when there are enough again. */
  #counted({ account, coin }: Extract<ChainMessage, { kind: 'coin' }>): void {
    const { coinMin } = this.#data
    const wasLow = (this.#coins.get(account) ?? coinMin) < coinMin
    this.#coins.set(account, coin)
    const isLow = coin < coinMin
    if (isLow === wasLow) return
    this.#parts.onWarning(
      isLow
        ? `${account} pays for transactions and has ${coin} of the chain's coin left; send it some.`
        : `${account} has ${coin} of the chain's coin again.`,
    )
  }

  #followed(blocks: WatchedBlocks): ControlBody {
    assert(
      this.#exchange !== null && this.#wallets !== null,
      'wallets are followed from a start on',
    )
    const { command, left } = decideFollow(this.#exchange.clearing, this.#wallets.seen(blocks))
    for (const { owner, txHash } of left) {
      this.#parts.onWarning(
        `The exchange is full, so what came to profile ${owner} is not counted whole ` +
          `(${txHash ?? 'before its first block'}); see outcomex chain reconcile.`,
      )
    }
    return command
  }

  async #keep(number: number, decide: () => ControlBody): Promise<void> {
    let body: ControlBody | null = null
    await this.#exchange?.keep(() => {
      body = decide()
      return body
    })
    const moves = movesOf(body)
    // Whoever follows the wallet must find it when the transaction is in a block.
    const { lastSeq = 0 } = this.#exchange?.clearing ?? {}
    if (moves.length > 0) await this.#tables?.whenApplied(lastSeq)
    for (const seq of moves) this.#sends.get(seq)?.resolve()
    if (!this.#isOver) this.#say({ kind: 'kept', number })
  }

  #say(request: ChainRequest): void {
    this.#worker.postMessage(request)
  }

  /** What was sent is in the journal, so the thread has nothing to save. */
  async stop(): Promise<void> {
    this.#isOver = true
    for (const resolve of this.#queries.values()) resolve('silent')
    await this.#worker.terminate()
  }
}

/**
 * The transactions of all accounts that wait, in an order in which their answers may come: a block
 * covers the trades up to its last one, except those that are tried again.
 */
export function inAnswerOrder(
  senders: CapturedTransactions,
  isAside: (tradeSeq: Seq) => boolean,
): SentBefore[] {
  const queues = senders.map(({ account, sent }) => sent.map((each) => ({ account, ...each })))
  const firstOf = ([{ trades }]: readonly SentBefore[]) => trades.find((seq) => !isAside(seq)) ?? 0
  const all: SentBefore[] = []
  for (;;) {
    const waiting = queues.filter(({ length }) => length > 0)
    waiting.sort((a, b) => firstOf(a) - firstOf(b))
    const next = waiting.at(0)?.shift()
    if (next === undefined) return all
    all.push(next)
  }
}

/** As proofs of solvency name them. */
function contractsOf(
  { chainId, collateral, exchange }: ChainThreadData,
  conditionalTokens: Address,
): CollateralContracts {
  return {
    chainId,
    collateralAddress: collateral.toLowerCase(),
    conditionalTokensAddress: conditionalTokens.toLowerCase(),
    exchangeAddress: exchange.toLowerCase(),
  }
}

function isWinner({ payoutNumerators }: Market): boolean {
  return payoutNumerators?.[1] === 0
}

function isLoser({ payoutNumerators }: Market): boolean {
  return payoutNumerators?.[0] === 0
}

/** The index of the one child that wins all; undefined when the payouts are others. */
function winnerOf(children: readonly Market[]): number | undefined {
  const [winner, ...others] = children.filter((child) => !isLoser(child))
  return others.length === 0 && winner !== undefined && isWinner(winner)
    ? winner.orderInGroup
    : undefined
}

/** Callers that share a wait. */
interface Sending {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

function sendingOf(): Sending {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}

function movesOf(body: ControlBody | null): readonly Seq[] {
  return body?.kind === 'submitTransaction' ? (body.moves ?? []) : []
}
