import { Ledger } from '../../../engine/core/money/ledger.ts'
import {
  type AccountId,
  type ProfileId,
  SYSTEM_ACCOUNTS,
  systemAccountAt,
} from '../../../engine/domain/ids.ts'
import type { ShardId } from './messages.ts'

// The state of a shard: a function of the commands in its journal. `apply` never refuses.
//
// Balances are those of the exchange's own ledger, because transfers need no operation that it does
// not have: a credit is a deposit, and each destination has one more system account, for what is in
// transit to it. So its assertions check the protocol as well.

/** A debited transfer, until it ends. */
export interface OpenTransfer {
  readonly key: number
  readonly profileId: ProfileId
  readonly amountRaw: number
}

interface OfProfile {
  readonly profileId: ProfileId
}

interface OfAmount extends OfProfile {
  readonly amountRaw: number
}

export type ShardCommand =
  | (OfProfile & { readonly kind: 'openAccount' })
  | (OfProfile & { readonly kind: 'freeze'; readonly isFrozen: boolean })
  | (OfAmount & { readonly kind: 'deposit' | 'withdraw' | 'reserve' })
  /** Ends a part of a reserve: `paidRaw` goes to the other side of a trade, the rest is free. */
  | (OfAmount & {
      readonly kind: 'spend'
      readonly paidRaw: number
      readonly sellerId: ProfileId
    })
  | (OfAmount & {
      readonly kind: 'debitTransfer'
      readonly key: number
      readonly destination: ShardId
      readonly no: number
    })
  | (OfAmount & {
      readonly kind: 'creditTransfer' | 'refuseTransfer'
      readonly key: number
      readonly source: ShardId
      readonly no: number
      readonly endedNo: number
    })
  | {
      readonly kind: 'confirmTransfer' | 'returnTransfer'
      readonly key: number
      readonly destination: ShardId
      readonly no: number
    }
type CommandOf<Kind> = Extract<ShardCommand, { readonly kind: Kind }>

/** Transfers to one destination. */
interface Outgoing {
  lastNo: number
  /** By number, in ascending order. */
  readonly open: Map<number, OpenTransfer>
}

/** Transfers from one source. */
interface Incoming {
  /** All numbers up to this one have an outcome. */
  lastNo: number
  /** True for a credited transfer. Those that the source has ended are forgotten. */
  readonly outcomes: Map<number, boolean>
}

export class ShardState {
  readonly ledger = new Ledger()
  /** Whether each known profile is frozen. */
  readonly profiles = new Map<ProfileId, boolean>()
  /** Keys of debited requests. */
  readonly keys = new Set<number>()
  /** By destination. */
  readonly outgoing: readonly Outgoing[]
  /** By source. */
  readonly incoming: readonly Incoming[]

  constructor(shards: number) {
    const each = Array.from({ length: shards })
    this.outgoing = each.map(() => ({ lastNo: 0, open: new Map() }))
    this.incoming = each.map(() => ({ lastNo: 0, outcomes: new Map() }))
    for (let shard = 0; shard < shards; shard++) this.ledger.systemRaw.push(0)
  }

  static replay(shards: number, journal: readonly ShardCommand[]): ShardState {
    const state = new ShardState(shards)
    for (const command of journal) state.apply(command)
    return state
  }

  canPay(profileId: ProfileId, amountRaw: number): boolean {
    const isActive = this.profiles.get(profileId) === false
    return isActive && this.ledger.freeRaw(profileId) >= amountRaw
  }

  inTransitRaw(destination: ShardId): number {
    return this.ledger.freeRaw(inTransitTo(destination))
  }

  /** Whether a transfer that was debited here has not ended. */
  get hasOpen(): boolean {
    return this.outgoing.some(({ open }) => open.size > 0)
  }

  /** All transfers up to this number have ended. */
  endedNo(destination: ShardId): number {
    const { open, lastNo } = this.outgoing[destination]
    const [firstOpen = lastNo + 1] = open.keys()
    return firstOpen - 1
  }

  apply(command: ShardCommand): void {
    const { ledger } = this
    switch (command.kind) {
      case 'openAccount':
        ledger.openAccount(command.profileId)
        this.profiles.set(command.profileId, false)
        return
      case 'freeze':
        this.profiles.set(command.profileId, command.isFrozen)
        return
      case 'deposit':
        ledger.deposit(command.profileId, command.amountRaw)
        return
      case 'withdraw':
        ledger.withdraw(command.profileId, command.amountRaw)
        return
      case 'reserve':
        ledger.reserveCollateral({
          accountId: command.profileId,
          outcome: 0,
          reserveRaw: command.amountRaw,
        })
        return
      case 'spend':
        ledger.spendReserve(command.profileId, command.amountRaw, command.paidRaw)
        ledger.creditCollateral(command.sellerId, command.paidRaw)
        return
      case 'debitTransfer':
        this.#debit(command)
        return
      case 'creditTransfer':
      case 'refuseTransfer':
        this.#receive(command)
        return
      case 'confirmTransfer':
      case 'returnTransfer':
        this.#end(command)
    }
  }

  #debit({ destination, no, key, profileId, amountRaw }: CommandOf<'debitTransfer'>): void {
    const outgoing = this.outgoing[destination]
    this.ledger.takeCollateral(profileId, amountRaw)
    this.ledger.creditSystem(inTransitTo(destination), amountRaw)
    this.keys.add(key)
    outgoing.lastNo = Math.max(outgoing.lastNo, no)
    outgoing.open.set(no, { key, profileId, amountRaw })
  }

  #receive(command: CommandOf<'creditTransfer' | 'refuseTransfer'>): void {
    const { source, no, endedNo, profileId, amountRaw } = command
    const isCredited = command.kind === 'creditTransfer'
    if (isCredited) this.ledger.deposit(profileId, amountRaw)
    const incoming = this.incoming[source]
    incoming.lastNo = Math.max(incoming.lastNo, no)
    incoming.outcomes.set(no, isCredited)
    for (const ended of incoming.outcomes.keys()) {
      if (ended <= endedNo) incoming.outcomes.delete(ended)
    }
  }

  #end({ kind, destination, no }: CommandOf<'confirmTransfer' | 'returnTransfer'>): void {
    const { open } = this.outgoing[destination]
    const transfer = open.get(no)
    if (transfer === undefined) throw new Error('only an open transfer ends')
    open.delete(no)
    const inTransit = inTransitTo(destination)
    if (kind === 'confirmTransfer') {
      // The money has left this shard, like a withdrawal.
      this.ledger.fundSystem(inTransit, -transfer.amountRaw)
      return
    }
    this.ledger.takeSystem(inTransit, transfer.amountRaw)
    this.ledger.creditCollateral(transfer.profileId, transfer.amountRaw)
  }

  /** Equal for equal states. */
  digest(): string {
    const { ledger } = this
    const balances = [...this.profiles].map(([profileId, isFrozen]) => {
      return [profileId, isFrozen, ledger.freeRaw(profileId), ledger.reservedRaw(profileId)]
    })
    const outgoing = this.outgoing.map(({ lastNo, open }) => [lastNo, [...open]])
    const incoming = this.incoming.map(({ lastNo, outcomes }) => [lastNo, [...outcomes]])
    const money = [balances, ledger.systemRaw, ledger.fundedRaw]
    return JSON.stringify([money, [...this.keys], outgoing, incoming])
  }
}

/** The account of the system that holds what is in transit to a shard. */
function inTransitTo(destination: ShardId): AccountId {
  return systemAccountAt(SYSTEM_ACCOUNTS.length + destination)
}
