// The work of the thread of the chain: it opens the chain however long that takes, checks it, and
// then settles trades whenever the chain answers.

import { setTimeout as pause } from 'node:timers/promises'
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
import type { KeySource } from '../../../settings/chain-settings.ts'
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
  SentBefore,
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

type Resumed = Extract<ChainRequest, { kind: 'resume' }>

interface Checked {
  readonly chain: ChainClient
  readonly keys: readonly ChainKey[]
  readonly contracts: Contracts
  readonly groups: GroupContracts
  readonly tokens: ExchangeParts
}

export class ChainThread {
  readonly #data: ChainThreadData
  readonly #say: (message: ChainMessage) => void
  #resumed: Resumed | null = null
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
  /** When the coins of the keys were counted last. */
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
    const keys = await openKeys(this.#data.keys)
    const chain = await ChainClient.open({ ...this.#data, onWarning: this.#warn })
    const contracts = await loadContracts()
    const accounts = keys.map(({ address }) => address)
    const groups = await checkExchange(chain, contracts, accounts, this.#data)
    const { exchange } = this.#data
    const wallets = await walletCodeOf(chain, contracts, exchange)
    const tokens = await exchangeParts(chain, exchange, contracts.Exchange.abi)
    this.#chain = chain
    const { conditionalTokens } = tokens
    this.#say({ kind: 'checked', wallets, groups, conditionalTokens })
    return { chain, keys, contracts, groups, tokens }
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
    this.#settler ??= await this.#open(checked, this.#resumed, {
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

  async #countCoins({ chain, keys }: Checked): Promise<void> {
    if (Date.now() < this.#coinsMs + COINS_EVERY_MS) return
    for (const { address: account } of keys) {
      const coin = Number(coinText(await chain.balanceWei(account)))
      this.#say({ kind: 'coin', account, coin })
    }
    this.#coinsMs = Date.now()
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
    before: Resumed,
    { watcher, moves }: { readonly watcher: Watcher; readonly moves: WalletMoves },
  ): Promise<Settler> {
    const { chain, keys, contracts, groups, tokens } = checked
    requireOwn(keys, before.sent)
    const termsOf = openRead(this.#data.folder, marketTerms)
    const { exchange, confirmations, repeatMs, maxFeeWei, tag } = this.#data
    return Settler.open(
      {
        chain,
        keys,
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
      before,
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

async function openKeys(sources: readonly KeySource[]): Promise<readonly ChainKey[]> {
  const keys: ChainKey[] = []
  for (const source of sources) {
    const key = await openKey(source).catch((error: unknown) => {
      if (error instanceof ChainTrouble) throw new WrongChain(error.message)
      throw error
    })
    if (keys.some(({ address }) => address === key.address)) {
      throw new WrongChain(`--chain-key names the key of ${key.address} twice`)
    }
    keys.push(key)
  }
  return keys
}

/** Transactions of another account still wait: only its key can send them again. */
function requireOwn(keys: readonly ChainKey[], sent: readonly SentBefore[]): void {
  const accounts: readonly string[] = keys.map(({ address }) => address)
  const other = sent.find(({ account }) => !accounts.includes(account))
  if (other === undefined) return
  const { length } = sent.filter(({ account }) => account === other.account)
  throw new WrongChain(
    `${length} transactions of ${other.account} still wait, and --chain-key is the ` +
      `key of ${accounts.join(', ')}; start with the earlier key too until they are in blocks`,
  )
}

function sentenceOf(error: unknown): string {
  if (error instanceof ChainTrouble) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
