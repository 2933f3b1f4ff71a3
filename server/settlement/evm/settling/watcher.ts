// Follows the wallets of profiles by the events of the token contracts, up to the newest block that
// is final, and states what moved beside the trades of this exchange.
// Invariants: each block is counted once, also across a crash, and follows the one that was counted
// before it; its events are those of its hash. A trade that settles moves what its legs in the
// ledger say, so whatever else its transaction moved is counted too: a wallet that is a contract
// may move its tokens when it receives some.

import type { Address, Hex } from 'viem'
import { assert } from '../../../../engine/domain/assert.ts'
import type { AccountId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import type { ChainAllowance, ChainPlace } from '../../../../engine/domain/moves/move-command.ts'
import type { TokenLeg, TradeLeg } from '../../../../persistence/query/read/settlements.ts'
import {
  abiOf,
  type ChainClient,
  type ChainEvent,
  type Header,
  type Receipt,
} from '../chain-client.ts'
import { ChainContradicted, ChainTrouble } from '../chain-trouble.ts'
import type { TokenMove, Wallet, WatchedBlocks } from './chain-messages.ts'

const PARTIES = 'address indexed operator, address indexed from, address indexed to'
const ABI = abiOf(
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
  'event Approval(address indexed holder, address indexed spender, uint256 amount)',
  `event TransferSingle(${PARTIES}, uint256 id, uint256 amount)`,
  `event TransferBatch(${PARTIES}, uint256[] ids, uint256[] amounts)`,
  'event ApprovalForAll(address indexed holder, address indexed spender, bool isApproved)',
  'event CallsMade(uint256 indexed id, address indexed wallet)',
  'event TradeSettled(uint256 indexed id, uint256 shares, uint256 collateral, uint256 fee)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function isApprovedForAll(address, address) view returns (bool)',
)
/** Blocks that are read at once. */
const AHEAD_MAX = 20
/** Blocks whose hashes are remembered. */
const REMEMBERED_MAX = 1000
/** Blocks without a move, after which the place is kept all the same. */
const IDLE = 256n
/** Balances that change by a command, and wallets that begin together. */
const [TOKENS_MAX, WALLETS_MAX] = [200, 20]
/** Whoever allows more than this does not run out of it. */
const ENDLESS = 2n ** 128n

export interface WatcherParts {
  readonly chain: ChainClient
  readonly collateral: Address
  readonly conditionalTokens: Address
  readonly exchange: Address
  /** Makes the calls of server wallets. */
  readonly factory: Address
  readonly confirmations: number
  /** The seq of a trade or a move of this exchange by its id in a contract; null for another's. */
  readonly seqOf: (id: bigint) => Seq | null
  /** Undefined while the tables do not have the trade. */
  readonly legsOf: (tradeSeq: Seq) => readonly TradeLeg[] | undefined
  /** Undefined while the tables do not have the move. */
  readonly moveLegsOf: (seq: Seq, owner: ProfileId) => readonly TokenLeg[] | undefined
  /** Resolves when the command of these blocks is durable. */
  readonly keep: (blocks: WatchedBlocks) => Promise<void>
}

/** What a transaction moved by account: '' is collateral, other keys are token ids. */
type Deltas = Map<AccountId, Map<string, bigint>>

interface Fields {
  readonly from?: string
  readonly to?: string
  readonly holder?: string
  readonly spender?: string
  readonly wallet?: string
  readonly id?: bigint
  readonly ids?: readonly bigint[]
  readonly amount?: bigint
  readonly amounts?: readonly bigint[]
}

export class Watcher {
  readonly #parts: WatcherParts
  #place: ChainPlace | null
  /** The block of the last kept place. */
  #keptBlock = 0
  /** Whether the chain still has the block where an earlier process stopped. */
  #isChecked = false
  /** By lowercase address. */
  readonly #owners = new Map<string, ProfileId>()
  readonly #addresses = new Map<ProfileId, Address>()
  /** Wallets that are not counted yet. */
  #fresh: Wallet[] = []
  /** Hashes of the last blocks that were counted. */
  readonly #hashes = new Map<number, string>()
  /** Whose allowance shrinks with each purchase. */
  readonly #finite = new Set<ProfileId>()

  constructor(parts: WatcherParts, place: ChainPlace | null, wallets: readonly Wallet[]) {
    this.#parts = parts
    this.#place = place
    this.#keptBlock = place?.block ?? 0
    for (const wallet of wallets) this.#own(wallet)
    // Until an allowance is read, it may be one that shrinks.
    for (const { profileId } of wallets) this.#finite.add(profileId)
  }

  /** The last block that is counted; null before the first. */
  get followedBlock(): number | null {
    return this.#place?.block ?? null
  }

  /** Counts more wallets, from the next block on. */
  watch(wallets: readonly Wallet[]): void {
    this.#fresh.push(...wallets)
  }

  #own({ profileId, address }: Wallet): void {
    this.#owners.delete(this.#addresses.get(profileId)?.toLowerCase() ?? '')
    this.#owners.set(address.toLowerCase(), profileId)
    this.#addresses.set(profileId, address)
  }

  /**
   * Counts up to the newest final block. Rejects with `ChainTrouble` when the chain does not
   * answer, and with `ChainContradicted` when it replaced a final block.
   */
  async follow(newest: bigint): Promise<void> {
    const target = newest - BigInt(this.#parts.confirmations) + 1n
    if (target < 0n) return
    if (this.#place === null) this.#arrive(await this.#header(target))
    assert(this.#place !== null, 'a place was found')
    if (!this.#isChecked) await this.#check(this.#place)
    while (BigInt(this.#place.block) < target) await this.#step(this.#place, target)
    while (this.#fresh.length > 0 && this.#place.taken === 0) {
      await this.#begin(this.#place, newest)
    }
    if (BigInt(this.#place.block - this.#keptBlock) >= IDLE) await this.#keep(this.#place, {})
  }

  async #header(number: bigint): Promise<Header> {
    const header = await this.#parts.chain.header(number)
    if (header === null) throw new ChainTrouble(`the chain has no block ${number} yet`)
    return header
  }

  async #check(place: ChainPlace): Promise<void> {
    const found = await this.#header(BigInt(place.block))
    if (found.hash !== place.hash) await this.#judge(place)
    this.#hashes.set(place.block, place.hash)
    this.#isChecked = true
  }

  /**
   * The chain contradicts what was counted. A URL that serves another chain, or one answer that is
   * wrong, is no reason to stop for ever, so it is read again.
   */
  async #judge({ block, hash }: ChainPlace): Promise<never> {
    this.#parts.chain.verifyAgain()
    const found = await this.#header(BigInt(block))
    if (found.hash !== hash) throw replaced(block)
    throw new ChainTrouble(
      `the chain gave blocks that do not follow each other after block ${block}; the URLs of ` +
        '--chain-rpc differ, or one of them is wrong',
    )
  }

  #arrive(header: Header): void {
    this.#place = placeAt(header)
    this.#hashes.set(this.#place.block, header.hash)
    this.#hashes.delete(this.#place.block - REMEMBERED_MAX)
  }

  /**
   * Whether the block of a receipt was followed. Throws `ChainTrouble` when another block was
   * counted in its place. Of one that was counted long ago nothing is known.
   */
  hasFollowed({ block, blockHash, hash }: Receipt): boolean {
    const place = this.#place
    if (place === null || block > BigInt(place.block)) return false
    const counted = this.#hashes.get(Number(block))
    if (counted === undefined || counted === blockHash) return true
    throw new ChainTrouble(
      `the receipt of transaction ${hash} is of block ${blockHash}, and block ${block} that was ` +
        `followed is ${counted}`,
    )
  }

  /** Counts the next blocks, as far as each follows the one before. */
  async #step(place: ChainPlace, target: bigint): Promise<void> {
    const { chain, exchange, factory, collateral, conditionalTokens } = this.#parts
    const contracts = [exchange, factory, collateral, conditionalTokens]
    const length = Math.min(AHEAD_MAX, Number(target) - place.block)
    const headers = await Promise.all(
      Array.from({ length }, (_, index) => this.#header(BigInt(place.block + 1 + index))),
    )
    const blocks = await Promise.all(headers.map((each) => chain.events(contracts, ABI, each)))
    for (const [index, header] of headers.entries()) {
      if (header.parentHash !== this.#place?.hash) await this.#judge(this.#place ?? place)
      await this.#count(header, blocks[index], target)
      this.#arrive(header)
    }
  }

  /** Counts the moves of the next block. Allowances are read as of block `at`, a later one. */
  async #count({ number, hash }: Header, events: readonly ChainEvent[], at: bigint): Promise<void> {
    const place = this.#place
    if (events.length === 0 || place === null) return
    const moves = this.#movesIn(events)
    await this.#keepAllowances(place, events, at)
    let { taken } = place
    for (;;) {
      const some = fitting(moves.slice(taken))
      if (taken + some.length >= moves.length) break
      taken += some.length
      await this.#keep({ ...place, taken }, { moves: some })
    }
    const last = { block: Number(number), hash, taken: 0 }
    if (moves.length > taken) await this.#keep(last, { moves: moves.slice(taken) })
  }

  async #keep(place: ChainPlace, blocks: Omit<WatchedBlocks, 'place'>): Promise<void> {
    await this.#parts.keep({ place, ...blocks })
    this.#place = place
    this.#keptBlock = place.block
  }

  /** In the order of their transactions. */
  #movesIn(events: readonly ChainEvent[]): TokenMove[] {
    const byTx = new Map<Hex, Deltas>()
    for (const event of events) {
      const deltas = byTx.get(event.txHash) ?? new Map()
      byTx.set(event.txHash, deltas)
      this.#add(deltas, event)
    }
    return [...byTx].flatMap(([txHash, deltas]) => {
      return [...deltas].flatMap(([owner, raws]): TokenMove[] => {
        const moved = [...raws].filter(([, raw]) => raw !== 0n)
        return inParts(moved).map((part) => ({ owner, txHash, moved: part }))
      })
    })
  }

  #add(deltas: Deltas, { contract, eventName, args }: ChainEvent): void {
    const { exchange, factory, collateral } = this.#parts
    const fields: Fields = args ?? {}
    const { from = '', to = '', wallet = '', id, amount = 0n, ids = [], amounts = [] } = fields
    switch (eventName) {
      case 'Transfer':
        if (contract !== collateral) return
        this.#transfer(deltas, { from, to, tokenId: '', raw: amount })
        return
      case 'TransferSingle':
        this.#transfer(deltas, { from, to, tokenId: `${id}`, raw: amount })
        return
      case 'TransferBatch':
        for (const [index, each] of ids.entries()) {
          this.#transfer(deltas, { from, to, tokenId: `${each}`, raw: amounts[index] })
        }
        return
      case 'TradeSettled':
        if (contract === exchange) this.#withoutTrade(deltas, id ?? 0n)
        return
      case 'CallsMade':
        if (contract === factory) this.#withoutMove(deltas, id ?? 0n, wallet)
    }
  }

  #transfer(
    deltas: Deltas,
    { from, to, tokenId, raw }: { from: string; to: string; tokenId: string; raw: bigint },
  ): void {
    const [giver, taker] = [from, to].map((address) => this.#owners.get(address.toLowerCase()))
    if (giver !== undefined) note(deltas, giver, tokenId, -raw)
    if (taker !== undefined) note(deltas, taker, tokenId, raw)
  }

  /** The ledger has what a move of a server wallet moves. Others name their calls as they like. */
  #withoutMove(deltas: Deltas, id: bigint, wallet: string): void {
    const seq = this.#parts.seqOf(id)
    const owner = this.#owners.get(wallet.toLowerCase())
    if (seq === null || owner === undefined) return
    const legs = this.#parts.moveLegsOf(seq, owner)
    if (legs === undefined) throw new ChainTrouble(`the tables do not have move ${seq} yet`)
    for (const { tokenId, raw } of legs) note(deltas, owner, tokenId ?? '', -BigInt(raw))
  }

  /** The ledger has what a trade of this exchange moves. */
  #withoutTrade(deltas: Deltas, tradeId: bigint): void {
    const tradeSeq = this.#parts.seqOf(tradeId)
    if (tradeSeq === null) return
    const legs = this.#parts.legsOf(tradeSeq)
    if (legs === undefined) throw new ChainTrouble(`the tables do not have trade ${tradeSeq} yet`)
    for (const { accountId, tokenId, raw } of legs) {
      if (this.#addresses.has(accountId)) note(deltas, accountId, tokenId ?? '', -BigInt(raw))
    }
  }

  /** Those that may have changed. A repeat after a crash is harmless: they are whole amounts. */
  async #keepAllowances(
    place: ChainPlace,
    events: readonly ChainEvent[],
    at: bigint,
  ): Promise<void> {
    const wallets = this.#allowersIn(events)
    for (let from = 0; from < wallets.length; from += WALLETS_MAX) {
      const some = wallets.slice(from, from + WALLETS_MAX)
      const allowances = await Promise.all(some.map((wallet) => this.#allowanceOf(wallet, at)))
      await this.#keep(place, { allowances })
    }
  }

  #allowersIn(events: readonly ChainEvent[]): Wallet[] {
    const { exchange } = this.#parts
    const changed = new Set<ProfileId>()
    for (const { eventName, args } of events) {
      const { from = '', holder = '', spender = '' }: Fields = args ?? {}
      const giver = this.#owners.get(from.toLowerCase())
      if (eventName === 'Transfer' && giver !== undefined && this.#finite.has(giver)) {
        changed.add(giver)
      }
      const allower = this.#owners.get(holder.toLowerCase())
      if (allower !== undefined && spender === exchange) changed.add(allower)
    }
    return [...changed].map((profileId) => {
      const address = this.#addresses.get(profileId)
      assert(address !== undefined, 'an owner has a wallet')
      return { profileId, address }
    })
  }

  async #allowanceOf({ profileId, address }: Wallet, at: bigint): Promise<ChainAllowance> {
    const { chain, collateral, conditionalTokens, exchange } = this.#parts
    const both = [address, exchange]
    const [allowed, ofShares] = await Promise.all([
      chain.read(collateral, ABI, 'allowance', both, at),
      chain.read(conditionalTokens, ABI, 'isApprovedForAll', both, at),
    ])
    const raw = amountOf(allowed)
    if (raw >= ENDLESS) this.#finite.delete(profileId)
    else this.#finite.add(profileId)
    const collateralRaw = Number(raw < MOST ? raw : MOST)
    return { profileId, collateralRaw, ofShares: ofShares === true }
  }

  /** From this block on, some more wallets are counted. */
  async #begin(place: ChainPlace, newest: bigint): Promise<void> {
    const some = this.#fresh.slice(0, WALLETS_MAX)
    const known = new Set(this.#owners.keys())
    // A wallet belongs to the first profile that names it.
    const wallets = some.filter(({ address }) => {
      return !known.has(address.toLowerCase()) && known.add(address.toLowerCase())
    })
    const at = BigInt(place.block)
    const balances = await this.#asOf(at, newest, () => this.#balancesOf(wallets, at))
    const allowances = await Promise.all(wallets.map((wallet) => this.#allowanceOf(wallet, at)))
    for (const wallet of wallets) this.#own(wallet)
    const moves = wallets.flatMap(({ profileId: owner }, index): TokenMove[] => {
      const raw = balances[index]
      return raw === 0n ? [] : [{ owner, moved: [['', raw]] }]
    })
    if (wallets.length > 0) await this.#keep(place, { wallets, moves, allowances })
    this.#fresh.splice(0, some.length)
  }

  /**
   * What a read gives as of block `at`. A node may answer for its newest block with the state of
   * the next one when that comes meanwhile, as anvil does; then it is read again.
   */
  async #asOf<Read>(at: bigint, newest: bigint, read: () => Promise<Read>): Promise<Read> {
    const found = await read()
    if (at < newest) return found
    const { number } = await this.#parts.chain.block()
    return number === at ? found : read()
  }

  #balancesOf(wallets: readonly Wallet[], at: bigint): Promise<bigint[]> {
    const { chain, collateral } = this.#parts
    return Promise.all(
      wallets.map(async ({ profileId, address }) => {
        // What came to an earlier wallet since the exchange gave it up is still counted.
        const earlier = this.#addresses.get(profileId)
        const [raw, ofEarlier] = await Promise.all(
          [address, earlier].map((each) => {
            return each === undefined ? 0n : chain.read(collateral, ABI, 'balanceOf', [each], at)
          }),
        )
        return amountOf(raw) - amountOf(ofEarlier)
      }),
    )
  }
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER)

function note(deltas: Deltas, owner: AccountId, tokenId: string, raw: bigint): void {
  const own = deltas.get(owner) ?? new Map<string, bigint>()
  deltas.set(owner, own.set(tokenId, (own.get(tokenId) ?? 0n) + raw))
}

/** Of many tokens of one transaction some at a time. */
function inParts<T>(moved: readonly T[]): T[][] {
  const count = Math.ceil(moved.length / TOKENS_MAX)
  return Array.from({ length: count }, (_, index) => {
    return moved.slice(index * TOKENS_MAX, (index + 1) * TOKENS_MAX)
  })
}

/** The first moves that fit a command. */
function fitting(moves: readonly TokenMove[]): TokenMove[] {
  let left = TOKENS_MAX
  const end = moves.findIndex(({ moved }) => {
    left -= moved.length
    return left < 0
  })
  return moves.slice(0, end === -1 ? moves.length : end)
}

function placeAt({ number, hash }: Header): ChainPlace {
  return { block: Number(number), hash, taken: 0 }
}

function amountOf(answer: unknown): bigint {
  if (typeof answer === 'bigint') return answer
  throw new ChainTrouble('the collateral is no ERC-20 token')
}

function replaced(block: number): ChainContradicted {
  return new ChainContradicted(
    `the chain replaced block ${block}, which had all its confirmations; compare balances with ` +
      'outcomex chain reconcile, then restart with more --chain-confirmations',
  )
}
