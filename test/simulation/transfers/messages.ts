import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { Random } from '../../support/random.ts'

// The messages of transfers, and a network that loses, repeats, delays and reorders them.

/** Index of a shard. */
export type ShardId = number

/** A client wants a transfer. Every copy of the request has the same key. */
export interface TransferRequest {
  readonly kind: 'request'
  readonly to: ShardId
  readonly key: number
  readonly profileId: ProfileId
  readonly destination: ShardId
  readonly amountRaw: number
}

/** The source answers a request. An accepted one is debited. */
export interface RequestReply {
  readonly kind: 'reply'
  readonly to: 'client'
  readonly key: number
  readonly isAccepted: boolean
}

/** The source has debited a transfer. Sent until an outcome arrives. */
export interface CreditMessage {
  readonly kind: 'credit'
  readonly to: ShardId
  readonly source: ShardId
  /** Counts the transfers from this source to this destination, from 1. */
  readonly no: number
  readonly key: number
  readonly profileId: ProfileId
  readonly amountRaw: number
  /** The source has ended all transfers up to this number. */
  readonly endedNo: number
}

/** The destination has credited a transfer, or has refused it. */
export interface OutcomeMessage {
  readonly kind: 'outcome'
  readonly to: ShardId
  readonly destination: ShardId
  readonly no: number
  readonly isCredited: boolean
}

export type Message = TransferRequest | RequestReply | CreditMessage | OutcomeMessage

export class Network {
  readonly #random: Random
  #inFlight: Message[] = []
  readonly #sent: Message[] = []

  constructor(random: Random) {
    this.#random = random
  }

  get count(): number {
    return this.#inFlight.length
  }

  send(message: Message): void {
    this.#inFlight.push(message)
    this.#sent.push(message)
  }

  /** Removes one of the messages: the order of sending does not matter. */
  take(): Message | undefined {
    const index = this.#random.below(this.#inFlight.length)
    const last = this.#inFlight.pop()
    if (last === undefined || index === this.#inFlight.length) return last
    const taken = this.#inFlight[index]
    this.#inFlight[index] = last
    return taken
  }

  /** Sends a copy of a message of any age. False if there was none. */
  repeat(): boolean {
    if (this.#sent.length === 0) return false
    this.#inFlight.push(this.#random.pick(this.#sent))
    return true
  }

  /** Sends a copy of every message that there ever was. */
  repeatAll(): void {
    this.#inFlight.push(...this.#sent)
  }
}
