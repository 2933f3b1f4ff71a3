import { fillRelease } from '../../engine/core/decide/release.ts'
import { Exchange } from '../../engine/core/exchange.ts'
import { STATE } from '../../engine/core/orders/order-table.ts'
import type {
  Command,
  ControlCommand,
  PlaceOrder,
  ProfileFields,
} from '../../engine/domain/command.ts'
import type { MarketSpec } from '../../engine/domain/markets/market.ts'
import { SIDE } from '../../engine/domain/order.ts'
import { encodeCancel } from '../../engine/wire/cancel-codec.ts'
import { encodeControl } from '../../engine/wire/codec.ts'
import { blankPlace, encodePlace } from '../../engine/wire/place-codec.ts'
import { blankRelease, encodeRelease } from '../../engine/wire/release-codec.ts'
import type { TestMarket } from './exchange-client.ts'
import { noteProgress } from './progress.ts'

// A seeded run of decided commands that keep every invariant, as a sequencer could have written it.

const START_MS = 1_700_000_000_000
const TRADERS = 8
const MARKETS = 3

type Unstamped<T> = T extends ControlCommand ? Omit<T, 'seq' | 'nowMs'> : never

function random(seed: number): (below: number) => number {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

function profileFields(index: number): ProfileFields {
  return {
    account: `0x${index.toString(16).padStart(40, '0')}`,
    username: null,
    displayName: `Trader ${index}`,
    client: 'eoa',
    smartWallet: null,
    rank: { id: 1, name: 'Bronze', feeRateBps: 300 },
    feeCapBps: null,
    scopes: ['trading'],
  }
}

function marketSpec(index: number): MarketSpec {
  return {
    slug: `market-${index}`,
    title: `Market ${index}`,
    description: '',
    deadlineMs: null,
    feeEnabled: index % 2 === 1,
    categories: [],
    tags: [],
    conditionId: `0x${index.toString(16).padStart(64, '0')}`,
    yesTokenId: `${index}1`,
    noTokenId: `${index}2`,
    exchangeAddress: '0x0000000000000000000000000000000000000001',
    adapterAddress: null,
    minSizeRaw: 0,
    maxSpread: 0.05,
  }
}

/** A market of a flow, as its clients name it. */
export function flowMarket(id: number): TestMarket {
  const { slug, yesTokenId: yes, noTokenId: no, exchangeAddress, feeEnabled } = marketSpec(id)
  return { slug, id, tokens: { yes, no }, exchange: exchangeAddress, fee: feeEnabled }
}

export class CommandFlow {
  /**
   * The state after every record so far. A thread has one exchange at a time: make others later.
   */
  readonly exchange = new Exchange()
  readonly records: Uint8Array[] = []
  readonly #below: (below: number) => number

  /** `referrers` has the one who referred a profile. */
  constructor(seed: number, referrers: ReadonlyMap<number, number> = new Map()) {
    this.#below = random(seed)
    this.#control({ kind: 'rules', version: 1, ...this.#stamp() })
    for (let profileId = 1; profileId <= TRADERS; profileId++) {
      const profile = profileFields(profileId)
      const referredBy = referrers.get(profileId)
      const by = referredBy === undefined ? {} : { referredBy }
      const made = { kind: 'createProfile', profileId, profile, token: null, ...by } as const
      this.#control({ ...made, ...this.#stamp() })
      this.deposit(profileId, 1e12)
    }
    for (let marketId = 1; marketId <= MARKETS; marketId++) {
      const market = marketSpec(marketId)
      this.#control({ kind: 'createMarket', marketId, book: marketId, market, ...this.#stamp() })
    }
  }

  get seq(): number {
    return this.exchange.clearing.lastSeq
  }

  deposit(profileId: number, collateralRaw: number): void {
    this.#control({ kind: 'adjustBalance', profileId, collateralRaw, ...this.#stamp() })
  }

  /** Appends one order; its reserve and its slot follow from the state. */
  place(terms: Partial<PlaceOrder>): PlaceOrder {
    const { orders } = this.exchange.clearing
    const order = { ...blankPlace(), accountId: 1, marketId: 1, ...terms, ...this.#stamp() }
    order.book = order.marketId
    order.slot = orders.freeSlot(order.book)
    order.generation = orders.generationOf(order.slot) + 1
    order.hashHigh = order.seq
    order.hashLow = this.#below(0xffffffff)
    order.feeBps = order.marketId % 2 === 1 ? 300 : 0
    const costRaw = order.marketForm ? order.spendRaw : (order.priceTicks * order.sizeRaw) / 1000
    order.reserveRaw = order.side === SIDE.BUY ? costRaw : order.sizeRaw
    this.#take(order, encodePlace(order))
    return order
  }

  cancel(named: readonly { slot: number; generation: number }[], marketId = 1, reason = 0): void {
    const command = {
      kind: 'cancelOrders' as const,
      ...this.#stamp(),
      marketId,
      reason,
      count: named.length,
      slots: Uint32Array.from(named, (order) => order.slot),
      generations: Uint32Array.from(named, (order) => order.generation),
    }
    this.#take(command, encodeCancel(command))
  }

  /** A held order enters its market. */
  release({ slot, generation }: PlaceOrder): void {
    const release = blankRelease()
    fillRelease(release, this.exchange.clearing, slot)
    Object.assign(release, { generation, ...this.#stamp() })
    this.#take(release, encodeRelease(release))
  }

  /** Appends `count` random orders and cancels. */
  run(count: number): void {
    for (let index = 0; index < count; index++) {
      noteProgress()
      if (this.#below(10) < 3) this.#cancelSome()
      else this.#placeSome()
    }
  }

  #placeSome(): void {
    const marketId = 1 + this.#below(MARKETS)
    const accountId = 1 + this.#below(TRADERS)
    const outcome = this.#below(2)
    const heldRaw = this.exchange.clearing.ledger.freeSharesRaw(accountId, marketId, outcome)
    const wantsRaw = (1 + this.#below(100_000)) * 1000
    const sells = this.#below(2) === 0 && heldRaw >= 1000
    const side = sells ? SIDE.SELL : SIDE.BUY
    const sizeRaw = sells ? Math.min(wantsRaw, heldRaw - (heldRaw % 1000)) : wantsRaw
    const shape = this.#below(10)
    const common = { marketId, accountId, outcome, side, stp: this.#below(3) }
    if (shape === 0) {
      const amount = sells
        ? { sizeRaw: 1 + this.#below(heldRaw) }
        : { spendRaw: 1 + this.#below(10_000_000) }
      this.place({ ...common, ...amount, orderType: 2, marketForm: true })
      return
    }
    const orderType = shape < 7 ? 0 : shape - 7 > 2 ? 0 : [1, 2, 0][shape - 7]
    const clientOrderId = this.#below(4) === 0 ? `order ${this.seq}` : ''
    const postOnly = orderType === 0 && this.#below(5) === 0
    const priceTicks = 450 + this.#below(100)
    this.place({ ...common, sizeRaw, priceTicks, orderType, clientOrderId, postOnly })
  }

  #cancelSome(): void {
    const { orders } = this.exchange.clearing
    const slot = 1 + this.#below(Math.max(1, orders.highSlot))
    if (orders.stateOf(slot) !== STATE.OPEN) return
    const generation = orders.generationOf(slot)
    this.cancel([{ slot, generation }], orders.marketOf(slot), this.#below(2))
  }

  #stamp(): { seq: number; nowMs: number } {
    return { seq: this.seq + 1, nowMs: START_MS + (this.seq + 1) * 3 }
  }

  /** Appends one control command. */
  control(body: Unstamped<ControlCommand>): void {
    this.#control({ ...body, ...this.#stamp() })
  }

  #control(command: ControlCommand): void {
    this.#take(command, encodeControl(command))
  }

  #take(command: Command, record: Uint8Array): void {
    this.records.push(record)
    this.exchange.apply(command)
  }
}
