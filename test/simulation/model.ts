// What the exchange must be, by its commands alone. An order comes in two halves, as in the
// exchange: `admit` when it is decided, `settle` when its market has answered. So the model equals
// main's state at any moment, however late the markets are.

import assert from 'node:assert/strict'
import { RULES_VERSION } from '../../engine/core/clearing.ts'
import type { Amended } from '../../engine/core/decide/amend.ts'
import type {
  CancelOrders,
  Command,
  ControlCommand,
  DecreaseOrder,
  PlaceOrder,
  ProfileFields,
  ReleaseOrder,
  Scope,
} from '../../engine/domain/command.ts'
import { concernsBook } from '../../engine/domain/command-kinds.ts'
import { CANCEL_REASONS } from '../../engine/domain/event.ts'
import { ORDER_TYPES, SIDE, STP_POLICIES } from '../../engine/domain/order.ts'
import {
  lockOf,
  type SlowAnswer,
  SlowExchange,
  type SlowReplaced,
  type SlowRequest,
} from '../support/reference-book.ts'
import { type Before, ChainModel } from './chain-model.ts'
import { ControlModel } from './control-model.ts'
import type { MarketModel } from './market-model.ts'
import { MarketsModel } from './markets-model.ts'
import { MoveModel } from './move-model.ts'
import { OrderGroupsModel, type OrdersOfModel } from './order-group-model.ts'
import { PackModel } from './pack-model.ts'
import { PartnerModel } from './partner-model.ts'
import { ReferralModel } from './referral-model.ts'

export interface TokenModel {
  readonly profileId: number
  readonly scopes: readonly Scope[]
  isRevoked: boolean
}

interface LiveOrder {
  request: SlowRequest
  readonly clientKey: string
  readonly hash: number
  /** When taker delay ends, if taker delay holds the order at all. */
  readonly eligibleMs: number
  /** The first instant at which the order may be canceled as expired. */
  readonly expiresMs: number
  filledRaw: number
}

interface Came {
  readonly seq: number
  readonly before: Before
}

/** The answer to an order, or to its release. */
interface OrderAnswer {
  readonly kind: 'order' | 'release'
  readonly request: SlowRequest
  readonly answer: SlowAnswer
  /** The order that it replaced, if any. */
  readonly replacedId?: number
}

export type Answer =
  | OrderAnswer
  | { readonly kind: 'cancels'; readonly ids: readonly number[]; readonly gone: readonly number[] }
  | { readonly kind: 'decrease'; readonly id: number; readonly leftRaw: number }

const EXPIRED = CANCEL_REASONS.indexOf('EXPIRED')
/** Generations stay far below this in a run. */
const GENERATIONS = 2 ** 24

/** One number for both halves of a hash; no two hashes of a run share it. */
export function hashKey({ hashHigh, hashLow }: PlaceOrder): number {
  return hashHigh * 2 ** 21 + (hashLow % 2 ** 21)
}

const raw = (ticks: number) => BigInt(ticks) * 1000n

function requestOf(order: Omit<PlaceOrder, 'kind'>, id: number): SlowRequest {
  return {
    id,
    market: order.marketId,
    owner: order.accountId,
    side: order.side === SIDE.BUY ? 'buy' : 'sell',
    token: order.outcome === 0 ? 'yes' : 'no',
    type: ORDER_TYPES[order.orderType],
    price: order.marketForm ? null : raw(order.priceTicks),
    shares: BigInt(order.sizeRaw),
    spend: BigInt(order.spendRaw),
    postOnly: order.postOnly,
    policy: STP_POLICIES[order.stp],
    feeBps: BigInt(order.feeBps),
    delayed: order.takerDelayMs > 0,
  }
}

function rateOf({ rank, feeCapBps }: ProfileFields): number | null {
  return rank === null ? null : Math.min(rank.feeRateBps, feeCapBps ?? 1000)
}

export class Model {
  slow = new SlowExchange()
  chain = new ChainModel()
  controls = new ControlModel()
  partners = new PartnerModel()
  venue = new MarketsModel()
  packs = new PackModel()
  referrals = new ReferralModel()
  orderGroups = new OrderGroupsModel()
  seq = 0
  withdrawals = 0n
  readonly live = new Map<number, LiveOrder>()
  readonly hashes = new Set<number>()
  readonly clientKeys = new Set<string>()
  readonly tokens = new Map<string, TokenModel>()
  /** Until when each call that moved money is remembered. */
  readonly calls = new Map<string, number>()
  /** Ids of tokens by the numbers that they have in the running life. */
  readonly tokenIds = new Map<number, string>()
  readonly rates: (number | null)[] = []
  /** The account of each order, by the id of the order. */
  readonly #owners: number[] = []
  /** Ids of the orders that ended as MATCHED (rules §5.1). */
  readonly #matched = new Set<number>()
  readonly #idOf = new Map<number, number>()
  /** By the seqs of the orders that replace them. */
  readonly #replaced = new Map<number, SlowReplaced>()
  readonly #pending = new Map<number, SlowRequest | CancelOrders | DecreaseOrder | ReleaseOrder>()

  /** Money just left the account: it still pays for whichever of its trades fail (rules §6.5). */
  assertPays(account: number): void {
    this.chain.assertPays(account, this.slow)
  }

  copy(): Model {
    const model = new Model()
    model.slow = this.slow.copy()
    model.controls = this.controls.copy()
    model.chain = this.chain.copy()
    model.partners = this.partners.copy()
    model.venue = this.venue.copy()
    model.packs = this.packs.copy()
    model.referrals = this.referrals.copy()
    model.orderGroups = this.orderGroups.copy()
    model.seq = this.seq
    model.withdrawals = this.withdrawals
    for (const [id, order] of this.live) model.live.set(id, { ...order })
    for (const hash of this.hashes) model.hashes.add(hash)
    for (const key of this.clientKeys) model.clientKeys.add(key)
    for (const [tokenId, token] of this.tokens) model.tokens.set(tokenId, { ...token })
    for (const [digest, untilMs] of this.calls) model.calls.set(digest, untilMs)
    model.#owners.push(...this.#owners)
    for (const id of this.#matched) model.#matched.add(id)
    model.rates.push(...this.rates)
    for (const [name, id] of this.#idOf) model.#idOf.set(name, id)
    for (const [seq, requested] of this.#pending) model.#pending.set(seq, requested)
    for (const [seq, replaced] of this.#replaced) model.#replaced.set(seq, replaced)
    return model
  }

  /** By id from 1. */
  get markets(): readonly MarketModel[] {
    return this.venue.all
  }

  get slugs(): ReadonlySet<string> {
    return this.venue.slugs
  }

  /** How many commands wait for the answer of their market. */
  get pendingCount(): number {
    return this.#pending.size
  }

  idOf(slot: number, generation: number): number {
    return this.#idOf.get(slot * GENERATIONS + generation) ?? 0
  }

  isLive(slot: number, generation: number): boolean {
    return this.live.has(this.idOf(slot, generation))
  }

  /** The account whose order ever had this name; 0 for none. */
  ownerOf(slot: number, generation: number): number {
    return this.#owners[this.idOf(slot, generation)] ?? 0
  }

  /** Whether the order of this name ended as MATCHED. */
  wasMatched(slot: number, generation: number): boolean {
    return this.#matched.has(this.idOf(slot, generation))
  }

  admit(command: Command, isReplayed = false): void {
    assert.equal(command.seq, this.seq + 1, 'commands come without a gap')
    this.seq = command.seq
    if (command.kind === 'armHeartbeat' || command.kind === 'disarmHeartbeat') {
      this.#isBeatOver(command.profileId)
    }
    this.controls.admit(command)
    this.partners.admit(command)
    this.orderGroups.admit(command, this.ofGroups, isReplayed)
    if (command.kind === 'placeOrder') this.#admitOrder(command, isReplayed)
    else if (command.kind === 'cancelOrders') this.#admitCancel(command)
    else if (command.kind === 'releaseOrder') this.#admitRelease(command, isReplayed)
    else if (command.kind === 'decreaseOrder') this.#admitDecrease(command)
    else this.#control(command)
    this.chain.admit(command, this.slow, this.#pending.keys())
    const payoutOf = (marketId: number) => this.markets[marketId - 1].payout
    this.referrals.admit(command, this.slow, { mined: this.chain.mined, isReplayed, payoutOf })
  }

  #admitOrder(order: PlaceOrder, isReplayed: boolean): void {
    const request = requestOf(order, order.seq)
    const clientKey = order.clientOrderId === '' ? '' : `${order.accountId}:${order.clientOrderId}`
    const feeBps = this.markets[order.marketId - 1].feeEnabled ? this.rates[order.accountId] : 0
    assert.equal(order.feeBps, feeBps, 'an order carries the rate of its owner')
    assert(!this.hashes.has(hashKey(order)), 'a signed order is accepted once')
    assert(!this.clientKeys.has(clientKey), 'a client id is used once')
    if (order.replacedSlot === 0) this.#reserve(order, request)
    else this.#reserveBeyond(order, request, isReplayed)
    this.hashes.add(hashKey(order))
    if (clientKey !== '') this.clientKeys.add(clientKey)
    const eligibleMs = order.nowMs + order.takerDelayMs
    const hash = hashKey(order)
    const expiresMs =
      order.expirationSec === 0 ? Number.POSITIVE_INFINITY : (order.expirationSec + 1) * 1000
    this.live.set(order.seq, { request, clientKey, hash, eligibleMs, expiresMs, filledRaw: 0 })
    this.#idOf.set(order.slot * GENERATIONS + order.generation, order.seq)
    this.#owners[order.seq] = order.accountId
    this.#pending.set(order.seq, request)
  }

  #reserve(order: PlaceOrder, request: SlowRequest): void {
    const { slow } = this
    assert(!slow.lacks(request), 'an order is covered')
    const before = slow.cash(order.accountId).free
    slow.reserve(request)
    const reserved = before - slow.cash(order.accountId).free
    const lockedRaw = order.side === SIDE.BUY ? Number(reserved) : order.sizeRaw
    assert.equal(order.reserveRaw, lockedRaw, 'an order reserves what rules §2.5 says')
  }

  /** In a replay, the old order may have more fills than when this was decided. */
  #reserveBeyond(order: PlaceOrder, request: SlowRequest, isReplayed: boolean): void {
    const id = this.idOf(order.replacedSlot, order.replacedGeneration)
    const [open, want, beyond] = [order.replacedOpenRaw, order.replacingRaw, order.reserveRaw]
    const replaced = { id, open: BigInt(open), want: BigInt(want), beyond: BigInt(beyond) }
    if (!isReplayed) {
      const expected = this.slow.replacing(request, id, replaced.want, this.#arriving(id))
      assert.deepEqual(replaced, expected, 'a replacement reserves what rules §4.10 says')
    }
    assert(this.slow.reserveBeyond(request, replaced), 'a replacement is covered')
    this.#replaced.set(order.seq, replaced)
  }

  /** How the order would replace the amended one, which lives. */
  replacementOf(order: PlaceOrder, { slot, generation, seenFilledRaw }: Amended): SlowReplaced {
    const id = this.idOf(slot, generation)
    const { filledRaw } = this.#live(id)
    const unseenRaw = seenFilledRaw === null ? 0 : Math.max(0, filledRaw - seenFilledRaw)
    const steps = Math.max(0, Math.floor((order.sizeRaw - unseenRaw) / 1000))
    const request = requestOf(order, 0)
    return this.slow.replacing(request, id, BigInt(steps) * 1000n, this.#arriving(id))
  }

  /** Whether an amend of the order, or its arrival in place of another, is not answered. */
  isAmending(slot: number, generation: number): boolean {
    const id = this.idOf(slot, generation)
    for (const each of this.#pending.values()) {
      const isDecrease = 'kind' in each && each.kind === 'decreaseOrder'
      if (isDecrease && this.idOf(each.slot, each.generation) === id) return true
    }
    return [...this.#replaced].some(([seq, { id: replacedId }]) => {
      return this.live.has(replacedId) && (replacedId === id || seq === id)
    })
  }

  /** Whether the release of an order is decided and not answered. */
  isReleasing(slot: number, generation: number): boolean {
    return [...this.#pending.values()].some((each) => {
      const isRelease = 'kind' in each && each.kind === 'releaseOrder'
      return isRelease && each.slot === slot && each.generation === generation
    })
  }

  /** What an order has open and locks before its market has answered. */
  #arriving(id: number): { open: bigint; locked: bigint } | undefined {
    const request = this.#pending.get(id)
    if (request === undefined || 'kind' in request) return undefined
    const replaced = this.#replaced.get(id)
    if (replaced !== undefined) return { open: replaced.want, locked: replaced.beyond }
    return { open: request.shares, locked: lockOf(request) }
  }

  #admitCancel(cancel: CancelOrders): void {
    this.#pending.set(cancel.seq, cancel)
    if (cancel.reason !== EXPIRED) return
    for (let index = 0; index < cancel.count; index++) {
      const order = this.live.get(this.idOf(cancel.slots[index], cancel.generations[index]))
      const isDue = order === undefined || order.expiresMs <= cancel.nowMs
      assert(isDue, 'no order expires before its time')
    }
  }

  #admitDecrease(decrease: DecreaseOrder): void {
    this.#pending.set(decrease.seq, decrease)
  }

  /** A heartbeat that fired is set again, or taken back, when all its cancels are through. */
  #isBeatOver(profileId: number): void {
    if (!this.controls.isFired(profileId)) return
    const firedSeq = this.controls.beats.get(profileId)?.firedSeq ?? 0
    const requested = this.#namedIds()
    for (const [id, { request }] of this.live) {
      const isDue = request.owner === profileId && id <= firedSeq
      assert(!isDue || requested.includes(id), 'a heartbeat fires until it is over')
    }
  }

  /** The orders that cancels name which are not answered. */
  #namedIds(): number[] {
    return [...this.#pending.values()].flatMap((each) => {
      if (!('slots' in each)) return []
      const { slots, generations, count } = each
      return Array.from({ length: count }, (_, at) => this.idOf(slots[at], generations[at]))
    })
  }

  readonly ofGroups: OrdersOfModel = {
    isLive: (id) => this.live.has(id),
    marketOf: (id) => this.#live(id).request.market,
    isHeld: (id) => this.slow.held.some((each) => each.id === id),
    idOf: (slot, generation) => this.idOf(slot, generation),
    namedIds: () => this.#namedIds(),
  }

  /**
   * Main may not know yet that the order was canceled, or decreased, which a replay knows here.
   */
  #admitRelease(release: ReleaseOrder, isReplayed: boolean): void {
    this.#pending.set(release.seq, { ...release })
    const id = this.idOf(release.slot, release.generation)
    const order = this.live.get(id)
    if (order === undefined) return
    assert(release.nowMs >= order.eligibleMs, 'no order is released before its time')
    const same = { ...requestOf(release, id), delayed: true }
    if (isReplayed) same.shares = order.request.shares
    assert.deepEqual(same, order.request, 'a release carries the terms of its order')
  }

  #control(command: ControlCommand): void {
    this.venue.admit(command, {
      waits: (marketId) => this.chain.waits(marketId),
      insideRaw: (marketId) => this.slow.inside(marketId),
      isLeg: (marketId) => this.packs.waits(marketId),
    })
    const { slow, venue, controls } = this
    this.withdrawals += this.packs.admit(command, { slow, venue, frozen: controls.frozen })
    switch (command.kind) {
      case 'adjustBalance':
        this.#adjust(command.profileId, BigInt(command.collateralRaw))
        return
      case 'rules':
        assert.equal(command.version, RULES_VERSION)
        return
      default:
        this.withdrawals += new MoveModel(this.slow, this.venue, this.calls).admit(command)
        this.#account(command)
    }
  }

  #account(command: ControlCommand): void {
    if ('profile' in command) {
      const known = this.partners.profiles.get(command.profileId)
      if (known !== undefined) this.rates[command.profileId] = rateOf(known)
    }
    if ('token' in command && command.token !== null) {
      const { profileId } = command
      const { tokenId, scopes } = command.token
      this.tokens.set(tokenId, { profileId, scopes, isRevoked: false })
    }
    if (command.kind !== 'revokeToken') return
    const token = this.tokens.get(command.tokenId)
    assert(token?.isRevoked === false, 'a token is revoked once')
    token.isRevoked = true
  }

  #adjust(profileId: number, amount: bigint): void {
    if (amount > 0n) {
      this.slow.deposit(profileId, amount)
      return
    }
    const cash = this.slow.cash(profileId)
    assert(cash.free >= -amount, 'only free collateral leaves')
    cash.free += amount
    this.withdrawals -= amount
  }

  /** Gives the answer that the market owes to this command; its half of the money moves. */
  settle(seq: number): Answer {
    const requested = this.#pending.get(seq)
    assert(requested !== undefined, 'a market answers each request once')
    this.#pending.delete(seq)
    if ('kind' in requested && requested.kind === 'cancelOrders') return this.#cancel(requested)
    if ('kind' in requested && requested.kind === 'decreaseOrder') return this.#decrease(requested)
    const marketId = 'kind' in requested ? requested.marketId : requested.market
    const came = { seq, before: this.chain.before(this.slow, this.rates.length - 1, marketId) }
    if ('kind' in requested) return this.#release(requested, came)
    const replaced = this.#replaced.get(seq)
    if (replaced === undefined) {
      return this.#arrived('order', requested, this.slow.match(requested), came)
    }
    this.#replaced.delete(seq)
    const wasOpen = this.slow.isOpen(replaced.id)
    const answer = this.slow.replace(requested, replaced)
    const isReplaced = wasOpen && !this.slow.isOpen(replaced.id)
    if (isReplaced) this.live.delete(replaced.id)
    const arrived = this.#arrived('order', requested, answer, came)
    this.#resized(requested.id)
    return isReplaced ? { ...arrived, replacedId: replaced.id } : arrived
  }

  #decrease({ slot, generation, byRaw }: DecreaseOrder): Answer {
    const id = this.idOf(slot, generation)
    this.slow.decrease(id, BigInt(byRaw))
    if (!this.slow.isOpen(id)) this.live.delete(id)
    this.#resized(id)
    return { kind: 'decrease', id, leftRaw: Number(this.slow.openOf(id)) }
  }

  /** The size of an order is what it filled and has open. */
  #resized(id: number): void {
    const order = this.live.get(id)
    if (order === undefined) return
    const shares = this.slow.openOf(id) + BigInt(order.filledRaw)
    order.request = { ...order.request, shares }
  }

  #release({ seq, slot, generation, ...terms }: ReleaseOrder, came: Came): Answer {
    const id = this.idOf(slot, generation)
    const order = this.live.get(id)
    const answer = this.slow.release(id)
    if (order !== undefined && answer !== null) {
      return this.#arrived('release', order.request, answer, came)
    }
    assert(order === undefined && answer === null, 'a held order lives')
    const request = requestOf({ seq, slot, generation, ...terms }, id)
    const nothing = { fills: [], cancelled: [], shares: 0n, collateral: 0n, fee: 0n }
    return { kind: 'release', request, answer: { ...nothing, end: 'gone', owners: new Set() } }
  }

  #arrived(
    kind: 'order' | 'release',
    request: SlowRequest,
    answer: SlowAnswer,
    { seq, before }: Came,
  ): OrderAnswer {
    const { id } = request
    if (answer.fills.length > 0) {
      const makers = answer.fills.map(({ maker }) => this.#live(maker).request)
      this.chain.traded(seq, { request, answer, makers, before, slow: this.slow })
    }
    this.#fill(id, Number(answer.shares))
    for (const { maker, shares, closed } of answer.fills) {
      for (const each of [id, maker]) this.orderGroups.filled(seq, each, id, Number(shares))
      this.#fill(maker, Number(shares))
      if (!closed) continue
      this.live.delete(maker)
      this.#matched.add(maker)
    }
    for (const id of answer.cancelled) this.live.delete(id)
    if (answer.end === 'would cross' || answer.end === 'not placed') this.#forget(id)
    const isKilled = answer.end === 'killed' && answer.shares > 0n
    if (answer.end === 'filled' || isKilled) this.#matched.add(id)
    if (answer.end !== 'rested' && answer.end !== 'held') this.live.delete(id)
    return { kind, request, answer }
  }

  #live(id: number): LiveOrder {
    const order = this.live.get(id)
    assert(order !== undefined, 'only a live order trades')
    return order
  }

  #fill(id: number, sharesRaw: number): void {
    this.#live(id).filledRaw += sharesRaw
  }

  /** A post-only order that would cross leaves no trace. */
  #forget(id: number): void {
    const order = this.live.get(id)
    assert(order !== undefined, 'an arriving order lives until its answer')
    this.hashes.delete(order.hash)
    this.clientKeys.delete(order.clientKey)
  }

  #cancel({ count, slots, generations }: CancelOrders): Answer {
    const ids: number[] = []
    const gone: number[] = []
    for (let index = 0; index < count; index++) {
      const id = this.idOf(slots[index], generations[index])
      ids.push(id)
      if (!this.live.has(id) || !this.slow.cancel(id)) continue
      this.live.delete(id)
      gone.push(id)
    }
    return { kind: 'cancels', ids, gone }
  }

  status(marketId: number): string | undefined {
    return this.venue.status(marketId)
  }
}

/** Applies a command of a journal, and at once the answer of its market. */
export function replayInto(model: Model, command: Command): void {
  model.admit(command, true)
  if (concernsBook(command)) model.settle(command.seq)
}
