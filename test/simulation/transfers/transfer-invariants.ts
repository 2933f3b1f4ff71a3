import type { ModelShard } from './model-shard.ts'
import { ShardState } from './shard-state.ts'

// The invariants of transfers. They know all shards at once and compare balances with the journals,
// so nothing rests on what a shard believes of another one.

export const INVARIANTS = {
  money: 'money is conserved over all shards',
  funds: 'the balances of a shard, and what is in transit from it, are its funds',
  transit: 'what is in transit to a shard are the open transfers to it',
  negative: 'no balance is negative',
  once: 'a transfer is credited once or returned once, and never both',
  debit: 'a request is debited once',
  reply: 'an accepted request stays debited',
  replay: 'a replay of the journal gives the same state',
  ends: 'every transfer is credited or returned once the network is quiet',
} as const
export type Invariant = keyof typeof INVARIANTS

/** What the journals say about the transfer of a request. */
interface Story {
  readonly amountRaw: number
  debits: number
  credits: number
  returns: number
  confirms: number
}

const isOpen = ({ debits, returns, confirms }: Story) => debits > returns + confirms

/** Reads all journals, including what is not durable. */
class JournalSums {
  readonly #stories = new Map<number, Story>()
  /** Deposits less withdrawals. */
  depositedRaw = 0

  constructor(shards: readonly ModelShard[]) {
    for (const { durable, pending } of shards) {
      for (const command of durable) this.#read(command)
      for (const command of pending) this.#read(command)
    }
  }

  #read(command: ModelShard['pending'][number]): void {
    switch (command.kind) {
      case 'deposit':
        this.depositedRaw += command.amountRaw
        return
      case 'withdraw':
        this.depositedRaw -= command.amountRaw
        return
      case 'debitTransfer':
        this.#storyOf(command.key, command.amountRaw).debits++
        return
      case 'creditTransfer':
        this.#storyOf(command.key, command.amountRaw).credits++
        return
      case 'confirmTransfer':
        this.#storyOf(command.key, 0).confirms++
        return
      case 'returnTransfer':
        this.#storyOf(command.key, 0).returns++
    }
  }

  #storyOf(key: number, amountRaw: number): Story {
    const known = this.#stories.get(key)
    if (known !== undefined) return known
    const story = { amountRaw, debits: 0, credits: 0, returns: 0, confirms: 0 }
    this.#stories.set(key, story)
    return story
  }

  /** Debited, and neither credited nor given up by its source. */
  get inFlightRaw(): number {
    let sumRaw = 0
    for (const story of this.#stories.values()) {
      if (isOpen(story) && story.credits === 0) sumRaw += story.amountRaw
    }
    return sumRaw
  }

  isDebited(key: number): boolean {
    const story = this.#stories.get(key)
    return story !== undefined && story.debits > 0
  }

  every(isRight: (story: Story) => boolean): boolean {
    return [...this.#stories.values()].every(isRight)
  }
}

/** Free and reserved collateral of all profiles. */
function heldRaw({ ledger, profiles }: ShardState): number {
  let sumRaw = 0
  for (const profileId of profiles.keys()) {
    sumRaw += ledger.freeRaw(profileId) + ledger.reservedRaw(profileId)
  }
  return sumRaw
}

function isFunded(state: ShardState): boolean {
  let sumRaw = heldRaw(state)
  for (const destination of state.outgoing.keys()) sumRaw += state.inTransitRaw(destination)
  return sumRaw === state.ledger.fundedRaw
}

function isInTransit(state: ShardState): boolean {
  return state.outgoing.every(({ open }, destination) => {
    let sumRaw = 0
    for (const { amountRaw } of open.values()) sumRaw += amountRaw
    return sumRaw === state.inTransitRaw(destination)
  })
}

function isNegative({ ledger, profiles }: ShardState): boolean {
  const isBelow = (profileId: number) =>
    ledger.freeRaw(profileId) < 0 || ledger.reservedRaw(profileId) < 0
  return [...profiles.keys()].some(isBelow) || ledger.systemRaw.some((balance) => balance < 0)
}

/** The invariants that do not hold. `accepted` are the keys of which clients got a reply. */
export function brokenInvariants(
  shards: readonly ModelShard[],
  accepted: ReadonlySet<number>,
): Invariant[] {
  const sums = new JournalSums(shards)
  const states = shards.map(({ state }) => state)
  const sumRaw = states.reduce((sum, state) => sum + heldRaw(state), sums.inFlightRaw)
  return broken([
    ['money', sumRaw === sums.depositedRaw],
    ['funds', states.every(isFunded)],
    ['transit', states.every(isInTransit)],
    ['negative', !states.some(isNegative)],
    ['once', sums.every(({ credits, returns }) => credits + returns <= 1)],
    ['debit', sums.every(({ debits }) => debits <= 1)],
    ['reply', [...accepted].every((key) => sums.isDebited(key))],
  ])
}

/** A replay of each journal, with what is not durable, gives the state of its shard. */
export function brokenReplays(shards: readonly ModelShard[]): Invariant[] {
  const isSame = ({ state, journal }: ModelShard) =>
    ShardState.replay(shards.length, journal).digest() === state.digest()
  return broken([['replay', shards.every(isSame)]])
}

/** Every transfer has ended, and nothing is in transit. */
export function brokenEnds(shards: readonly ModelShard[]): Invariant[] {
  const sums = new JournalSums(shards)
  const isOver = ({ debits, credits, returns }: Story) => debits === credits + returns
  return broken([['ends', sums.every(isOver) && !shards.some(({ state }) => state.hasOpen)]])
}

function broken(checks: readonly (readonly [Invariant, boolean])[]): Invariant[] {
  return checks.flatMap(([name, isKept]) => (isKept ? [] : name))
}
