// A slow, obvious exchange of books and money, written from the rules alone: plain objects in
// arrays, bigint money, every search a scan. The engine must agree with it.

import { FEE_ACCOUNT } from '../../engine/domain/ids.ts'

export type SlowSide = 'buy' | 'sell'
export type SlowToken = 'yes' | 'no'
export type SlowPolicy = 'cancel_maker' | 'cancel_taker' | 'cancel_both'
export type SlowEnd =
  | 'rested'
  | 'filled'
  | 'killed'
  | 'stopped'
  | 'would cross'
  | 'held'
  | 'gone'
  | 'not placed'

/** The order that another replaces, as it was at the decision (rules §4.10). */
export interface SlowReplaced {
  id: number
  open: bigint
  /** What the new order may trade, less what the old one trades from now on. */
  want: bigint
  /** What the new order locks beside the lock of the old one. */
  beyond: bigint
}

export interface SlowRequest {
  id: number
  market: number
  owner: number
  side: SlowSide
  token: SlowToken
  type: 'GTC' | 'FAK' | 'FOK'
  /** Raw price of the order's own token; null walks the whole opposite side. */
  price: bigint | null
  shares: bigint
  /** What a market buy spends; it names no shares. */
  spend: bigint
  postOnly: boolean
  policy: SlowPolicy
  feeBps: bigint
  /** The order is held when it would take on arrival (rules §4.3). */
  delayed: boolean
}

interface Resting {
  id: number
  market: number
  owner: number
  side: SlowSide
  token: SlowToken
  price: bigint
  left: bigint
  locked: bigint
}

export interface SlowFill {
  maker: number
  shares: bigint
  left: bigint
  closed: boolean
}

export interface SlowAnswer {
  end: SlowEnd | 'short'
  fills: SlowFill[]
  cancelled: number[]
  shares: bigint
  collateral: bigint
  fee: bigint
  /** Owners whose balances may have changed. */
  owners: Set<number>
}

interface Purse {
  free: bigint
  locked: bigint
}

const ONE = 1_000_000n
const STEP = 1_000n

const up = (a: bigint, b: bigint) => (a + b - 1n) / b
const least = (a: bigint, b: bigint) => (a < b ? a : b)

/** BUY YES and SELL NO want a cheap YES; BUY NO and SELL YES want a dear one. */
function isBid(order: { side: SlowSide; token: SlowToken }): boolean {
  return (order.side === 'buy') === (order.token === 'yes')
}

function onLadder(token: SlowToken, price: bigint): bigint {
  return token === 'yes' ? price : ONE - price
}

function reserveOf(order: { side: SlowSide; price: bigint }, left: bigint): bigint {
  return order.side === 'buy' ? (order.price * left) / ONE : left
}

/** What an order locks before it trades (rules §2.5). */
export function lockOf({ side, price, shares, spend }: SlowRequest): bigint {
  if (side === 'sell') return shares
  return price === null ? spend : (price * shares) / ONE
}

export class SlowExchange {
  readonly resting: Resting[] = []
  /** Oldest first; each order keeps locked what it locked on arrival. */
  readonly held: SlowRequest[] = []
  readonly #cash = new Map<number, Purse>()
  /** By market, and then by owner and token. */
  readonly #shares = new Map<number, Map<string, Purse>>()
  readonly #inside = new Map<number, bigint>()
  deposits = 0n

  copy(): SlowExchange {
    const model = new SlowExchange()
    for (const order of this.resting) model.resting.push({ ...order })
    model.held.push(...this.held)
    for (const [owner, purse] of this.#cash) model.#cash.set(owner, { ...purse })
    for (const [market, purses] of this.#shares) {
      const copies = [...purses].map(([key, purse]) => [key, { ...purse }] as const)
      model.#shares.set(market, new Map(copies))
    }
    for (const [market, inside] of this.#inside) model.#inside.set(market, inside)
    model.deposits = this.deposits
    return model
  }

  cash(owner: number): Purse {
    const purse = this.#cash.get(owner) ?? { free: 0n, locked: 0n }
    this.#cash.set(owner, purse)
    return purse
  }

  shares(owner: number, market: number, token: SlowToken): Purse {
    const purses = this.#shares.get(market) ?? new Map<string, Purse>()
    this.#shares.set(market, purses)
    const key = `${owner} ${token}`
    const purse = purses.get(key) ?? { free: 0n, locked: 0n }
    purses.set(key, purse)
    return purse
  }

  /** Whether anybody has a share of the market, or owes one. */
  isHeld(market: number): boolean {
    const purses = [...(this.#shares.get(market)?.values() ?? [])]
    return purses.some(({ free, locked }) => free !== 0n || locked !== 0n)
  }

  inside(market: number): bigint {
    return this.#inside.get(market) ?? 0n
  }

  moveInside(market: number, change: bigint): void {
    this.#inside.set(market, this.inside(market) + change)
  }

  deposit(owner: number, amount: bigint): void {
    this.cash(owner).free += amount
    this.deposits += amount
  }

  #purseOf(order: { owner: number; market: number; side: SlowSide; token: SlowToken }): Purse {
    if (order.side === 'buy') return this.cash(order.owner)
    return this.shares(order.owner, order.market, order.token)
  }

  /** The order that matches next, or null: the best price first, then the oldest order. */
  #nextMaker(request: SlowRequest, passed: ReadonlySet<number>): Resting | null {
    const bid = isBid(request)
    let best: Resting | null = null
    for (const order of this.resting) {
      if (order.market !== request.market || isBid(order) === bid || passed.has(order.id)) continue
      const price = onLadder(order.token, order.price)
      if (request.price !== null) {
        const limit = onLadder(request.token, request.price)
        if (bid ? price > limit : price < limit) continue
      }
      if (best === null) best = order
      else {
        const before = onLadder(best.token, best.price)
        if (bid ? price < before : price > before) best = order
      }
    }
    return best
  }

  /** The shares of a fill between this maker and a taker that still wants `want`. */
  #sizeOf(request: SlowRequest, maker: Resting, want: bigint): bigint {
    const price = this.#takerPrice(request, maker)
    if (request.price !== null) return least(maker.left - (maker.left % STEP), want)
    if (request.side === 'buy') return least(maker.left, (want * ONE) / price)
    return least(maker.left, want)
  }

  /** The maker's price in the taker's token. */
  #takerPrice(request: SlowRequest, maker: Resting): bigint {
    return request.token === maker.token ? maker.price : ONE - maker.price
  }

  /** How an all-or-nothing order would end; nothing moves. */
  #wholeOrNot(request: SlowRequest): 'filled' | 'killed' | 'stopped' {
    const passed = new Set<number>()
    const bySpend = request.price === null && request.side === 'buy'
    let want = bySpend ? request.spend : request.shares
    while (want > 0n) {
      const maker = this.#nextMaker(request, passed)
      if (maker === null) return 'killed'
      passed.add(maker.id)
      if (maker.owner === request.owner) {
        if (request.policy !== 'cancel_maker') return 'stopped'
        continue
      }
      const size = this.#sizeOf(request, maker, want)
      want -= bySpend ? up(size * this.#takerPrice(request, maker), ONE) : size
    }
    return 'filled'
  }

  place(request: SlowRequest): SlowAnswer {
    if (this.lacks(request)) return this.#answerTo(request)
    this.reserve(request)
    return this.match(request)
  }

  /** Whether the free balance is too short for the order. */
  lacks(request: SlowRequest): boolean {
    return this.#purseOf(request).free < lockOf(request)
  }

  /** The first half of an order: it locks its reserve before its market answers. */
  reserve(request: SlowRequest): void {
    const purse = this.#purseOf(request)
    purse.free -= lockOf(request)
    purse.locked += lockOf(request)
  }

  #answerTo(request: SlowRequest): SlowAnswer {
    const owners = new Set([request.owner])
    const nothing = { shares: 0n, collateral: 0n, fee: 0n }
    return { end: 'short', fills: [], cancelled: [], ...nothing, owners }
  }

  /** The second half of an order: its market answers. */
  match(request: SlowRequest): SlowAnswer {
    const answer = this.#answerTo(request)
    if (request.delayed && this.#nextMaker(request, new Set()) !== null) {
      this.held.push(request)
      answer.end = 'held'
      return answer
    }
    const locked = lockOf(request)
    const purse = this.#purseOf(request)
    const end = this.#endUntouched(request)
    if (end !== null) {
      purse.locked -= locked
      purse.free += locked
      answer.end = end
      return answer
    }
    const want = this.#walk(request, answer)
    const paid = request.side === 'buy' ? answer.collateral : answer.shares
    const rests = answer.end === 'rested'
    const price = request.price ?? 0n
    const kept = rests ? reserveOf({ side: request.side, price }, want) : 0n
    purse.locked -= locked - kept
    purse.free += locked - paid - kept
    if (rests) {
      const { id, market, owner, side, token } = request
      this.resting.push({ id, market, owner, side, token, price, left: want, locked: kept })
    }
    this.#earn(request, answer)
    return answer
  }

  /** A held order arrives as if new; a canceled one is gone, and null is given. */
  release(id: number): SlowAnswer | null {
    const at = this.held.findIndex((order) => order.id === id)
    if (at < 0) return null
    const [request] = this.held.splice(at, 1)
    return this.match({ ...request, delayed: false })
  }

  /** The end of an order that may not begin to trade; null when it may. */
  #endUntouched(request: SlowRequest): SlowEnd | null {
    if (request.postOnly && this.#nextMaker(request, new Set()) !== null) return 'would cross'
    if (request.type !== 'FOK') return null
    const whole = this.#wholeOrNot(request)
    return whole === 'filled' ? null : whole
  }

  /** Fills until the order wants nothing or no maker is left; returns what it still wants. */
  #walk(request: SlowRequest, answer: SlowAnswer): bigint {
    const bySpend = request.price === null && request.side === 'buy'
    let want = bySpend ? request.spend : request.shares
    answer.end = 'filled'
    while (want > 0n) {
      const maker = this.#nextMaker(request, new Set())
      if (maker === null) {
        answer.end = request.type === 'GTC' ? 'rested' : 'killed'
        return want
      }
      if (maker.owner === request.owner) {
        if (request.policy !== 'cancel_taker') {
          this.cancel(maker.id)
          answer.cancelled.push(maker.id)
        }
        if (request.policy === 'cancel_maker') continue
        answer.end = 'stopped'
        return want
      }
      const size = this.#sizeOf(request, maker, want)
      const value = this.#fill(request, maker, size)
      want -= bySpend ? value : size
      answer.shares += size
      answer.collateral += value
      answer.owners.add(maker.owner)
      const closed = maker.left < STEP
      answer.fills.push({ maker: maker.id, shares: size, left: maker.left, closed })
      if (closed) this.cancel(maker.id)
    }
    return want
  }

  /** The maker's half of one fill; returns the collateral of the taker's half. */
  #fill(request: SlowRequest, maker: Resting, size: bigint): bigint {
    const exact = size * this.#takerPrice(request, maker)
    const value = request.side === 'buy' ? up(exact, ONE) : exact / ONE
    const other = request.token === maker.token ? value : size - value
    if (request.token !== maker.token) {
      this.moveInside(maker.market, request.side === 'buy' ? size : -size)
    }
    const gives = this.#purseOf(maker)
    const left = maker.left - size
    const lock = reserveOf(maker, left)
    gives.locked += lock - maker.locked
    gives.free += maker.locked - lock - (maker.side === 'buy' ? other : size)
    if (maker.side === 'buy') this.shares(maker.owner, maker.market, maker.token).free += size
    else this.cash(maker.owner).free += other
    maker.left = left
    maker.locked = lock
    return value
  }

  /** Takes one fee on the whole trade, out of what the taker receives. */
  #earn(request: SlowRequest, answer: SlowAnswer): void {
    const n = answer.shares
    const c = answer.collateral
    const part = least(c, n - c)
    if (request.side === 'buy') {
      if (c > 0n && part > 0n) answer.fee = (request.feeBps * part * n) / (c * 10_000n)
      this.shares(request.owner, request.market, request.token).free += n - answer.fee
      this.shares(FEE_ACCOUNT, request.market, request.token).free += answer.fee
      return
    }
    if (part > 0n) answer.fee = (request.feeBps * part) / 10_000n
    this.cash(request.owner).free += c - answer.fee
    this.cash(FEE_ACCOUNT).free += answer.fee
  }

  isOpen(id: number): boolean {
    return [...this.held, ...this.resting].some((order) => order.id === id)
  }

  /** The shares that an order has open; 0 when it is gone. */
  openOf(id: number): bigint {
    const held = this.held.find((order) => order.id === id)
    return held?.shares ?? this.resting.find((order) => order.id === id)?.left ?? 0n
  }

  /**
   * How `request` would replace an order, so that `want` may still trade. `arriving` is what an
   * order has open and locks whose market has not answered.
   */
  replacing(
    request: SlowRequest,
    id: number,
    want: bigint,
    arriving?: { open: bigint; locked: bigint },
  ): SlowReplaced {
    const held = this.held.find((order) => order.id === id)
    const known = this.resting.find((order) => order.id === id)?.locked
    const locked = arriving?.locked ?? known ?? (held === undefined ? 0n : lockOf(held))
    const open = arriving?.open ?? this.openOf(id)
    const needed = lockOf({ ...request, shares: want })
    return { id, open, want, beyond: needed > locked ? needed - locked : 0n }
  }

  /** The first half of a replacement; false when the free balance is too short. */
  reserveBeyond(request: SlowRequest, { beyond }: SlowReplaced): boolean {
    const purse = this.#purseOf(request)
    if (purse.free < beyond) return false
    purse.free -= beyond
    purse.locked += beyond
    return true
  }

  /** The second half: the old order goes, and the new one arrives with what is left to want. */
  replace(request: SlowRequest, replaced: SlowReplaced): SlowAnswer {
    const purse = this.#purseOf(request)
    const others = purse.free
    purse.free += replaced.beyond
    purse.locked -= replaced.beyond
    const answer = this.#answerTo(request)
    const left = this.openOf(replaced.id)
    if (left === 0n) return { ...answer, end: 'not placed' }
    if (request.postOnly && this.#nextMaker(request, new Set()) !== null) {
      return { ...answer, end: 'would cross' }
    }
    this.cancel(replaced.id)
    // In steps, for it is what the locks of both orders pay for.
    const both = purse.free - others
    const price = request.side === 'buy' ? (request.price ?? ONE) : ONE
    const wanted = replaced.want - (replaced.open - left)
    const shares = least(wanted / STEP, (both * ONE) / (price * STEP)) * STEP
    if (wanted <= 0n || shares <= 0n) return { ...answer, end: 'not placed' }
    const smaller = { ...request, shares }
    this.reserve(smaller)
    return this.match(smaller)
  }

  /** Takes shares off an order, and cancels what is less than a step; false when it is gone. */
  decrease(id: number, by: bigint): boolean {
    const left = this.openOf(id) - by
    if (left < STEP) return this.cancel(id)
    const held = this.held.findIndex((order) => order.id === id)
    if (held >= 0) {
      const before = this.held[held]
      const after = { ...before, shares: left }
      const purse = this.#purseOf(before)
      purse.locked -= lockOf(before) - lockOf(after)
      purse.free += lockOf(before) - lockOf(after)
      this.held[held] = after
      return true
    }
    const order = this.resting.find((each) => each.id === id)
    if (order === undefined) return false
    const purse = this.#purseOf(order)
    const lock = reserveOf(order, left)
    purse.free += order.locked - lock
    purse.locked -= order.locked - lock
    order.left = left
    order.locked = lock
    return true
  }

  /** Gives back what the order locks; false when the order neither rests nor is held. */
  cancel(id: number): boolean {
    const heldAt = this.held.findIndex((order) => order.id === id)
    if (heldAt >= 0) {
      const [request] = this.held.splice(heldAt, 1)
      const purse = this.#purseOf(request)
      purse.locked -= lockOf(request)
      purse.free += lockOf(request)
      return true
    }
    const at = this.resting.findIndex((order) => order.id === id)
    if (at < 0) return false
    const [order] = this.resting.splice(at, 1)
    const purse = this.#purseOf(order)
    purse.locked -= order.locked
    purse.free += order.locked
    return true
  }

  /** Lines of the book by rising ladder price, each level oldest first. */
  book(market: number): { ticks: number; id: number; left: number }[] {
    const mine = this.resting.filter((order) => order.market === market)
    const lines = mine.map(({ id, token, price, left }) => {
      return { ticks: Number(onLadder(token, price) / 1_000n), id, left: Number(left) }
    })
    return lines.sort((a, b) => a.ticks - b.ticks)
  }
}
