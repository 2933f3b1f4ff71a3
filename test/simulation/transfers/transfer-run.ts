import type { ProfileId } from '../../../engine/domain/ids.ts'
import { Random } from '../../support/random.ts'
import { type Message, Network, type TransferRequest } from './messages.ts'
import { ModelShard } from './model-shard.ts'
import type { PlantedFault } from './planted-faults.ts'
import {
  brokenEnds,
  brokenInvariants,
  brokenReplays,
  INVARIANTS,
  type Invariant,
} from './transfer-invariants.ts'

// Plays random steps from a seed: one act a step, at any shard, and any message in any order. The
// invariants are checked after each step. There is no clock: a message is as late as the steps make
// it. From time to time the network is quiet, and then every transfer ends.

const PROFILES = 4
const DEPOSIT_MAX = 10_000
const AMOUNT_MAX = 1000
/** Steps from one quiet period to the next. */
const QUIET_EVERY = 200
/** Rounds of a quiet period, in each of which every shard sends its open transfers again. */
const QUIET_ROUNDS = 200
/** Replays of all journals cost more than the other checks. */
const REPLAY_EVERY = 20

export interface TransferRun {
  readonly seed: number
  readonly shards: number
  readonly steps: number
  readonly planted?: PlantedFault
  readonly onTrace?: (line: string) => void
}

/** What a run has seen, by name. */
export type Counts = Map<string, number>

/** Invariants that do not hold, and the step after which they do not. */
export class BrokenTransfers extends Error {
  override name = 'BrokenTransfers'
  readonly step: number
  readonly broken: readonly Invariant[]

  constructor(step: number, broken: readonly Invariant[], why?: unknown) {
    const sentences = broken.map((name) => INVARIANTS[name])
    const failure = why instanceof Error ? [why.message] : []
    super(`${[...sentences, ...failure].join('; ')}: broken by step ${step}`, { cause: why })
    this.step = step
    this.broken = broken
  }
}

/** Throws BrokenTransfers. */
export function playTransfers(run: TransferRun): Counts {
  const world = new TransferWorld(run)
  for (let step = 1; step <= run.steps; step++) {
    const broken = attempt(step, () => {
      world.act()
      return step % QUIET_EVERY === 0 || step === run.steps
        ? world.quiet()
        : world.check(step % REPLAY_EVERY === 0)
    })
    if (broken.length > 0) throw new BrokenTransfers(step, broken)
  }
  return world.counts
}

/** An assertion of the ledger may notice a fault first. */
function attempt(step: number, act: () => Invariant[]): Invariant[] {
  try {
    return act()
  } catch (why) {
    throw new BrokenTransfers(step, [], why)
  }
}

type Act = (world: TransferWorld) => void
const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [40, (world) => world.deliver()],
  [30, (world) => world.commit()],
  [10, (world) => world.request()],
  [4, (world) => world.requestAgain()],
  [8, (world) => world.resend()],
  [5, (world) => world.lose()],
  [6, (world) => world.repeat()],
  [3, (world) => world.crash()],
  [6, (world) => world.start()],
  [6, (world) => world.fund()],
  [10, (world) => world.trade()],
  [5, (world) => world.freeze()],
  [5, (world) => world.openAccount()],
]
const DICE = ACTS.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))

class TransferWorld {
  readonly counts: Counts = new Map()
  readonly #random: Random
  readonly #network: Network
  readonly #shards: readonly ModelShard[]
  readonly #onTrace: ((line: string) => void) | undefined
  #keys = 0
  /** Requests without a reply. */
  readonly #waiting = new Map<number, TransferRequest>()
  readonly #accepted = new Set<number>()

  constructor({ seed, shards, planted, onTrace }: TransferRun) {
    this.#random = new Random(seed)
    this.#network = new Network(this.#random)
    this.#onTrace = onTrace
    const send = (message: Message) => {
      this.#trace(() => `  sends ${JSON.stringify(message)}`)
      this.#network.send(message)
    }
    const count = (what: string, more?: number) => this.#count(what, more)
    this.#shards = Array.from({ length: shards }, (_each, id) => {
      return new ModelShard({ id, shards, planted: planted ?? null, send, count })
    })
    for (let profileId = 1; profileId <= PROFILES; profileId++) {
      const home = this.#homeOf(profileId)
      home.change({ kind: 'openAccount', profileId })
      home.change({ kind: 'deposit', profileId, amountRaw: DEPOSIT_MAX })
    }
  }

  /** Profiles are made, deposit and withdraw on their home shard. */
  #homeOf(profileId: ProfileId): ModelShard {
    return this.#shards[profileId % this.#shards.length]
  }

  act(): void {
    this.#random.pick(DICE)(this)
  }

  check(withReplays: boolean): Invariant[] {
    const broken = brokenInvariants(this.#shards, this.#accepted)
    return withReplays ? [...broken, ...brokenReplays(this.#shards)] : broken
  }

  deliver(): void {
    const message = this.#network.take()
    if (message === undefined) return
    this.#trace(() => `delivers ${JSON.stringify(message)}`)
    if (message.kind === 'reply') {
      this.#waiting.delete(message.key)
      if (message.isAccepted) this.#accepted.add(message.key)
      this.#count(message.isAccepted ? 'accepted requests' : 'refused requests')
      return
    }
    const shard = this.#shards[message.to]
    if (shard.isUp) shard.receive(message)
    else this.#count('messages to a shard that is down')
  }

  commit(): void {
    const shard = this.#up()
    if (shard === undefined) return
    this.#trace(() => `shard ${shard.id} commits`)
    shard.commit(1 + this.#random.below(4))
  }

  request(): void {
    const source = this.#random.pick(this.#shards).id
    const step = 1 + this.#random.below(this.#shards.length - 1)
    const request: TransferRequest = {
      kind: 'request',
      to: source,
      key: ++this.#keys,
      profileId: this.#anyone(),
      destination: (source + step) % this.#shards.length,
      amountRaw: this.#amount(),
    }
    this.#trace(() => `requests ${JSON.stringify(request)}`)
    this.#waiting.set(request.key, request)
    this.#network.send(request)
  }

  /** A client without a reply sends its request again. */
  requestAgain(): void {
    if (this.#waiting.size === 0) return
    this.#network.send(this.#random.pick([...this.#waiting.values()]))
  }

  resend(): void {
    const shard = this.#up()
    this.#trace(() => `shard ${shard?.id} sends its open transfers again`)
    shard?.resend()
  }

  lose(): void {
    if (this.#network.take() !== undefined) this.#count('lost messages')
  }

  repeat(): void {
    if (this.#network.repeat()) this.#count('repeated messages')
  }

  crash(): void {
    const shard = this.#up()
    if (shard === undefined) return
    this.#trace(() => `shard ${shard.id} crashes and loses ${JSON.stringify(shard.pending)}`)
    this.#count('crashes')
    shard.crash()
  }

  start(): void {
    const shard = this.#random.pick(this.#shards)
    if (shard.isUp) return
    this.#trace(() => `shard ${shard.id} starts`)
    shard.isUp = true
    shard.resend()
  }

  fund(): void {
    const profileId = this.#anyone()
    const home = this.#homeOf(profileId)
    if (!home.isUp || !home.state.profiles.has(profileId)) return
    const amountRaw = 1 + this.#random.below(DEPOSIT_MAX)
    if (this.#random.chance(0.5)) home.change({ kind: 'deposit', profileId, amountRaw })
    else if (home.state.canPay(profileId, amountRaw)) {
      home.change({ kind: 'withdraw', profileId, amountRaw })
    }
  }

  /** An order reserves, or a part of a reserve is filled and released. */
  trade(): void {
    const shard = this.#up()
    if (shard === undefined) return
    const [profileId, sellerId] = [this.#anyone(), this.#anyone()]
    const { state } = shard
    const reservedRaw = state.profiles.has(profileId) ? state.ledger.reservedRaw(profileId) : 0
    if (reservedRaw > 0 && state.profiles.has(sellerId) && this.#random.chance(0.6)) {
      const amountRaw = 1 + this.#random.below(reservedRaw)
      const paidRaw = this.#random.below(amountRaw + 1)
      shard.change({ kind: 'spend', profileId, amountRaw, paidRaw, sellerId })
      return
    }
    const amountRaw = this.#amount()
    if (state.canPay(profileId, amountRaw)) shard.change({ kind: 'reserve', profileId, amountRaw })
  }

  freeze(): void {
    const shard = this.#up()
    const profileId = this.#anyone()
    const isFrozen = shard?.state.profiles.get(profileId)
    if (shard === undefined || isFrozen === undefined) return
    // Most of the time an account is not frozen.
    if (isFrozen || this.#random.chance(0.4)) {
      shard.change({ kind: 'freeze', profileId, isFrozen: !isFrozen })
    }
  }

  openAccount(): void {
    const shard = this.#up()
    const profileId = this.#anyone()
    if (shard === undefined || shard.state.profiles.has(profileId)) return
    shard.change({ kind: 'openAccount', profileId })
  }

  /**
   * Lets every transfer end, and then delivers a copy of every message that was ever sent. Returns
   * what is broken.
   */
  quiet(): Invariant[] {
    this.#trace(() => 'the network is quiet')
    this.#count('quiet periods')
    for (const shard of this.#shards) shard.isUp = true
    const broken = this.#brokenEnds()
    if (broken.length > 0) return broken
    this.#network.repeatAll()
    return this.#brokenEnds()
  }

  #brokenEnds(): Invariant[] {
    let round = 0
    do this.#settle()
    while (++round < QUIET_ROUNDS && this.#shards.some(({ state }) => state.hasOpen))
    return [...this.check(true), ...brokenEnds(this.#shards)]
  }

  /** Sends all open transfers again, delivers everything, and makes everything durable. */
  #settle(): void {
    for (const shard of this.#shards) shard.resend()
    do {
      this.deliver()
      for (const shard of this.#shards) shard.commit(shard.pending.length)
    } while (this.#network.count > 0)
  }

  #up(): ModelShard | undefined {
    const shard = this.#random.pick(this.#shards)
    return shard.isUp ? shard : undefined
  }

  #anyone(): ProfileId {
    return this.#random.between(1, PROFILES)
  }

  #amount(): number {
    return 1 + this.#random.below(AMOUNT_MAX)
  }

  #count(what: string, more = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + more)
  }

  #trace(line: () => string): void {
    this.#onTrace?.(line())
  }
}
