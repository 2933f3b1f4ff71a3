// The messages of a client in the namespace (rules §12.8): `subscribe_…` with its payload, and
// `unsubscribe`, with or without an acknowledgement. A repeated subscribe replaces the earlier one,
// unless it names one market by `marketSlug` or `marketAddress` (rules §13).

import { LIMITS } from '../../../engine/domain/limits.ts'
import { invalid, Refusal, refuse } from '../../messages/refusal.ts'
import { address, slug } from '../http/schema/fields.ts'
import { compilePrinted } from '../http/schema/printed-text.ts'
import { boolean, integer, oneOf, text } from '../http/schema/scalars.ts'
import { anyOf, compile, type Infer, list, openObject, optional } from '../http/schema/schema.ts'
import type { Member } from './member.ts'

/** An id names a kind, a trade and an order. */
export const EVENT_ID_CHARACTERS_MAX = 80

const askFields = openObject({
  marketSlug: optional(slug()),
  marketAddress: optional(address()),
  marketSlugs: optional(list(slug(), 0, LIMITS.socketMarketsMax)),
  marketAddresses: optional(list(address(), 0, LIMITS.socketMarketsMax)),
  symbols: optional(list(text(32, 1), 0, LIMITS.socketMarketsMax)),
  mode: optional(oneOf('book', 'delta')),
  snapshot: optional(boolean()),
  afterMs: optional(integer(LIMITS.heartbeatAheadMsMin, LIMITS.cancelAfterMsMax)),
  afterEventId: optional(anyOf(integer(0), text(EVENT_ID_CHARACTERS_MAX))),
  afterSettlementId: optional(text(EVENT_ID_CHARACTERS_MAX)),
})
const request = compilePrinted(askFields)
const unsubscribeRequest = compile(openObject({ channel: text(64) }))

/** The parameters of a subscription: markets, or the newest events that the client has. */
export interface SubscriptionRequest extends Omit<AskFields, keyof Names> {
  readonly marketSlugs?: readonly string[] | undefined
  readonly marketAddresses?: readonly string[] | undefined
  /** Adds to the earlier subscription of the channel instead of replacing it. */
  readonly isAdded?: boolean
}

type AskFields = Infer<typeof askFields>
type Names = Pick<AskFields, 'marketSlug' | 'marketAddress' | 'marketSlugs' | 'marketAddresses'>

export interface Channel {
  /** Whether only an authenticated caller may subscribe. */
  readonly isPrivate: boolean
  /** The `system` message after a subscribe that is not a subscription. */
  readonly confirmation?: string
  /** Whether the channel sends that message itself, or a refusal, once it knows. */
  readonly confirmsItself?: boolean
  /**
   * Replaces the member's earlier subscription, or adds to it; after a refusal the earlier one
   * stays.
   */
  subscribe(member: Member, requested: SubscriptionRequest): Refusal | null
  /** Ends the subscription to the named markets, or all of it when none are named. */
  unsubscribe(member: Member, requested: SubscriptionRequest): void
  /** The member is gone. */
  left(member: Member): void
}

export type Channels = ReadonlyMap<string, Channel>

function requestOf(payload: unknown): SubscriptionRequest | Refusal {
  const given = payload ?? {}
  if (!request.holds(given)) return invalid(...request.issues(given))
  const { marketSlug, marketAddress, marketSlugs, marketAddresses, ...rest } = given
  return {
    ...rest,
    marketSlugs: marketSlug === undefined ? marketSlugs : [...(marketSlugs ?? []), marketSlug],
    marketAddresses:
      marketAddress === undefined ? marketAddresses : [...(marketAddresses ?? []), marketAddress],
    isAdded: marketSlug !== undefined || marketAddress !== undefined,
  }
}

/** Handles one event of a client with its raw arguments; its name may be a number. */
export function receive(
  channels: Channels,
  member: Member,
  event: unknown,
  given: unknown[],
): void {
  if (typeof event !== 'string') {
    member.except(unknownChannel())
    return
  }
  const last = given.at(-1)
  const acknowledge = typeof last === 'function' ? last : undefined
  if (event === 'unsubscribe') {
    const wrong = unsubscribe(channels, member, given[0])
    if (acknowledge !== undefined) acknowledge(wrong === null ? {} : { error: wrong })
    else if (wrong !== null) {
      member.except(invalid({ field: 'channel', message: wrong }), event)
    }
    return
  }
  const payload = given[0] === last && acknowledge !== undefined ? undefined : given[0]
  const refusal = subscribe(channels, member, event, payload)
  if (refusal !== null) member.except(refusal, event.slice(0, 64))
}

function subscribe(
  channels: Channels,
  member: Member,
  event: string,
  payload: unknown,
): Refusal | null {
  const channel = channels.get(event)
  if (channel === undefined) return unknownChannel()
  if (channel.isPrivate && member.caller === null) return refuse('UNAUTHENTICATED')
  const requested = requestOf(payload)
  if (requested instanceof Refusal) return requested
  const refusal = channel.subscribe(member, requested)
  if (refusal !== null || channel.confirmsItself === true) return refusal
  const markets = requested.marketSlugs === undefined ? {} : { markets: requested.marketSlugs }
  member.send('system', { message: channel.confirmation ?? `Subscribed to ${event}`, ...markets })
  return null
}

/** Returns null, or the sentence for the acknowledgement. */
function unsubscribe(channels: Channels, member: Member, payload: unknown): string | null {
  if (!unsubscribeRequest.holds(payload)) return 'channel must name a channel'
  const channel = channels.get(payload.channel)
  if (channel === undefined) return `Unknown channel ${payload.channel}.`
  const requested = requestOf(payload)
  if (requested instanceof Refusal) return 'marketSlugs must be a list of market slugs'
  channel.unsubscribe(member, requested)
  return null
}

function unknownChannel(): Refusal {
  return invalid({ field: 'channel', message: 'is not a known channel' })
}
