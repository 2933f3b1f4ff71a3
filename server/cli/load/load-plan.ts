import type { ProfileId } from '../../../engine/domain/ids.ts'
import type { Credentials } from '../client.ts'
import type { Target } from './connections.ts'

// What the command sends to its threads, and what they report: plain data.

export const OPERATIONS = ['add', 'cancel', 'take', 'replace'] as const
export type Operation = (typeof OPERATIONS)[number]

/** Builds one value per operation. */
export function eachOperation<T>(of: (operation: Operation) => T): Readonly<Record<Operation, T>> {
  return { add: of('add'), cancel: of('cancel'), take: of('take'), replace: of('replace') }
}

/** The weight of each operation. */
export type Mix = Readonly<Record<Operation, number>>

export interface LoadTrader extends Credentials {
  readonly profileId: ProfileId
  readonly account: string
  readonly privateKey: Uint8Array
}

export interface LoadMarket {
  readonly slug: string
  readonly tokenIds: readonly [yes: string, no: string]
  readonly exchange: string
}

export interface Venue {
  readonly domain: { readonly name: string; readonly chainId: number }
  readonly traders: readonly LoadTrader[]
  readonly markets: readonly LoadMarket[]
}

/** The work of one thread. */
export interface SenderPlan extends Venue {
  readonly target: Target
  /** Null for a closed loop: each connection sends when its reply is there. */
  readonly perSecond: number | null
  readonly seconds: number
  readonly mix: Mix
}

/** Messages of the command to a thread. */
export type ToSender = 'start' | 'stop'

/** What happened since the previous report of a thread. */
export interface Interval {
  /** Seconds since the start. */
  readonly untilSec: number
  /** Packed histograms of the accepted requests. */
  readonly latencies: Readonly<Record<Operation, string>>
  /** Packed histogram: how late the thread began its requests. */
  readonly lateness: string
  /** Counts of refusals by status and code. */
  readonly refused: Readonly<Record<string, number>>
  /** The part of the time in which the thread had work. */
  readonly busyPart: number
  /** Requests that waited for a free connection, and orders that waited for their signature. */
  readonly connectionWaits: number
  readonly signatureWaits: number
}

export type FromSender =
  | { readonly kind: 'ready'; readonly signed: number }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'interval'; readonly interval: Interval }
  | { readonly kind: 'end'; readonly unanswered: number }
