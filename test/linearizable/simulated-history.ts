import {
  ClientHistory,
  type Operations,
  type Pending,
  type Replies,
} from '../support/client-history.ts'
import { Random } from '../support/random.ts'

// A history of many clients, out of a simulated cluster that keeps its promises: one node decides,
// the others show its changes late, replies are lost, and calls arrive late or never. Time is
// simulated, so a seed gives the same history on every machine.

const MARKETS = ['rain', 'snow', 'wind']
const NODES_LAG_MS = [2, 15, 60]
const BEAT_MS = 500
const LOST = 0.02
const REFUSED = 0.02
/** A client takes a reply for lost after this time. */
const PATIENCE_MS = 100
const SHOWN_WAIT_MS = 40
const SHARE = 1_000_000

interface Order {
  readonly market: string
  readonly costRaw: number
  readonly orderId: string
  isLive: boolean
}

/** What a read shows of an account. */
interface View {
  readonly seq: number
  readonly freeRaw: number
  readonly reservedRaw: number
  readonly sharesRaw: Readonly<Record<string, number>>
  readonly orders: ReadonlyMap<string, { readonly isLive: boolean; readonly orderId: string }>
}

/** The account as the deciding node has it, and what it was after each seq. */
class Account {
  readonly name: string
  freeRaw = 0
  readonly orders = new Map<string, Order>()
  readonly sharesRaw: Record<string, number> = {}
  readonly views: View[] = []
  /** Counts heartbeats: the deadline of an older one is void. */
  beats = 0
  /** Markets where a heartbeat that fired has not canceled yet. */
  readonly firing = new Set<string>()
  readonly clientOrderIds: string[] = []

  constructor(name: string) {
    this.name = name
    this.keep(0)
  }

  keep(seq: number): void {
    const orders = new Map([...this.orders].map(([id, order]) => [id, { ...order }]))
    const live = [...this.orders.values()].filter(({ isLive }) => isLive)
    const reservedRaw = live.reduce((sum, { costRaw }) => sum + costRaw, 0)
    const { freeRaw } = this
    this.views.push({ seq, freeRaw, reservedRaw, sharesRaw: { ...this.sharesRaw }, orders })
  }

  viewAt(seq: number): View {
    return this.views.findLast((view) => view.seq <= seq) ?? this.views[0]
  }

  end(order: Order): void {
    order.isLive = false
    this.freeRaw += order.costRaw
  }
}

/** How a decision changes the account; its reply has no seq yet. */
type Decide<K extends keyof Replies> = () => Replies[K]

interface Event {
  readonly atMs: number
  readonly happen: () => void
}

class Simulation {
  readonly history = new ClientHistory(() => this.nowMs)
  readonly random: Random
  nowMs = 0
  /** When each seq was decided; the index is the seq. */
  readonly #decidedMs = [0]
  readonly #shownSeqs = NODES_LAG_MS.map(() => 0)
  readonly #agenda: Event[] = []

  constructor(seed: number) {
    this.random = new Random(seed)
  }

  get seq(): number {
    return this.#decidedMs.length - 1
  }

  in(ms: number, happen: () => void): void {
    const atMs = this.nowMs + ms
    const at = this.#agenda.findLastIndex((event) => event.atMs <= atMs)
    this.#agenda.splice(at + 1, 0, { atMs, happen })
  }

  run(): void {
    for (let next = this.#agenda.shift(); next !== undefined; next = this.#agenda.shift()) {
      this.nowMs = next.atMs
      next.happen()
    }
  }

  commit(account: Account): void {
    this.#decidedMs.push(this.nowMs)
    account.keep(this.seq)
  }

  /** Sends a change: it is decided at some time, unless it is lost or refused at the edge. */
  change<K extends keyof Replies>(
    account: Account,
    pending: Pending<K>,
    decide: Decide<K>,
    then: (reply: Replies[K] | null) => void,
  ): void {
    const { random } = this
    const travelMs = 1 + random.next() * 10
    if (random.chance(LOST)) {
      const fate = random.below(4)
      if (fate > 1)
        this.in(fate === 2 ? travelMs : random.next() * 2000, () => this.#decide(account, decide))
      this.in(PATIENCE_MS, () => {
        pending.lost()
        then(null)
      })
      return
    }
    const isRefused = random.chance(REFUSED)
    this.in(travelMs, () => {
      const reply: Replies[K] = isRefused
        ? { kind: 'refused', code: 'NO_LEADER' }
        : this.#decide(account, decide)
      this.in(1 + random.next() * 10, () => {
        pending.end(isRefused ? reply : { ...reply, seq: this.seq })
        then(reply)
      })
    })
  }

  #decide<K extends keyof Replies>(account: Account, decide: Decide<K>): Replies[K] {
    const reply = decide()
    if (reply.kind !== 'refused') this.commit(account)
    return reply
  }

  /** Sends a read to a node, which answers once it shows `minSeq`. */
  read<K extends 'balance' | 'order'>(
    { minSeq, pending }: { minSeq: number; pending: Pending<K> },
    answer: (shownSeq: number) => Replies[K],
    then: () => void,
  ): void {
    const { random } = this
    const node = random.below(NODES_LAG_MS.length)
    const untilMs = this.nowMs + SHOWN_WAIT_MS
    const attempt = (): void => {
      const shownSeq = this.#shownBy(node)
      if (shownSeq < minSeq && this.nowMs < untilMs) {
        this.in(1, attempt)
        return
      }
      const reply: Replies[K] =
        shownSeq < minSeq ? { kind: 'refused', code: 'SEQ_TIMEOUT' } : answer(shownSeq)
      this.in(1 + random.next() * 5, () => {
        pending.end({ ...reply, seq: shownSeq })
        then()
      })
    }
    this.in(1 + random.next() * 5, attempt)
  }

  #shownBy(node: number): number {
    const upToMs = this.nowMs - NODES_LAG_MS[node] * this.random.next()
    let seq = this.#shownSeqs[node]
    while (seq < this.seq && this.#decidedMs[seq + 1] <= upToMs) seq++
    this.#shownSeqs[node] = seq
    return seq
  }
}

/** A client that trades on one account, or only reads it. */
class Client {
  readonly #simulation: Simulation
  readonly #account: Account
  readonly #client: number
  readonly #isReader: boolean
  #left: number
  /** The terms of a place without a reply, to send again. */
  #unanswered: Operations['place'] | null = null

  constructor(
    simulation: Simulation,
    account: Account,
    client: number,
    { isReader, operations }: { isReader: boolean; operations: number },
  ) {
    this.#simulation = simulation
    this.#account = account
    this.#client = client
    this.#isReader = isReader
    this.#left = operations
  }

  next(): void {
    if (this.#left === 0) return
    this.#left--
    const { random } = this.#simulation
    this.#simulation.in(random.next() * 20, () => {
      const chosen = this.#isReader ? 80 + random.below(20) : random.below(100)
      if (chosen < 38) this.#place()
      else if (chosen < 56) this.#cancel()
      else if (chosen < 64) this.#heartbeat()
      else if (chosen < 67) this.#split()
      else if (chosen < 71) this.#deposit()
      else if (chosen < 86) this.#balance()
      else this.#order(this.#anyOrder())
    })
  }

  #anyOrder(): string {
    const { clientOrderIds, name } = this.#account
    return clientOrderIds.length === 0
      ? `${name}-none`
      : this.#simulation.random.pick(clientOrderIds)
  }

  #place(): void {
    const { random, history } = this.#simulation
    const account = this.#account
    const { clientOrderIds, name } = account
    const made = {
      account: name,
      clientOrderId: random.chance(0.03) ? this.#anyOrder() : `${name}-${clientOrderIds.length}`,
      market: random.pick(MARKETS),
      side: 'buy',
      ticks: random.between(1, 999),
      sizeRaw: random.between(1, 50) * SHARE,
    } as const
    const op = this.#unanswered ?? made
    this.#unanswered = null
    clientOrderIds.push(op.clientOrderId)
    const pending = history.begin(this.#client, { kind: 'place', ...op })
    this.#simulation.change(
      account,
      pending,
      () => this.#decidePlace(op),
      (reply) => {
        if (reply === null && random.chance(0.5)) this.#unanswered = op
        this.next()
      },
    )
  }

  #decidePlace({ clientOrderId, market, ticks, sizeRaw }: Operations['place']): Replies['place'] {
    const account = this.#account
    // No order enters a market before the cancels that are due there.
    this.#cancelDue(market)
    const before = account.orders.get(clientOrderId)
    if (before !== undefined) {
      const code = 'DUPLICATE_CLIENT_ORDER_ID'
      return { kind: 'refused', code, orderId: before.orderId }
    }
    const costRaw = Math.floor((ticks * sizeRaw) / 1000)
    if (costRaw > account.freeRaw) return { kind: 'refused', code: 'INSUFFICIENT_COLLATERAL' }
    account.freeRaw -= costRaw
    const orderId = `id-${this.#simulation.seq + 1}`
    account.orders.set(clientOrderId, { market, costRaw, orderId, isLive: true })
    return { kind: 'accepted', orderId }
  }

  #cancel(): void {
    const account = this.#account
    const op = { account: account.name, clientOrderId: this.#anyOrder() }
    const pending = this.#simulation.history.begin(this.#client, { kind: 'cancel', ...op })
    const decide = (): Replies['cancel'] => {
      const order = account.orders.get(op.clientOrderId)
      if (order === undefined) return { kind: 'not_found' }
      if (!order.isLive) return { kind: 'not_open' }
      account.end(order)
      return { kind: 'canceled' }
    }
    this.#simulation.change(account, pending, decide, () => this.next())
  }

  #heartbeat(): void {
    const { random, history } = this.#simulation
    const account = this.#account
    const cancelAfterMs = random.chance(0.1) ? null : BEAT_MS
    const op = { kind: 'heartbeat', account: account.name, cancelAfterMs } as const
    const deadlineMs = this.#simulation.nowMs + BEAT_MS
    const decide = (): Replies['heartbeat'] => {
      if (account.firing.size > 0) return { kind: 'refused', code: 'HEARTBEAT_CANCELING' }
      const leftMs = deadlineMs - this.#simulation.nowMs
      if (leftMs < 0) return { kind: 'refused', code: 'VALIDATION' }
      const beat = ++account.beats
      if (cancelAfterMs !== null) this.#simulation.in(leftMs, () => this.#fire(beat))
      return { kind: 'ok' }
    }
    const pending = history.begin(this.#client, op)
    this.#simulation.change(account, pending, decide, () => this.next())
  }

  /** Cancels market by market, as the exchange does. */
  #fire(beat: number): void {
    const account = this.#account
    if (account.beats !== beat) return
    account.beats++
    for (const [at, market] of MARKETS.entries()) {
      account.firing.add(market)
      this.#simulation.in(at * 3, () => this.#cancelDue(market))
    }
  }

  #cancelDue(market: string): void {
    const account = this.#account
    if (!account.firing.delete(market)) return
    for (const order of account.orders.values()) {
      if (order.isLive && order.market === market) account.end(order)
    }
    this.#simulation.commit(account)
  }

  #split(): void {
    const { random, history } = this.#simulation
    const account = this.#account
    const op = {
      account: account.name,
      market: random.pick(MARKETS),
      amountRaw: random.between(1, 30) * SHARE,
    }
    const pending = history.begin(this.#client, { kind: 'split', ...op })
    const decide = (): Replies['split'] => {
      if (op.amountRaw > account.freeRaw)
        return { kind: 'refused', code: 'INSUFFICIENT_COLLATERAL' }
      account.freeRaw -= op.amountRaw
      account.sharesRaw[op.market] = (account.sharesRaw[op.market] ?? 0) + op.amountRaw
      return { kind: 'ok' }
    }
    this.#simulation.change(account, pending, decide, () => this.next())
  }

  #deposit(): void {
    const account = this.#account
    const op = { account: account.name, amountRaw: this.#simulation.random.between(1, 99) * SHARE }
    const pending = this.#simulation.history.begin(this.#client, { kind: 'deposit', ...op })
    const decide = (): Replies['deposit'] => {
      account.freeRaw += op.amountRaw
      return { kind: 'ok' }
    }
    this.#simulation.change(account, pending, decide, () => this.next())
  }

  #balance(): void {
    const { history } = this.#simulation
    const account = this.#account
    const minSeq = history.seenSeq(this.#client)
    const op = { kind: 'balance', account: account.name, minSeq } as const
    const answer = (shownSeq: number): Replies['balance'] => {
      const { freeRaw, reservedRaw, sharesRaw } = account.viewAt(shownSeq)
      return { kind: 'balance', freeRaw, reservedRaw, sharesRaw }
    }
    const pending = history.begin(this.#client, op)
    this.#simulation.read({ minSeq, pending }, answer, () => this.next())
  }

  #order(clientOrderId: string, minSeq = this.#simulation.history.seenSeq(this.#client)): void {
    const account = this.#account
    const op = { kind: 'order', account: account.name, clientOrderId, minSeq } as const
    const answer = (shownSeq: number): Replies['order'] => {
      const order = account.viewAt(shownSeq).orders.get(clientOrderId)
      if (order === undefined) return { kind: 'order', status: 'absent' }
      const { orderId, isLive } = order
      return { kind: 'order', status: isLive ? 'LIVE' : 'CANCELED', orderId }
    }
    const pending = this.#simulation.history.begin(this.#client, op)
    this.#simulation.read({ minSeq, pending }, answer, () => this.next())
  }
}

/** Three clients for each account; one of them only reads. */
export function simulateHistory(
  seed: number,
  { accounts, operations }: { readonly accounts: number; readonly operations: number },
): ClientHistory {
  const simulation = new Simulation(seed)
  const each = Math.floor(operations / accounts / 3)
  for (let at = 0; at < accounts; at++) {
    const account = new Account(`account-${at}`)
    for (let client = 0; client < 3; client++) {
      const isReader = client === 2
      new Client(simulation, account, at * 3 + client, { isReader, operations: each }).next()
    }
  }
  simulation.run()
  return simulation.history
}
