// The work of the thread of the chain: it opens the chain however long that takes, checks it, and
// then settles trades whenever the chain answers.

import { setTimeout as pause } from 'node:timers/promises'
import type { Address } from 'viem'
import type { CapturedTransactions } from '../../../../engine/core/money/chain-transactions.ts'
import type { Seq } from '../../../../engine/domain/ids.ts'
import type { ChainPlace } from '../../../../engine/domain/moves/move-command.ts'
import { MS_PER_SEC } from '../../../../engine/domain/units.ts'
import { openRead } from '../../../../persistence/query/open-reads.ts'
import { marketTerms } from '../../../../persistence/query/read/markets/traded-market.ts'
import {
  type SignedTrade,
  signedTrades,
} from '../../../../persistence/query/read/orders/signed-trades.ts'
import { moveLegs } from '../../../../persistence/query/read/portfolio/move-legs.ts'
import { tradeLegs } from '../../../../persistence/query/read/settlements.ts'
import { ChainClient, coinText } from '../chain-client.ts'
import { ChainContradicted, ChainTrouble, WrongChain } from '../chain-trouble.ts'
import type { Contracts } from '../contracts.ts'
import { type ExchangeParts, exchangeParts } from '../exchange-parts.ts'
import type { ChainKey } from '../key/chain-key.ts'
import { openKey } from '../key/open-key.ts'
import { loadContracts } from '../load-contracts.ts'
import type {
  ChainMessage,
  ChainRequest,
  ChainThreadData,
  GroupContracts,
  Paid,
  Wallet,
  WalletJob,
} from './chain-messages.ts'
import { checkExchange, walletCodeOf } from './check-chain.ts'
import { Settler } from './settler.ts'
import { idOf, seqOf } from './trade-calls.ts'
import { WalletMoves } from './wallet-moves.ts'
import { Watcher } from './watcher.ts'

const COINS_EVERY_MS = 60_000
/** Trades that are read at once. */
const READ_MAX = 100
/** While nobody makes the key a resolver, resolvers post what is beyond it. */
const UNPAID_MAX = 10_000

interface Checked {
  readonly chain: ChainClient
  readonly key: ChainKey
  readonly contracts: Contracts
  readonly groups: GroupContracts
  readonly tokens: ExchangeParts
}

export class ChainThread {
  readonly #data: ChainThreadData
  readonly #say: (message: ChainMessage) => void
  #resumed: Extract<ChainRequest, { kind: 'resume' }> | null = null
  /** Wallets that are not given to the watcher yet. */
  readonly #unwatched: Wallet[] = []
  #watcher: Watcher | null = null
  /** What server wallets must do and the settler does not have yet. */
  readonly #jobs: WalletJob[] = []
  #moves: WalletMoves | null = null
  /** Trades that are not read yet. */
  readonly #unread: Seq[] = []
  /** The newest markets and groups whose payouts are not posted on the chain yet. */
  readonly #unpaid: Paid[] = []
  /** Null until the chain has answered. */
  #chain: ChainClient | null = null
  #settler: Settler | null = null
  #read: ReturnType<typeof openRead<{ tradeSeqs: readonly Seq[] }, SignedTrade[]>> | null = null
  readonly #keeping = new Map<number, () => void>()
  #kept = 0
  #trouble: string | null = null
  /** When the coins of the key were counted last. */
  #coinsMs = 0
  /** Ends the pause between two looks. */
  #wake = new AbortController()

  readonly #warn = (sentence: string) => this.#say({ kind: 'warning', sentence })

  constructor(data: ChainThreadData, say: (message: ChainMessage) => void) {
    this.#data = data
    this.#say = say
  }

  receive(request: ChainRequest): void {
    switch (request.kind) {
      case 'resume':
        this.#resumed = request
        break
      case 'watch':
        this.#unwatched.push(...request.wallets)
        break
      case 'make':
        this.#jobs.push(...request.jobs)
        break
      case 'settle':
        this.#unread.push(...request.tradeSeqs)
        break
      case 'pay':
        this.#unpaid.push(...request.paid)
        break
      case 'kept':
        this.#keeping.get(request.number)?.()
        this.#keeping.delete(request.number)
        return
      case 'query wallet':
        void this.#queryWallet(request)
        return
      default:
        request satisfies never
    }
    this.#wake.abort()
  }

  /**
   * Works until the thread ends. Returns when the settings can never work, and when the chain
   * contradicts itself.
   */
  async run(): Promise<void> {
    let checked: Checked | null = null
    for (;;) {
      try {
        checked ??= await this.#check()
        await this.#work(checked)
        this.#report(null)
      } catch (error) {
        if (error instanceof WrongChain) {
          this.#say({ kind: 'refused', sentence: error.message })
          return
        }
        this.#report(sentenceOf(error))
        if (error instanceof ChainContradicted) return
      }
      this.#unpaid.splice(0, this.#unpaid.length - UNPAID_MAX)
      await this.#pause()
    }
  }

  async #check(): Promise<Checked> {
    const key = await openKey(this.#data.key).catch((error: unknown) => {
      if (error instanceof ChainTrouble) throw new WrongChain(error.message)
      throw error
    })
    const chain = await ChainClient.open({ ...this.#data, onWarning: this.#warn })
    const contracts = await loadContracts()
    const groups = await checkExchange(chain, contracts, key.address, this.#data)
    const { exchange } = this.#data
    const wallets = await walletCodeOf(chain, contracts, exchange)
    const tokens = await exchangeParts(chain, exchange, contracts.Exchange.abi)
    this.#chain = chain
    const { conditionalTokens } = tokens
    this.#say({ kind: 'checked', wallets, groups, conditionalTokens })
    return { chain, key, contracts, groups, tokens }
  }

  async #queryWallet({
    number,
    ...query
  }: Extract<ChainRequest, { kind: 'query wallet' }>): Promise<void> {
    const pending = this.#chain?.accepts(query, this.#data.exchange)
    const isAccepted = await pending?.catch(() => undefined)
    const answer = isAccepted === undefined ? 'silent' : isAccepted ? 'accepts' : 'refuses'
    this.#say({ kind: 'wallet answer', number, answer })
  }

  async #work(checked: Checked): Promise<void> {
    if (this.#resumed === null) return
    this.#watcher ??= this.#openWatcher(checked, this.#resumed)
    this.#watcher.watch(this.#unwatched.splice(0))
    const { number, timestampSec } = await checked.chain.block()
    await this.#watcher.follow(number)
    const { followedBlock } = this.#watcher
    this.#say({ kind: 'seen', blockMs: timestampSec * MS_PER_SEC, followedBlock })
    await this.#countCoins(checked)
    this.#moves ??= this.#openMoves(checked)
    this.#moves.add(this.#jobs.splice(0))
    this.#settler ??= await this.#open(checked, this.#resumed.senders, {
      watcher: this.#watcher,
      moves: this.#moves,
    })
    let count = 0
    do {
      const trades = this.#settler.isBehind ? [] : this.#readTrades()
      count = trades.length
      this.#settler.settle(trades)
      await this.#settler.work(Date.now())
    } while (count === READ_MAX)
    if (this.#unpaid.length > 0) await this.#settler.payOut(this.#unpaid, Date.now())
  }

  async #countCoins({ chain, key: { address: account } }: Checked): Promise<void> {
    if (Date.now() < this.#coinsMs + COINS_EVERY_MS) return
    const coin = Number(coinText(await chain.balanceWei(account)))
    this.#coinsMs = Date.now()
    this.#say({ kind: 'coin', account, coin })
  }

  /** The next trades; those whose rows are late are read at the next look. */
  #readTrades(): readonly SignedTrade[] {
    const tradeSeqs = this.#unread.slice(0, READ_MAX)
    if (tradeSeqs.length === 0) return []
    this.#read ??= openRead(this.#data.folder, signedTrades)
    const trades = this.#read({ tradeSeqs }) ?? []
    this.#unread.splice(0, trades.length)
    return trades
  }

  #openMoves({ chain, contracts, groups, tokens }: Checked): WalletMoves {
    const { collateral, retryMs, tag } = this.#data
    return new WalletMoves({
      chain,
      collateral,
      conditionalTokens: tokens.conditionalTokens,
      adapter: groups.adapter,
      factory: tokens.wallets,
      factoryAbi: contracts.WalletFactory.abi,
      retryMs,
      idOf: (seq) => idOf(seq, tag),
      onWarning: this.#warn,
    })
  }

  async #open(
    checked: Checked,
    senders: CapturedTransactions,
    { watcher, moves }: { readonly watcher: Watcher; readonly moves: WalletMoves },
  ): Promise<Settler> {
    const { chain, key, contracts, groups, tokens } = checked
    requireOwn(key.address, senders)
    const termsOf = openRead(this.#data.folder, marketTerms)
    const before = senders.find(({ account }) => account === key.address)
    const { exchange, confirmations, repeatMs, maxFeeWei, tag } = this.#data
    return Settler.open(
      {
        chain,
        key,
        exchange,
        abi: contracts.Exchange.abi,
        conditionalTokens: tokens.conditionalTokens,
        adapter: groups.adapter,
        adapterAbi: contracts.GroupAdapter.abi,
        confirmations,
        repeatMs,
        maxFeeWei,
        tag,
        hasFollowed: (receipt) => watcher.hasFollowed(receipt),
        keep: (body) => this.#keep((number) => ({ kind: 'keep', number, body })),
        onAnswer: (answer) => this.#say({ kind: 'answer', answer }),
        onApproved: (profileId) => this.#say({ kind: 'approved', profileId }),
        moves,
        termsOf: (marketId) => termsOf({ marketId }),
        onWarning: this.#warn,
      },
      before ?? { sent: [], nextNonce: 0 },
      Date.now(),
    )
  }

  #openWatcher(
    { chain, tokens }: Checked,
    { place, wallets }: { place: ChainPlace | null; wallets: readonly Wallet[] },
  ): Watcher {
    const { exchange, collateral, confirmations, tag, folder } = this.#data
    const [legsOf, moveLegsOf] = [openRead(folder, tradeLegs), openRead(folder, moveLegs)]
    return new Watcher(
      {
        chain,
        exchange,
        collateral,
        conditionalTokens: tokens.conditionalTokens,
        confirmations,
        factory: tokens.wallets,
        seqOf: (id) => seqOf(id, tag),
        moveLegsOf: (seq, owner) => moveLegsOf({ seq, owner }),
        legsOf: (tradeSeq) => legsOf({ tradeSeq }) ?? undefined,
        keep: (blocks) => this.#keep((number) => ({ kind: 'watched', number, blocks })),
      },
      place,
      wallets,
    )
  }

  /** Resolves when the command of the message is durable. */
  #keep(messageOf: (number: number) => ChainMessage): Promise<void> {
    const number = ++this.#kept
    this.#say(messageOf(number))
    return new Promise((resolve) => this.#keeping.set(number, resolve))
  }

  /** Each trouble is reported once. */
  #report(sentence: string | null): void {
    if (sentence === this.#trouble) return
    this.#trouble = sentence
    this.#say({ kind: 'trouble', sentence })
  }

  async #pause(): Promise<void> {
    const { signal } = this.#wake
    await pause(this.#data.pollMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) this.#wake = new AbortController()
  }
}

/** Transactions of another account still wait: only its key can send them again. */
function requireOwn(account: Address, senders: CapturedTransactions): void {
  const other = senders.find((each) => each.account !== account && each.sent.length > 0)
  if (other === undefined) return
  throw new WrongChain(
    `${other.sent.length} transactions of ${other.account} still wait, and --chain-key is the ` +
      `key of ${account}; start with the earlier key until they are in blocks`,
  )
}

function sentenceOf(error: unknown): string {
  if (error instanceof ChainTrouble) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
