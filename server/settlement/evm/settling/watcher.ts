// Follows the wallets of profiles by the events of the token contracts, up to the newest block that
// is final, and states what moved beside the trades of this exchange.
// Invariants: each block is counted once, also across a crash. A trade that settles moves what its
// legs in the ledger say, so whatever else its transaction moved is counted too: a wallet that is a
// contract may move its tokens when it receives some.

import type { Address, Hex } from 'viem'
import { assert } from '../../../../engine/domain/assert.ts'
import type { AccountId, ProfileId, Seq } from '../../../../engine/domain/ids.ts'
import type { ChainAllowance, ChainPlace } from '../../../../engine/domain/moves/move-command.ts'
import type { TokenLeg, TradeLeg } from '../../../../persistence/query/read/settlements.ts'
import { abiOf, type ChainClient, type ChainEvent, type Header } from '../chain-client.ts'
import { ChainContradicted, ChainTrouble } from '../chain-trouble.ts'
import type { TokenMove, Wallet, WatchedBlocks } from './chain-messages.ts'

const ABI = abiOf(
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
  'event Approval(address indexed holder, address indexed spender, uint256 amount)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 amount)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] amounts)',
  'event ApprovalForAll(address indexed holder, address indexed spender, bool isApproved)',
  'event CallsMade(uint256 indexed id, address indexed wallet)',
  'event TradeSettled(uint256 indexed id, uint256 shares, uint256 collateral, uint256 fee)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function isApprovedForAll(address, address) view returns (bool)',
)
/** Any node has blocks this far below the newest; newer ones are read by their hashes. */
const NEAR = 64n
/** Blocks that are read at once. */
const RANGE_MAX = 500n
/** Blocks without a move, after which the place is kept all the same. */
const IDLE = 256n
/** Moves in a command, and wallets that begin together. */
const [MOVES_MAX, WALLETS_MAX] = [100, 20]
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
  #range = RANGE_MAX
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
    this.#place ??= placeAt(await this.#header(target))
    if (!this.#isChecked) await this.#check(this.#place)
    while (BigInt(this.#place.block) < target) await this.#step(this.#place, target)
    while (this.#fresh.length > 0 && this.#place.taken === 0) await this.#begin(this.#place)
    if (BigInt(this.#place.block - this.#keptBlock) >= IDLE) await this.#keep(this.#place, {})
  }

  async #header(number: bigint): Promise<Header> {
    const header = await this.#parts.chain.header(number)
    if (header === null) throw new ChainTrouble(`the chain has no block ${number} yet`)
    return header
  }

  async #check({ block, hash }: ChainPlace): Promise<void> {
    const found = await this.#header(BigInt(block))
    if (found.hash !== hash) throw replaced(block)
    this.#isChecked = true
  }

  async #step(place: ChainPlace, target: bigint): Promise<void> {
    const { chain, exchange, factory, collateral, conditionalTokens } = this.#parts
    const contracts = [exchange, factory, collateral, conditionalTokens]
    const from = BigInt(place.block) + 1n
    const old = target - NEAR
    if (from <= old) {
      const to = old - from >= this.#range ? from + this.#range - 1n : old
      const end = await this.#header(to)
      // A node that refuses it may give fewer.
      const whole = this.#range
      this.#range = whole > 1n ? whole / 2n : 1n
      const events = await chain.events(contracts, ABI, { kind: 'range', from, to })
      this.#range = whole * 2n < RANGE_MAX ? whole * 2n : RANGE_MAX
      for (const ofBlock of byBlock(events)) await this.#count(ofBlock)
      this.#place = placeAt(end)
      return
    }
    const header = await this.#header(from)
    if (header.parentHash !== place.hash) throw replaced(place.block)
    const { hash } = header
    await this.#count(await chain.events(contracts, ABI, { kind: 'one', hash }), from)
    this.#place = placeAt(header)
  }

  /** Counts the moves of one block. Allowances are read as of block `at`, or as they are now. */
  async #count(events: readonly ChainEvent[], at?: bigint): Promise<void> {
    const [first] = events
    const place = this.#place
    if (first === undefined || place === null) return
    const moves = this.#movesIn(events)
    await this.#keepAllowances(place, events, at)
    const isNext = BigInt(place.block) + 1n === first.block
    let taken = isNext ? place.taken : 0
    for (; moves.length - taken > MOVES_MAX; taken += MOVES_MAX) {
      const some = moves.slice(taken, taken + MOVES_MAX)
      const before = isNext ? place : placeAt(await this.#header(first.block - 1n))
      await this.#keep({ ...before, taken: taken + MOVES_MAX }, { moves: some })
    }
    const last = { block: Number(first.block), hash: first.blockHash, taken: 0 }
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
        return moved.length === 0 ? [] : [{ owner, txHash, moved }]
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
    at: bigint | undefined,
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

  async #allowanceOf(
    { profileId, address }: Wallet,
    at: bigint | undefined,
  ): Promise<ChainAllowance> {
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
  async #begin(place: ChainPlace): Promise<void> {
    const { chain, collateral } = this.#parts
    const some = this.#fresh.slice(0, WALLETS_MAX)
    const known = new Set(this.#owners.keys())
    // A wallet belongs to the first profile that names it.
    const wallets = some.filter(({ address }) => {
      return !known.has(address.toLowerCase()) && known.add(address.toLowerCase())
    })
    const at = BigInt(place.block)
    const balances = await Promise.all(
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
    const allowances = await Promise.all(wallets.map((wallet) => this.#allowanceOf(wallet, at)))
    for (const wallet of wallets) this.#own(wallet)
    const moves = wallets.flatMap(({ profileId: owner }, index): TokenMove[] => {
      const raw = balances[index]
      return raw === 0n ? [] : [{ owner, moved: [['', raw]] }]
    })
    if (wallets.length > 0) await this.#keep(place, { wallets, moves, allowances })
    this.#fresh.splice(0, some.length)
  }
}

const MOST = BigInt(Number.MAX_SAFE_INTEGER)

function note(deltas: Deltas, owner: AccountId, tokenId: string, raw: bigint): void {
  const own = deltas.get(owner) ?? new Map<string, bigint>()
  deltas.set(owner, own.set(tokenId, (own.get(tokenId) ?? 0n) + raw))
}

function placeAt({ number, hash }: Header): ChainPlace {
  return { block: Number(number), hash, taken: 0 }
}

function byBlock(events: readonly ChainEvent[]): ChainEvent[][] {
  const blocks: ChainEvent[][] = []
  for (const event of events) {
    const last = blocks.at(-1)
    if (last?.at(0)?.block === event.block) last.push(event)
    else blocks.push([event])
  }
  return blocks
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
